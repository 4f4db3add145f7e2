import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Called } from './called.ts'
import type { CallFault, Stage } from './faults.ts'

/** Applies the faults of this stage; returns whether the call ends there. */
export async function strikeCall(
  stage: Exclude<Stage, 'within'>,
  faults: readonly CallFault[],
  called: Called,
  response: ServerResponse,
): Promise<boolean> {
  for (const fault of faults) {
    if (fault.stage === stage && (await ends(fault, called, response))) return true
  }
  return false
}

async function ends(fault: CallFault, called: Called, response: ServerResponse): Promise<boolean> {
  switch (fault.type) {
    case 'delay':
      await sleep(fault.milliseconds)
      return false
    case 'hook':
      if ((await fault.run(called)) !== 'cut') return false
      response.destroy()
      return true
    case 'cut':
      response.destroy()
      return true
    case 'stall':
      return true
    case 'answer': {
      const { status, body, headers = {} } = fault
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
      return true
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { ThroughFaults } from './through-faults.ts'

/** Milliseconds from the answer on. */
const PATIENCE = 30_000

interface Where {
  readonly resource: string
  readonly name: string
  /** `after`: the API server has carried it out, and Dormouse does not learn it. */
  readonly stage: 'before' | 'after'
}

/**
 * Kills Dormouse (SIGKILL) at its first patch of an object at which `when` holds, while it handles a request; resolves
 * once it is dead.
 * @throws Error if no such patch comes
 */
export async function killedAt(
  { proxy, dormouse, namespace }: ThroughFaults,
  { stage, ...where }: Where,
  ask: () => Promise<unknown>,
  when: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<void> {
  const { promise: killed, resolve } = Promise.withResolvers<void>()
  const run = async () => {
    if (!(await when())) return
    await dormouse.kill()
    resolve()
    return 'cut' as const
  }
  const laid = proxy.onCall(
    { writes: true, namespace, ...where, times: Infinity },
    { type: 'hook', stage, run },
  )
  // Requests to a process that is being killed fail.
  const answered = ask().catch(String)
  const late = answered.then(async (answer) => {
    await sleep(PATIENCE, undefined, { ref: false })
    throw new Error(`no patch to kill it at came within ${PATIENCE} ms of ${JSON.stringify(answer)}`)
  })
  late.catch(() => undefined)
  await Promise.race([killed, late])
  await answered
  laid.lift()
}

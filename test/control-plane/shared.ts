import { startControlPlane } from './control-plane.ts'
import type { ControlPlane } from './control-plane.ts'
import { providePrograms } from './build.ts'

let started: Promise<ControlPlane | { readonly unavailable: string }> | undefined

/**
 * The control plane that all suites of one test run share: started at the first call, building its programs
 * first where that is needed. Where it cannot be had, the answer says why; where `CI` or
 * `DORMOUSE_REQUIRE_CONTROL_PLANE` is set, that is an error. A suite that calls this registers
 * `after(stopSharedControlPlane)` outside every `describe`.
 */
export function sharedControlPlane(): Promise<ControlPlane | { readonly unavailable: string }> {
  started ??= start()
  return started
}

async function start() {
  const provided = await providePrograms((line) => process.stderr.write(`${line}\n`))
  if ('programs' in provided) return startControlPlane(provided)
  const reason = `the real control plane is not available: ${provided.unavailable}`
  if (isSet('CI') || isSet('DORMOUSE_REQUIRE_CONTROL_PLANE')) throw new Error(reason)
  return { unavailable: reason }
}

function isSet(variable: string): boolean {
  return !['', '0', 'false', undefined].includes(process.env[variable])
}

/** Stops it if it runs. */
export async function stopSharedControlPlane(): Promise<void> {
  const stopping = started
  started = undefined
  const plane = await stopping?.catch(() => undefined)
  if (plane && 'stop' in plane) await plane.stop()
}

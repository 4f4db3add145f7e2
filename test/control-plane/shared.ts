import { thereIs } from '../suite/need.ts'
import { realControlPlane } from './build.ts'
import { startControlPlane } from './control-plane.ts'
import type { ControlPlane } from './control-plane.ts'

let started: Promise<ControlPlane> | undefined

/** The control plane that all suites of one process share, started at the first call: for suites that need it. */
export function sharedControlPlane(): Promise<ControlPlane> {
  started ??= start()
  return started
}

async function start() {
  const programs = thereIs(realControlPlane)
  if (!programs) throw new TypeError('define the suite by describeOn: nothing is built here')
  return startControlPlane({ programs })
}

/** Stops it if it runs. */
export async function stopSharedControlPlane(): Promise<void> {
  const stopping = started
  started = undefined
  await (await stopping?.catch(() => undefined))?.stop()
}

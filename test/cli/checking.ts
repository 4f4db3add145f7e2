import { registerCheck } from '../../src/cli/check.ts'
import { call, type Outcome } from './terminal.ts'

/** Runs `dormouse check` with these arguments, as outside a cluster. */
export function callCheck(...args: string[]): Promise<Outcome> {
  return call(
    (program, ports) =>
      registerCheck(program, {
        ...ports,
        timezone: 'UTC',
        stopSignal: new AbortController().signal,
        ownNamespace: undefined,
      }),
    ['check', ...args],
    Date.now(),
  )
}

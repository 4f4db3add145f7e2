import { hmacSha256 } from '../../src/process/hmac.ts'
import type { Rules } from '../../src/domain/deciding/rules.ts'
import { Keyring, type Keys } from '../../src/domain/workload/tag.ts'
import type { Workload } from '../../src/domain/workload/workload.ts'
import { RULES } from './rules.ts'
import type { AWorkload } from './workloads.ts'

/** Keys of states, newest first. */
export const KEYS = ['the newest key of a test', 'the key before it'] as const

export function keyringOf(keys: Partial<Keys> = {}): Keyring {
  return new Keyring({ secrets: KEYS, hmac: hmacSha256, ...keys })
}

/** The rules of a service that signs and verifies by these keys. */
export function rulesBy(keyring: Keyring, rules: Rules = RULES): Rules {
  return { ...rules, keyring: () => keyring }
}

/** The workload with its state and history signed, for itself or for `subject`. */
export function signed(workload: AWorkload, keyring = keyringOf(), subject: Workload = workload): AWorkload {
  const { state, history } = workload.annotations
  if (state === undefined) throw new TypeError('it has no state')
  return workload.annotated(keyring.signed(subject, { state, ...(history === undefined ? {} : { history }) }))
}

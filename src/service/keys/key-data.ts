import { randomBytes } from 'node:crypto'
import type { SecretData } from '../../kubernetes/ports.ts'
import type { Instant } from '../../process/clock.ts'

/** A secret by which states are signed. */
export interface StateKey {
  readonly secret: string
  /** When it begins to sign: until then every replica learns of it. */
  readonly from: Instant
}

/** The content of the Secret of states' keys, or of `stateKeyFile`. */
export interface KeyData {
  /** Newest first. */
  readonly keys: readonly StateKey[]
  /** The keys before these are lost: what was not signed is still believed, until the leader has signed it. */
  readonly adopting: boolean
}

/** Under which the Secret has its keys: a line each, `SECRET` or `SECRET TIME`, newest first. */
const KEYS = 'keys'
const ADOPTING = 'adopting'
/** Characters: what is shorter could be guessed. */
const SHORTEST = 32
const BYTES = 32

export function newKey(from: Instant): StateKey {
  return { secret: randomBytes(BYTES).toString('base64url'), from }
}

/** Reads the Secret; lines that are no keys are left out. */
export function fromKeyData(data: SecretData): KeyData {
  return { keys: keysIn(data[KEYS] ?? ''), adopting: data[ADOPTING] === 'true' }
}

/** The keys in a text with a line each. */
export function keysIn(text: string): StateKey[] {
  return text.split('\n').flatMap((line) => {
    const [secret = '', from] = line.trim().split(/\s+/)
    if (secret.length < SHORTEST) return []
    return [{ secret, from: (from !== undefined && Date.parse(from)) || 0 }]
  })
}

export function toKeyData({ keys, adopting }: KeyData): SecretData {
  const lines = keys.map(({ secret, from }) => `${secret} ${new Date(from).toISOString()}\n`)
  return { [KEYS]: lines.join(''), ...(adopting ? { [ADOPTING]: 'true' } : {}) }
}

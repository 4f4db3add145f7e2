import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { SecretStore, StoredSecret } from '../../kubernetes/ports.ts'
import { keysIn, toKeyData } from './key-data.ts'

/** Milliseconds. */
const LOOK_EVERY = 10_000

/** The keys in a file that somebody else keeps, a line each, newest first. */
export class KeyFile implements Pick<SecretStore, 'read' | 'watch'> {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** @throws Error when it cannot be read, or has no key: then those that are known stay */
  async read(): Promise<StoredSecret> {
    const keys = keysIn(await readFile(this.#path, 'utf8'))
    if (keys.length === 0)
      throw new Error(
        `stateKeyFile ${this.#path}: has no line of 32 or more characters (openssl rand -base64 32)`,
      )
    return { data: toKeyData({ keys, adopting: false }), resourceVersion: '' }
  }

  async watch(listener: (secret: StoredSecret) => void, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(LOOK_EVERY, undefined, { signal, ref: false }).catch(() => {})
      const found = signal.aborted ? undefined : await this.read().catch(() => {})
      if (found) listener(found)
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { SecretStore, StoredSecret } from '../../src/kubernetes/ports.ts'

/** One Secret in memory, as an API server keeps it: versions, conflicts, and watches that lag a little. */
export class SharedSecret {
  secret: StoredSecret | undefined
  /** Watch events that are not delivered yet. */
  pending = 0
  readonly writes: string[] = []
  reads = 0
  failing = false
  #version = 0
  readonly #watchers = new Set<(secret: StoredSecret | undefined) => void>()

  store(name: string): SecretStore {
    const answer = async () => {
      await sleep(0)
      if (this.failing) throw new Error('the cluster does not answer')
    }
    return {
      read: async () => {
        this.reads++
        await answer()
        return this.secret
      },
      create: async (data) => {
        await answer()
        return this.secret ? 'conflict' : this.#write(name, data)
      },
      update: async (data, resourceVersion) => {
        await answer()
        return this.secret?.resourceVersion === resourceVersion ? this.#write(name, data) : 'conflict'
      },
      watch: async (listener, signal) => {
        this.#watchers.add(listener)
        this.#deliver(listener)
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
        this.#watchers.delete(listener)
      },
    }
  }

  /** Writes the Secret as somebody else; undefined deletes it. */
  set(data: StoredSecret['data'] | undefined): void {
    if (data) this.#write('somebody', data)
    else {
      this.secret = undefined
      this.#announce()
    }
  }

  #write(name: string, data: StoredSecret['data']): StoredSecret {
    this.writes.push(name)
    const secret = { data, resourceVersion: String(++this.#version) }
    this.secret = secret
    this.#announce()
    return secret
  }

  #announce(): void {
    for (const watcher of this.#watchers) this.#deliver(watcher)
  }

  #deliver(watcher: (secret: StoredSecret | undefined) => void): void {
    this.pending++
    setTimeout(() => {
      this.pending--
      if (this.#watchers.has(watcher)) watcher(this.secret)
    }, 1)
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Target } from './raw.ts'

/** When the Deployments of a namespace were scaled, in milliseconds since the epoch, as a watch heard of it. */
export interface Scalings {
  /** By Deployment, sorted. */
  readonly at: readonly number[]
  /** All events, those that scaled nothing too. */
  readonly events: number
}

/**
 * A watch of the bench's own, so that all scaling is timed in the same way. An API server ends the watch of a reader
 * that is slow for a moment; then it continues from its last version, and missed changes seem late, not lost.
 */
export class ScaleWatch {
  readonly #pool: Pool
  readonly #lines: { readonly text: string; readonly at: number }[] = []
  readonly #path: string
  readonly #headers: Readonly<Record<string, string>>
  #rest = ''
  #version = ''
  #closed = false

  private constructor({ url, ca, token }: Target, path: string) {
    this.#pool = new Pool(url, { connect: { ca: ca ?? '' }, bodyTimeout: 0 })
    this.#path = path
    this.#headers = { authorization: `Bearer ${token}` }
  }

  static async open(target: Target, path: string): Promise<ScaleWatch> {
    const watch = new ScaleWatch(target, path)
    const list = await watch.#get('limit=1')
    const { metadata } = (await list.json()) as { metadata: { resourceVersion: string } }
    watch.#version = metadata.resourceVersion
    await watch.#follow()
    return watch
  }

  /** Forgets what it has heard. */
  forget(): void {
    this.#lines.length = 0
  }

  /**
   * Waits until `count` Deployments have `replicas`, and then until nothing has come for `quiet` milliseconds.
   * @throws Error when that takes longer than `patience` milliseconds
   */
  async scaled(replicas: number, count: number, patience: number, quiet = 1000): Promise<Scalings> {
    const at = new Map<string, number>()
    let read = 0
    for (const until = Date.now() + patience; ; await sleep(100)) {
      for (; read < this.#lines.length; read++) {
        const { text, at: heard } = this.#lines[read] ?? { text: '', at: 0 }
        const name = /"metadata":(\{"name":"[^"]+","namespace":"[^"]+")/.exec(text)?.[1]
        const is = /"spec":\{"replicas":(\d+),/.exec(text)?.[1]
        if (name !== undefined && Number(is) === replicas && !at.has(name)) at.set(name, heard)
      }
      const latest = this.#lines.at(-1)?.at ?? 0
      if (at.size >= count && now() - latest >= quiet) break
      if (Date.now() > until) throw new Error(`${at.size} of ${count} were scaled to ${replicas} in time`)
    }
    return { at: [...at.values()].toSorted((a, b) => a - b), events: this.#lines.length }
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#pool.destroy()
  }

  async #follow(): Promise<void> {
    this.#rest = ''
    const from = this.#version
    const body = await this.#get(`watch=true&timeoutSeconds=7200&resourceVersion=${from}`)
    body.setEncoding('latin1')
    body.on('data', (chunk: string) => this.#take(chunk))
    body.on('error', () => undefined)
    body.once('close', () => {
      // A watch without events would not get any on retry; `scaled` then names the missing ones.
      if (!this.#closed && this.#version !== from) this.#follow().catch(() => undefined)
    })
  }

  async #get(query: string) {
    const path = `${this.#path}?${query}`
    return (await this.#pool.request({ method: 'GET', path, headers: this.#headers })).body
  }

  #take(chunk: string): void {
    const at = now()
    const texts = (this.#rest + chunk).split('\n')
    this.#rest = texts.pop() ?? ''
    for (const text of texts) {
      this.#version = /"resourceVersion":"(\d+)"/.exec(text)?.[1] ?? this.#version
      this.#lines.push({ text, at })
    }
  }
}

function now(): number {
  return performance.timeOrigin + performance.now()
}

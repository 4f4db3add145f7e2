import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import type { Target } from './raw.ts'

/** When the Deployments of a namespace were scaled, in milliseconds since the epoch, as a watch heard of it. */
export interface Scalings {
  /** Of each Deployment, sorted. */
  readonly at: readonly number[]
  /** All events, those that scaled nothing too. */
  readonly events: number
}

/** A watch of the bench's own: whoever scales, it is timed in the same way. */
export class ScaleWatch {
  readonly #pool: Pool
  readonly #lines: { readonly text: string; readonly at: number }[] = []
  #rest = ''

  private constructor(pool: Pool) {
    this.#pool = pool
  }

  static async open({ url, ca, token }: Target, path: string): Promise<ScaleWatch> {
    const pool = new Pool(url, { connect: { ca: ca ?? '' }, bodyTimeout: 0 })
    const headers = { authorization: `Bearer ${token}` }
    const list = await pool.request({ method: 'GET', path: `${path}?limit=1`, headers })
    const { metadata } = (await list.body.json()) as { metadata: { resourceVersion: string } }
    const query = `watch=true&timeoutSeconds=7200&resourceVersion=${metadata.resourceVersion}`
    const { body } = await pool.request({ method: 'GET', path: `${path}?${query}`, headers })
    const watch = new ScaleWatch(pool)
    body.setEncoding('latin1')
    body.on('data', (chunk: string) => watch.#take(chunk))
    body.on('error', () => undefined)
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
        const name = /"metadata":\{"name":"([^"]+)"/.exec(text)?.[1]
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
    await this.#pool.destroy()
  }

  #take(chunk: string): void {
    const at = now()
    const texts = (this.#rest + chunk).split('\n')
    this.#rest = texts.pop() ?? ''
    for (const text of texts) this.#lines.push({ text, at })
  }
}

function now(): number {
  return performance.timeOrigin + performance.now()
}

import type { Cluster } from '../support/cluster.ts'

interface Event {
  readonly object: {
    readonly metadata: { readonly name: string }
    readonly spec: { readonly replicas: number }
  }
}

/** Deployments of a namespace that are scaled up, as a watch hears of them. */
export class Scalings {
  readonly #stopped = new AbortController()
  readonly #watching: Promise<void>
  readonly #replicas = new Map<string, number>()
  readonly #waiting = new Map<string, (at: number) => void>()

  constructor({ admin }: Cluster, namespace: string) {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments?watch=true&timeoutSeconds=36000`
    this.#watching = this.#watch(admin.lines(path, this.#stopped.signal))
    this.#watching.catch(() => {})
  }

  /** When this Deployment's next scaling from zero is heard, by `performance.now()`. @throws Error when the watch ends before */
  next(name: string): Promise<number> {
    const heard = new Promise<number>((resolve) => this.#waiting.set(name, resolve))
    const ended = this.#watching.then(() => {
      throw new Error('the watch of scalings ended')
    })
    return Promise.race([heard, ended])
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#watching.catch(() => {})
  }

  async #watch(lines: AsyncIterable<string>): Promise<void> {
    for await (const line of lines) {
      const at = performance.now()
      const { metadata, spec } = (JSON.parse(line) as Event).object
      const before = this.#replicas.get(metadata.name)
      this.#replicas.set(metadata.name, spec.replicas)
      if (before !== 0 || spec.replicas === 0) continue
      this.#waiting.get(metadata.name)?.(at)
      this.#waiting.delete(metadata.name)
    }
  }
}

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { request } from 'undici'
import { eventually } from '../support/eventually.ts'
import { endsWithTests } from '../support/running-program.ts'
import type { Target } from './callers.ts'

/** An ingress controller as its programs, which lead Ingresses of a cluster to the endpoints of their Services. */
export class Front {
  readonly port: number
  /** Their last lines. */
  readonly log: string[] = []
  readonly #children: ChildProcess[] = []
  readonly #removed: () => Promise<void>

  /** `port`: where callers find it on 127.0.0.1. `removed`: takes away what its programs leave. */
  constructor(port: number, removed = async (): Promise<void> => {}) {
    this.port = port
    this.#removed = removed
  }

  /** Starts one of its programs; those started later stop first. */
  run(path: string, args: readonly string[], cwd?: string): void {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
    const child = spawn(path, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#children.push(endsWithTests(child))
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream).on('line', (line) => {
        this.log.push(line)
        if (this.log.length > 200) this.log.shift()
      })
  }

  /** The address at which callers of a host find it; resolves once it leads to a pod. */
  async target(host: string): Promise<Target> {
    const url = `http://127.0.0.1:${this.port}/`
    await eventually(`a route for ${host}`, async () => (await ask(url, { host })) === 200)
    return { address: '127.0.0.1', port: this.port, host }
  }

  async stop(): Promise<void> {
    for (const child of this.#children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    await this.#removed()
  }
}

/** The status; 0: nobody answers. */
export async function ask(url: string, headers: Record<string, string> = {}): Promise<number> {
  return request(url, { headers }).then(
    async ({ statusCode, body }) => {
      await body.dump()
      return statusCode
    },
    () => 0,
  )
}

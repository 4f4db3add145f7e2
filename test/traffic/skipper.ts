import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { request } from 'undici'
import { freePorts } from '../control-plane/ports.ts'
import type { Cluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { endsWithTests } from '../support/running-program.ts'
import type { Target } from './callers.ts'

/** Skipper, which leads Ingresses of a cluster to the endpoints of their Services. */
export class Skipper {
  /** Its last lines. */
  readonly log: string[] = []
  readonly #children: ChildProcess[] = []
  readonly #port: number

  private constructor(port: number) {
    this.#port = port
  }

  /** With the settings of its documentation for EndpointSlices. */
  static async start(path: string, on: Cluster): Promise<Skipper> {
    const [port, api] = await freePorts(2)
    const skipper = new Skipper(port)
    // It reads no kubeconfig, and takes no CA outside a cluster.
    skipper.#run('kubectl', ['proxy', `--kubeconfig=${on.adminKubeconfig}`, `--port=${api}`])
    await eventually('kubectl proxy', async () => (await ask(`http://127.0.0.1:${api}/readyz`)) === 200)
    skipper.#run(path, [
      `-address=127.0.0.1:${port}`,
      '-support-listener=',
      '-kubernetes',
      `-kubernetes-url=http://127.0.0.1:${api}`,
      '-enable-kubernetes-endpointslices',
      '-kubernetes-https-redirect=false',
      // Without, no websocket goes through.
      '-experimental-upgrade',
      '-access-log-disabled',
    ])
    return skipper
  }

  /** The address at which callers of a host find it; resolves once it leads to a pod. */
  async target(host: string): Promise<Target> {
    const url = `http://127.0.0.1:${this.#port}/`
    await eventually(`a route for ${host}`, async () => (await ask(url, { host })) === 200)
    return { address: '127.0.0.1', port: this.#port, host }
  }

  async stop(): Promise<void> {
    for (const child of this.#children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
  }

  #run(path: string, args: readonly string[]): void {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
    const child = spawn(path, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#children.push(endsWithTests(child))
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream).on('line', (line) => {
        this.log.push(line)
        if (this.log.length > 200) this.log.shift()
      })
  }
}

/** The status; 0: nobody answers. */
async function ask(url: string, headers: Record<string, string> = {}): Promise<number> {
  return request(url, { headers }).then(
    async ({ statusCode, body }) => {
      await body.dump()
      return statusCode
    },
    () => 0,
  )
}

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { request } from 'undici'
import { freePorts } from '../control-plane/ports.ts'
import type { Cluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { endsWithTests } from '../support/running-program.ts'

/** An ingress controller that leads Ingresses of a cluster to their Services' endpoints. */
export class IngressController {
  /** Its last lines. */
  readonly log: string[] = []
  readonly #children: ChildProcess[] = []
  readonly port: number

  private constructor(port: number) {
    this.port = port
  }

  /** Skipper, with the settings of its documentation for EndpointSlices. */
  static async skipper(path: string, on: Cluster): Promise<IngressController> {
    const [port, api] = await freePorts(2)
    const controller = new IngressController(port)
    // It reads no kubeconfig, and takes no CA outside a cluster.
    controller.#run('kubectl', ['proxy', `--kubeconfig=${on.adminKubeconfig}`, `--port=${api}`])
    const isThere = async () => (await ask(`http://127.0.0.1:${api}/readyz`)) === 200
    await eventually('kubectl proxy', isThere)
    controller.#run(path, [
      `-address=127.0.0.1:${port}`,
      '-support-listener=',
      '-kubernetes',
      `-kubernetes-url=http://127.0.0.1:${api}`,
      '-enable-kubernetes-endpointslices',
      '-kubernetes-https-redirect=false',
      '-access-log-disabled',
    ])
    return controller
  }

  /** Traefik with its provider of Ingresses. */
  static async traefik(path: string, on: Cluster): Promise<IngressController> {
    const [port] = await freePorts(1)
    const controller = new IngressController(port)
    const entry = [`--entrypoints.web.address=127.0.0.1:${port}`, '--entrypoints.traefik.address=127.0.0.1:0']
    const args = [...entry, '--providers.kubernetesingress', '--log.level=WARN']
    controller.#run(path, args, { KUBECONFIG: on.adminKubeconfig })
    return controller
  }

  /** Resolves once it knows the host. */
  async knows(host: string): Promise<void> {
    const url = `http://127.0.0.1:${this.port}/`
    await eventually(`a route for ${host}`, async () => ![0, 404].includes(await ask(url, { host })))
  }

  async stop(): Promise<void> {
    for (const child of this.#children.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
  }

  #run(path: string, args: readonly string[], more: Record<string, string> = {}): void {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...more }
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

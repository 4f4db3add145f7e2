import { spawn } from 'node:child_process'
import { Agent, request } from 'undici'
import { endsWithTests, RunningProgram } from '../support/running-program.ts'

interface Answer {
  readonly endpoints: readonly string[]
  /** Syncs so far. */
  readonly syncs: number
}

/** kube-proxy's rule at work on a cluster: it says where a node would send a connection to a Service. */
export class KubeProxy {
  readonly #program: RunningProgram
  readonly #url: string
  readonly #agent = new Agent({ connections: 32 })

  private constructor(program: RunningProgram, url: string) {
    this.#program = program
    this.#url = url
  }

  /** `minSyncPeriod`: between two syncs; kube-proxy's default is 1s. Resolves once it has synced. */
  static async start(path: string, kubeconfig: string, minSyncPeriod = '1s'): Promise<KubeProxy> {
    const args = [`--kubeconfig=${kubeconfig}`, `--min-sync-period=${minSyncPeriod}`]
    const program = new RunningProgram(
      endsWithTests(spawn(path, args, { env: {}, stdio: ['ignore', 'pipe', 'pipe'] })),
    )
    return new KubeProxy(program, (await program.ready<{ url: string }>()).url)
  }

  /** The `address:port`s among which a connection to this port of a Service would be spread now, sorted. */
  async endpoints(namespace: string, service: string, port: string | number): Promise<readonly string[]> {
    const answer = await request(`${this.#url}/${namespace}/${service}/${port}`, { dispatcher: this.#agent })
    if (answer.statusCode === 404) {
      await answer.body.dump()
      return []
    }
    return [...((await answer.body.json()) as Answer).endpoints].toSorted()
  }

  async stop(): Promise<void> {
    await this.#program.end('SIGTERM')
    await this.#agent.close()
  }
}

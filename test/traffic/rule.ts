import { spawn } from 'node:child_process'
import { Agent, request } from 'undici'
import { endsWithTests, RunningProgram } from '../support/running-program.ts'
import type { Target } from './callers.ts'

/** The rule of a proxy at work on a cluster: it says where that would send a connection to a Service. */
export class Rule {
  readonly #program: RunningProgram
  readonly #url: string
  readonly #agent = new Agent({ connections: 32 })

  private constructor(program: RunningProgram, url: string) {
    this.#program = program
    this.#url = url
  }

  /** That of kube-proxy. `minSyncPeriod`: between two syncs; its default is 1s. Resolves once it has synced. */
  static kubeProxy(path: string, kubeconfig: string, minSyncPeriod = '1s'): Promise<Rule> {
    return Rule.#start(path, [`--kubeconfig=${kubeconfig}`, `--min-sync-period=${minSyncPeriod}`])
  }

  /** That of Traefik, for Services that an Ingress names. */
  static traefik(path: string, kubeconfig: string): Promise<Rule> {
    return Rule.#start(path, [], { KUBECONFIG: kubeconfig })
  }

  static async #start(path: string, args: readonly string[], env = {}): Promise<Rule> {
    const child = endsWithTests(spawn(path, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }))
    const program = new RunningProgram(child)
    return new Rule(program, (await program.ready<{ url: string }>()).url)
  }

  /** The `address:port`s among which a connection to this port of a Service would be spread now, sorted. */
  async endpoints(namespace: string, service: string, port: string | number): Promise<readonly string[]> {
    const answer = await request(`${this.#url}/${namespace}/${service}/${port}`, { dispatcher: this.#agent })
    if (answer.statusCode === 404) {
      await answer.body.dump()
      return []
    }
    const { endpoints } = (await answer.body.json()) as { readonly endpoints: readonly string[] }
    return endpoints.toSorted()
  }

  /** One of them, each as often as the others; undefined: nowhere. */
  async target(namespace: string, service: string, port: string): Promise<Target | undefined> {
    const endpoints = await this.endpoints(namespace, service, port)
    const chosen = endpoints[Math.floor(Math.random() * endpoints.length)]
    const [address = '', number] = chosen?.split(':') ?? []
    return chosen === undefined ? undefined : { address, port: Number(number) }
  }

  async stop(): Promise<void> {
    await this.#program.end('SIGTERM')
    await this.#agent.close()
  }
}

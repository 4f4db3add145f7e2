import { startProgram } from '../support/dormouse.ts'
import { RunningProgram } from '../support/running-program.ts'

const FREE_PORTS = ['--api-port', '--kube-port', '--metrics-port', '--webhook-port'].flatMap((port) => [
  port,
  '0',
])

/** The tests switch one workload more often than people do. */
const MANY_SWITCHES = { DORMOUSE_BACKOFF_MAX_OPERATIONS: '19' }

interface Ready {
  readonly api: string
  readonly console: string
  readonly token: string
  readonly kubeconfig: string
  readonly preview: string
}

/** The sandbox as `npm start` starts it. */
export class SandboxConsole {
  readonly #program: RunningProgram
  readonly api: string
  /** The link that signs in, once. */
  readonly link: string
  readonly token: string
  readonly kubeconfig: string
  /** The address of a Service that sleeps. */
  readonly preview: string

  private constructor(program: RunningProgram, ready: Ready) {
    this.#program = program
    this.api = ready.api
    this.link = ready.console
    this.token = ready.token
    this.kubeconfig = ready.kubeconfig
    this.preview = ready.preview
  }

  /** `cluster`: how it is called. */
  static async start(cluster = 'sandbox'): Promise<SandboxConsole> {
    const environment = { ...MANY_SWITCHES, DORMOUSE_CLUSTER: cluster }
    const program = new RunningProgram(
      startProgram(['sandbox', '--json', ...FREE_PORTS], undefined, environment),
    )
    return new SandboxConsole(program, await program.ready())
  }

  /** As somebody else does by the API; a path such as `shop/deployments/web/enable`. */
  async call(method: string, path: string, asked?: object): Promise<{ data: Record<string, unknown> }> {
    const response = await fetch(`${this.api}/api/v1/namespaces/${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.token}`,
        ...(asked && { 'Content-Type': 'application/json' }),
      },
      ...(asked && { body: JSON.stringify(asked) }),
    })
    const body = (await response.json()) as { data: Record<string, unknown>; error?: { message: string } }
    if (!response.ok) throw new Error(`${method} ${path}: ${body.error?.message}`)
    return body
  }

  async status(path: string): Promise<Record<string, unknown>> {
    return (await this.call('GET', path)).data
  }

  async stop(): Promise<void> {
    await this.#program.end('SIGTERM')
  }
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../control-plane/ports.ts'
import type { Keda } from '../go-programs/keda.ts'
import { selfSigned } from '../support/certificate.ts'
import type { Cluster } from '../support/cluster.ts'
import { define, RunningController, undefine } from '../support/running-controller.ts'
import type { KedaOperator } from './operator.ts'

/** KEDA's own operator over one namespace, and the source of its triggers. */
export class RunningKeda implements KedaOperator {
  active = false
  reachable = true
  readonly poll = 1000
  readonly #on: () => Cluster
  readonly #namespace: string
  readonly #keda: Keda
  readonly #source: Server
  readonly #operator = new RunningController("KEDA's operator")
  #directory = ''

  constructor(on: () => Cluster, namespace: string, keda: Keda) {
    this.#on = on
    this.#namespace = namespace
    this.#keda = keda
    this.#source = createServer((_, response) => {
      if (this.reachable) response.end(JSON.stringify({ value: this.active ? 5 : 0 }))
      else response.destroy()
    })
  }

  get trigger(): object {
    const { port } = this.#source.address() as AddressInfo
    const metadata = { url: `http://127.0.0.1:${port}/`, valueLocation: 'value', targetValue: '1' }
    return { type: 'metrics-api', metadata }
  }

  /** Lines of its log. */
  get log(): readonly string[] {
    return this.#operator.log
  }

  /** Brings its definitions, the source and the operator. */
  async start(): Promise<void> {
    this.#directory = await mkdtemp(join(tmpdir(), 'dormouse-keda-'))
    const { cert, key } = await selfSigned('keda-operator')
    for (const [name, text] of [
      ['ca.crt', cert],
      ['tls.crt', cert],
      ['tls.key', key],
    ] as const)
      await writeFile(join(this.#directory, name), text)
    await define(this.#on(), this.#keda.definitions)
    if (!this.#source.listening) await new Promise<void>((done) => this.#source.listen(0, '127.0.0.1', done))
    await this.startOperator()
  }

  /** Resolves once it watches. */
  async startOperator(): Promise<void> {
    const [service, probe] = await freePorts(2)
    const args = [
      '--metrics-bind-address=0',
      `--health-probe-bind-address=127.0.0.1:${probe}`,
      `--metrics-service-bind-address=127.0.0.1:${service}`,
      `--cert-dir=${this.#directory}`,
      '--enable-webhook-patching=false',
    ]
    const env = {
      HOME: this.#directory,
      KUBECONFIG: this.#on().adminKubeconfig,
      POD_NAMESPACE: this.#namespace,
      KEDA_CLUSTER_OBJECT_NAMESPACE: this.#namespace,
      WATCH_NAMESPACE: this.#namespace,
    }
    const works = (log: readonly string[]) =>
      log.some((line) => line.includes('Starting workers') && /scaledobject/i.test(line))
    await this.#operator.start({ program: this.#keda.operator, args, env, works })
  }

  async stopOperator(): Promise<void> {
    await this.#operator.kill()
  }

  async looked(): Promise<void> {
    await sleep(2 * this.poll)
  }

  async stop(): Promise<void> {
    await this.stopOperator()
    this.#source.closeAllConnections()
    await new Promise<void>((done) => this.#source.close(() => done()))
    // Nobody is left to take their finalizers away.
    await undefine(this.#on(), this.#keda.definitions)
    await rm(this.#directory, { recursive: true, force: true })
  }
}

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { freePorts } from '../control-plane/ports.ts'
import type { Keda } from '../go-programs/keda.ts'
import { selfSigned } from '../support/certificate.ts'
import type { Cluster } from '../support/cluster.ts'
import { eventually } from '../support/eventually.ts'
import { endsWithTests } from '../support/running-program.ts'
import type { KedaOperator } from './operator.ts'

/** Milliseconds that its first connections and caches may take. */
const START_MS = 60_000
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** KEDA's own operator over one namespace, and the source of its triggers. */
export class RunningKeda implements KedaOperator {
  active = false
  reachable = true
  readonly poll = 1000
  readonly #on: () => Cluster
  readonly #namespace: string
  readonly #keda: Keda
  readonly #source: Server
  /** Lines of its log. */
  readonly log: string[] = []
  #directory = ''
  #child: ChildProcess | undefined

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
    for (const definition of await this.#definitions()) {
      const { status, body } = await this.#on().admin.send('POST', DEFINITIONS, definition)
      if (status !== 201 && status !== 409) throw new Error(`a definition was refused: ${body.message}`)
    }
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
      PATH: process.env['PATH'],
      HOME: this.#directory,
      KUBECONFIG: this.#on().adminKubeconfig,
      POD_NAMESPACE: this.#namespace,
      KEDA_CLUSTER_OBJECT_NAMESPACE: this.#namespace,
      WATCH_NAMESPACE: this.#namespace,
    }
    const child = endsWithTests(spawn(this.#keda.operator, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }))
    this.#child = child
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => this.log.push(...text.trimEnd().split('\n')))
    await eventually(
      'KEDA to watch ScaledObjects',
      () => {
        if (child.exitCode !== null)
          throw new Error(`it ended with ${child.exitCode}: ${this.log.slice(-5).join('\n')}`)
        return this.log.some((line) => line.includes('Starting workers') && /scaledobject/i.test(line))
      },
      { timeout: START_MS },
    )
  }

  async stopOperator(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (!child || child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    this.log.length = 0
  }

  async stop(): Promise<void> {
    await this.stopOperator()
    this.#source.closeAllConnections()
    await new Promise<void>((done) => this.#source.close(() => done()))
    // Nobody is left to take their finalizers away.
    for (const { metadata } of await this.#definitions())
      await this.#on().admin.send('DELETE', `${DEFINITIONS}/${metadata.name}`)
    await rm(this.#directory, { recursive: true, force: true })
  }

  async #definitions(): Promise<{ metadata: { name: string } }[]> {
    const files = await readdir(this.#keda.definitions)
    const texts = await Promise.all(files.map((file) => readFile(join(this.#keda.definitions, file), 'utf8')))
    return texts.map((text) => parse(text) as { metadata: { name: string } })
  }
}

import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { ApiClient } from './api-client.ts'
import { around, type Between } from './around.ts'
import type { Cluster } from './cluster.ts'
import { runProgram, type KubectlResult } from './kubectl.ts'
import { newLocalTokens, type LocalTokens } from './local-tokens.ts'
import { parseMetrics, type Sample } from './metrics-text.ts'
import { programEnvironment } from './program-environment.ts'
import { endsWithTests, RunningProgram } from './running-program.ts'

export const PROJECT = fileURLToPath(new URL('../../', import.meta.url))
export { programEnvironment }
export const MAIN = join(PROJECT, 'src', 'main.ts')
let served = MAIN

/** The program that `Dormouse.start` starts from now on; default: that of the sources. */
export function serveBy(main = MAIN): void {
  served = main
}

/** Keys of the configuration file; the tests' defaults come first. */
export type Settings = Readonly<Record<string, unknown>>

/** One entry of its log. */
export interface LogLine {
  readonly level?: number | string
  readonly msg?: string
  readonly [field: string]: unknown
}

/** `dormouse serve` on a cluster, as a process that can be stopped, killed and started again. */
export class Dormouse {
  readonly tokens: LocalTokens = newLocalTokens()
  readonly #cluster: Cluster
  readonly #lives: RunningProgram[] = []
  #settings: Settings
  readonly #preload: string | undefined
  readonly #main: string
  #directory = ''
  #between: Between | undefined
  #running: RunningProgram | undefined
  #api: ApiClient | undefined
  #metricsUrl = ''

  private constructor(cluster: Cluster, settings: Settings, preload: string | undefined, main: string) {
    this.#cluster = cluster
    this.#settings = settings
    this.#preload = preload
    this.#main = main
  }

  /** `preload`: a module that its process loads first; `main`: the program, of another release. */
  static async start(
    cluster: Cluster,
    settings: Settings = {},
    preload?: string,
    main = served,
  ): Promise<Dormouse> {
    const dormouse = new Dormouse(cluster, settings, preload, main)
    dormouse.#directory = await mkdtemp(join(tmpdir(), 'dormouse-serve-'))
    await dormouse.start()
    return dormouse
  }

  /** Starts it again after `terminate` or `kill`, with other settings if given; resolves once it is ready. */
  async start(settings = this.#settings): Promise<void> {
    this.#settings = settings
    const publicKeyFile = join(this.#directory, 'public.pem')
    const config = join(this.#directory, 'config.yaml')
    const { issuer, audience, publicKey } = this.tokens
    await writeFile(publicKeyFile, publicKey)
    const settled = {
      ...around().settings,
      api: { host: '127.0.0.1', port: 0, insecurePort: 0, rate: { perSecond: 100_000, burst: 100_000 } },
      ...settings,
      auth: {
        kubernetes: { enabled: true },
        local: { issuer, audience, publicKeyFile },
        ...(settings['auth'] as object | undefined),
      },
      // Short, so that the next process leads soon after a crash.
      controller: {
        lease: { duration: '4s', renew: '3s', retry: '500ms' },
        ...(settings['controller'] as object | undefined),
      },
    }
    // JSON is YAML.
    await writeFile(config, JSON.stringify(settled))
    const { kubeconfig } = (this.#between ??= await around().between(this.#cluster))
    const args = ['serve', '--config', config, '--kubeconfig', kubeconfig, '--json']
    const child = startProgram(
      [...args, '--api-port', '0', '--metrics-port', '0'],
      this.#preload,
      {},
      this.#main,
    )
    this.#running = new RunningProgram(child)
    this.#lives.push(this.#running)
    const { api, metrics } = await this.#running.ready<{ api: string; metrics: string }>()
    this.#api = new ApiClient(api, await this.tokens.token())
    this.#metricsUrl = metrics
  }

  get api(): ApiClient {
    if (!this.#api) throw new TypeError('Dormouse has not been started')
    return this.#api
  }

  get pid(): number {
    const pid = this.#running?.pid
    if (pid === undefined) throw new TypeError('Dormouse is not running')
    return pid
  }

  get metricsUrl(): string {
    return this.#metricsUrl
  }

  /** All that it has logged, before and after restarts. */
  get log(): LogLine[] {
    return this.#lines.map((line) => JSON.parse(line) as LogLine)
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  async metrics(): Promise<Sample[]> {
    return parseMetrics(await (await request(`${this.#metricsUrl}/metrics`)).body.text())
  }

  /** SIGTERM; resolves with its exit code. It can be started again. */
  async terminate(): Promise<number | null> {
    return this.#end('SIGTERM')
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** SIGSTOP: it is suspended until `resume`. */
  suspend(): void {
    this.#running?.signal('SIGSTOP')
  }

  /** SIGCONT. */
  resume(): void {
    this.#running?.signal('SIGCONT')
  }

  /** Stops it for good. @throws Error if it does not end with 0 */
  async stop(): Promise<void> {
    const running = this.#running !== undefined
    const code = await this.#end('SIGTERM')
    await this.#between?.stop()
    await rm(this.#directory, { recursive: true, force: true })
    if (running && code !== 0) throw new Error(`dormouse ended with ${code}:\n${this.lastLines()}`)
  }

  /** The end of its log, to be shown with a failure. */
  lastLines(count = 25): string {
    return this.#lines.slice(-count).join('\n')
  }

  get #lines(): string[] {
    return this.#lives.flatMap(({ log }) => log)
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const program = this.#running
    this.#running = undefined
    if (!program) return null
    const code = await program.end(signal)
    await this.#api?.close()
    return code
  }
}

/** Starts the program; settings of the tests themselves do not reach it. `env` is added to its environment. */
export function startProgram(
  args: readonly string[],
  preload?: string,
  env: NodeJS.ProcessEnv = {},
  main = MAIN,
): ChildProcess {
  const first = preload === undefined ? [] : ['--import', preload]
  const options: SpawnOptions = {
    cwd: PROJECT,
    env: { ...programEnvironment(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  }
  return endsWithTests(spawn(process.execPath, [...first, main, ...args], options))
}

/** Runs the program to its end; `config`: what stands in the file that `--config` then names. */
export async function runDormouse(
  args: readonly string[],
  { config, env = {}, input = '' }: { config?: object; env?: NodeJS.ProcessEnv; input?: string } = {},
): Promise<KubectlResult> {
  const directory = await mkdtemp(join(tmpdir(), 'dormouse-run-'))
  const file = join(directory, 'config.yaml')
  try {
    // JSON is YAML.
    if (config) await writeFile(file, JSON.stringify(config))
    return await runProgram(process.execPath, [MAIN, ...args, ...(config ? ['--config', file] : [])], {
      cwd: PROJECT,
      env: { ...programEnvironment(), ...env },
      input,
    })
  } finally {
    await rm(directory, { recursive: true })
  }
}

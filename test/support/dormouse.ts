import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { ApiClient } from './api-client.ts'
import type { Cluster } from './cluster.ts'
import { newLocalTokens, type LocalTokens } from './local-tokens.ts'
import { parseMetrics, type Sample } from './metrics-text.ts'

export const PROJECT = fileURLToPath(new URL('../../', import.meta.url))
export const MAIN = join(PROJECT, 'src', 'main.ts')

/** The configuration's keys as the file has them; those that tests need stand before them. */
export type Settings = Readonly<Record<string, unknown>>

/** One entry of its log. */
export interface LogLine {
  readonly level?: number | string
  readonly msg?: string
  readonly [field: string]: unknown
}

/** `dormouse serve` over a cluster, as a process of its own that can be stopped, killed and started again. */
export class Dormouse {
  readonly tokens: LocalTokens = newLocalTokens()
  readonly #cluster: Cluster
  readonly #log: string[] = []
  #settings: Settings
  readonly #preload: string | undefined
  #directory = ''
  #child: ChildProcess | undefined
  #api: ApiClient | undefined
  #metricsUrl = ''

  private constructor(cluster: Cluster, settings: Settings, preload: string | undefined) {
    this.#cluster = cluster
    this.#settings = settings
    this.#preload = preload
  }

  /** `preload`: a module that its process loads first. */
  static async start(cluster: Cluster, settings: Settings = {}, preload?: string): Promise<Dormouse> {
    const dormouse = new Dormouse(cluster, settings, preload)
    dormouse.#directory = await mkdtemp(join(tmpdir(), 'dormouse-serve-'))
    await dormouse.start()
    return dormouse
  }

  /** Starts it again after `stop` or `kill`, with other settings if any are given; resolves once it is ready. */
  async start(settings = this.#settings): Promise<void> {
    this.#settings = settings
    const publicKeyFile = join(this.#directory, 'public.pem')
    const config = join(this.#directory, 'config.yaml')
    const { issuer, audience, publicKey } = this.tokens
    await writeFile(publicKeyFile, publicKey)
    const settled = {
      api: { host: '127.0.0.1', port: 0, insecurePort: 0, rate: { perSecond: 100_000, burst: 100_000 } },
      auth: { kubernetes: { enabled: true }, local: { issuer, audience, publicKeyFile } },
      ...settings,
      // Short, so that the next one acts soon after a crash.
      controller: {
        lease: { duration: '4s', renew: '3s', retry: '500ms' },
        ...(settings['controller'] as object | undefined),
      },
    }
    // JSON is YAML.
    await writeFile(config, JSON.stringify(settled))
    const { dormouseKubeconfig } = this.#cluster
    const args = ['serve', '--config', config, '--kubeconfig', dormouseKubeconfig, '--json']
    this.#child = startProgram([...args, '--api-port', '0', '--metrics-port', '0'], this.#preload)
    const { api, metrics } = await this.#ready(this.#child)
    this.#api = new ApiClient(api, await this.tokens.token())
    this.#metricsUrl = metrics
  }

  get api(): ApiClient {
    if (!this.#api) throw new TypeError('Dormouse has not been started')
    return this.#api
  }

  get metricsUrl(): string {
    return this.#metricsUrl
  }

  /** What it logged, of all its lives. */
  get log(): LogLine[] {
    return this.#log.map((line) => JSON.parse(line) as LogLine)
  }

  async metrics(): Promise<Sample[]> {
    return parseMetrics(await (await request(`${this.#metricsUrl}/metrics`)).body.text())
  }

  /** SIGTERM; resolves with its exit code. Files are kept for another start. */
  async terminate(): Promise<number | null> {
    return this.#end('SIGTERM')
  }

  /** SIGKILL: no chance to say goodbye. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  /** Ends it for good; throws when it does not end with 0 or had crashed before. */
  async stop(): Promise<void> {
    const running = this.#child !== undefined
    const code = await this.#end('SIGTERM')
    await rm(this.#directory, { recursive: true, force: true })
    if (running && code !== 0) throw new Error(`dormouse ended with ${code}:\n${this.lastLines()}`)
  }

  /** For failures: what it said last. */
  lastLines(count = 25): string {
    return this.#log.slice(-count).join('\n')
  }

  async #ready(child: ChildProcess): Promise<{ api: string; metrics: string }> {
    if (!child.stdout || !child.stderr) throw new TypeError('its output is not piped')
    createInterface(child.stderr).on('line', (line) => this.#log.push(line))
    const first = once(createInterface(child.stdout), 'line') as Promise<[string]>
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`dormouse ended with ${String(code)} before it was ready:\n${this.lastLines()}`)
    })
    const [line] = await Promise.race([first, ended])
    ended.catch(() => {})
    return JSON.parse(line) as { api: string; metrics: string }
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child
    if (!child) return null
    this.#child = undefined
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit')
      child.kill(signal)
      await exited
    }
    await this.#api?.close()
    return child.exitCode
  }
}

/** The program with these arguments; nothing of the tests' own settings reaches it. */
export function startProgram(args: readonly string[], preload?: string): ChildProcess {
  const first = preload === undefined ? [] : ['--import', preload]
  const child = spawn(process.execPath, [...first, MAIN, ...args], {
    cwd: PROJECT,
    env: programEnvironment(),
  })
  // What crashes with us must not be left behind.
  const killIt = () => child.kill('SIGKILL')
  process.once('exit', killIt)
  child.once('exit', () => process.off('exit', killIt))
  return child
}

export function programEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('DORMOUSE_') && name !== 'KUBECONFIG'),
  )
}

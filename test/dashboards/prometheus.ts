import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { freePorts } from '../control-plane/ports.ts'
import { eventually } from '../support/eventually.ts'
import type { Need } from '../suite/need.ts'
import { onPath } from '../suite/on-path.ts'
import { endsWithTests } from '../support/running-program.ts'

interface Options {
  /** `host:port` of a target, or that with labels of its own. */
  readonly targets: readonly (string | { readonly target: string; readonly labels: Record<string, string> })[]
  /** Milliseconds. */
  readonly interval: number
  readonly ruleFile: string
  /** Further settings of its scrape configuration. */
  readonly scrape?: object
  /** Seconds between two looks at the rules; default 2. */
  readonly evaluation?: number
}

/** A series of a range query, or the one sample of an instant one: seconds, and the value as text. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>
  readonly samples: readonly (readonly [number, string])[]
}

interface Answer<Data> {
  readonly status: string
  readonly error?: string
  readonly data: Data
}

interface Found {
  readonly result: readonly {
    readonly metric: Readonly<Record<string, string>>
    readonly value?: readonly [number, string]
    readonly values?: readonly (readonly [number, string])[]
  }[]
}

/** Suites get the class by which they start it. */
export const prometheus: Need<typeof Prometheus> = {
  phrase: 'with Prometheus',
  quick: false,
  gotten: 'installed by .ci/install (Debian: prometheus)',
  find: () => (onPath('prometheus', ['--version']) === undefined ? undefined : Prometheus),
}

/** A Prometheus of our own, on loopback, that forgets everything when it stops. */
export class Prometheus {
  readonly #url: string
  readonly #child: ChildProcess
  readonly #directory: string
  readonly #agent = new Agent({ connections: 8 })

  private constructor(url: string, child: ChildProcess, directory: string) {
    this.#url = url
    this.#child = child
    this.#directory = directory
  }

  /** Resolves once it serves and has scraped each target. */
  static async start({
    targets,
    interval,
    ruleFile,
    scrape = {},
    evaluation = 2,
  }: Options): Promise<Prometheus> {
    const directory = await mkdtemp(join(tmpdir(), 'dormouse-prometheus-'))
    const [port] = await freePorts(1)
    const config = {
      global: {
        scrape_interval: `${interval}ms`,
        scrape_timeout: `${interval}ms`,
        evaluation_interval: `${evaluation}s`,
      },
      rule_files: [ruleFile],
      scrape_configs: [
        { job_name: 'any', honor_labels: true, ...scrape, static_configs: targets.map(staticConfig) },
      ],
    }
    const file = join(directory, 'prometheus.yml')
    // JSON is YAML.
    await writeFile(file, JSON.stringify(config))
    const args = [`--config.file=${file}`, `--storage.tsdb.path=${join(directory, 'data')}`]
    const child = spawn(
      'prometheus',
      [...args, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
    endsWithTests(child)
    const prometheus = new Prometheus(`http://127.0.0.1:${port}`, child, directory)
    await eventually('Prometheus to have scraped', async () => {
      const up = await prometheus.instant('up')
      return up.length === targets.length && up.every(({ samples }) => samples[0]?.[1] === '1')
    })
    return prometheus
  }

  /** As it is now. */
  async instant(expr: string): Promise<Series[]> {
    return seriesOf(await this.#ask('query', { query: expr }))
  }

  /** From `start` to `end`, in seconds since the epoch, in steps of so many seconds. */
  async range(expr: string, start: number, end: number, step: number): Promise<Series[]> {
    const times = { start: String(start), end: String(end), step: String(step) }
    return seriesOf(await this.#ask('query_range', { query: expr, ...times }))
  }

  /** Each alert's name with its rule's health, and whether it is inactive, pending or firing. */
  async alerts(): Promise<{ name: string; health: string; state: string; lastError?: string }[]> {
    const answer = await this.#get<{
      groups: { rules: { name: string; health: string; state: string }[] }[]
    }>('rules', {})
    return answer.groups.flatMap(({ rules }) => rules)
  }

  /** The alerts that are pending or firing; `since` in milliseconds since the epoch. */
  async active(): Promise<{ labels: Readonly<Record<string, string>>; state: string; since: number }[]> {
    const { alerts } = await this.#get<{
      alerts: { labels: Record<string, string>; state: string; activeAt: string }[]
    }>('alerts', {})
    return alerts.map(({ labels, state, activeAt }) => ({ labels, state, since: Date.parse(activeAt) }))
  }

  async stop(): Promise<void> {
    await this.#agent.destroy()
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGTERM')
    await ended
    await rm(this.#directory, { recursive: true, force: true })
  }

  #ask(path: string, parameters: Record<string, string>): Promise<Found> {
    return this.#get<Found>(path, parameters)
  }

  async #get<Data>(path: string, parameters: Record<string, string>): Promise<Data> {
    const query = new URLSearchParams(parameters).toString()
    const { body } = await request(`${this.#url}/api/v1/${path}?${query}`, { dispatcher: this.#agent })
    const answer = (await body.json()) as Answer<Data>
    if (answer.status === 'success') return answer.data
    throw new Error(`Prometheus refused ${parameters['query']}: ${answer.error}`)
  }
}

function staticConfig(target: Options['targets'][number]): object {
  return typeof target === 'string'
    ? { targets: [target] }
    : { targets: [target.target], labels: target.labels }
}

function seriesOf({ result }: Found): Series[] {
  return result.map(({ metric, value, values }) => ({ metric, samples: values ?? (value ? [value] : []) }))
}

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { expect } from 'chai'
import { Prometheus } from '../dashboards/prometheus.ts'
import { PROJECT } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { FROM_THE_START, type Scene } from './provocations.ts'

interface Rule {
  readonly alert: string
  for?: string
}

const FILE = join(PROJECT, 'charts', 'dormouse', 'alerts.yaml')
/** Milliseconds between scrapes. */
const SCRAPE = 1000
/** Milliseconds within which an alert must come up. */
const PATIENCE = 60_000

/** Writes the chart's rules, with `for` shortened to 1 s. */
export async function writeImpatientRules(file: string): Promise<void> {
  const rules = parse(await readFile(FILE, 'utf8')) as { groups: { rules: Rule[] }[] }
  for (const rule of rules.groups.flatMap((group) => group.rules)) if (rule.for !== undefined) rule.for = '1s'
  await writeFile(file, stringify(rules))
}

/**
 * Tests that inject faults into running programs, while Prometheus evaluates the chart's rules.
 * `atTheEnd`: alerts that must come up once every Dormouse has been stopped.
 */
export function alertsComeUp(
  scenes: readonly (() => Promise<Scene>)[],
  atTheEnd: readonly string[] = [],
): void {
  let directory: string
  let prometheus: Prometheus
  let played: Scene[] = []
  const table: string[] = []

  before('Prometheus scrapes every stage', async () => {
    directory = await mkdtemp(join(tmpdir(), 'dormouse-alerts-'))
    const ruleFile = join(directory, 'alerts.yaml')
    await writeImpatientRules(ruleFile)
    // One after the other: each start is a burst of work.
    for (const scene of scenes) played.push(await scene())
    const targets = played.map(({ stage }) => stage.target)
    prometheus = await Prometheus.start({ targets, interval: SCRAPE, ruleFile, evaluation: 1 })
    await eventually('each target to be scraped twice', async () => {
      const [fewest] = await prometheus.instant('min(count_over_time(up[1m]))')
      return Number(fewest?.samples[0]?.[1]) >= 2
    })
  })

  after(async () => {
    for (const { stage, stop } of played) {
      await stage.stop()
      await stop?.()
    }
    played = []
    await prometheus?.stop()
    if (directory) await rm(directory, { recursive: true, force: true })
  })

  it('none is up before anything goes wrong', async () => {
    const active = (await prometheus.active()).map(({ labels }) => labels['alertname'] ?? '')
    expect(active.filter((alert) => !FROM_THE_START.has(alert))).to.deep.equal([])
  })

  it('each comes up by its fault', async () => {
    const missing = await Promise.all(
      played.map(async ({ stage, provocations }) => {
        const faults: string[] = []
        let began = Date.now()
        for (const { alert, how, provoke } of provocations) {
          if (provoke) began = Date.now()
          try {
            await provoke?.()
            const since = await up(alert, stage.name)
            table.push(row(alert, how, FROM_THE_START.has(alert) ? undefined : since - began))
          } catch (error) {
            faults.push(`${alert}: ${String(error)}\n${stage.dormouse.lastLines(5)}`)
          }
        }
        return faults
      }),
    )
    expect(missing.flat()).to.deep.equal([])
  })

  if (atTheEnd.length > 0) {
    it('and the alert for a missing Dormouse, once all are stopped', async () => {
      const began = Date.now()
      for (const { stage } of played) await stage.dormouse.kill()
      for (const alert of atTheEnd)
        table.push(row(alert, 'every replica is killed', (await up(alert)) - began))
    })
  }

  after('the table', () => print(table))

  /** The time at which it came up, pending or firing. */
  function up(alert: string, cluster?: string): Promise<number> {
    return eventually(
      `${alert}${cluster === undefined ? '' : ` of ${cluster}`}`,
      async () => {
        const active = await prometheus.active()
        return active.find(({ labels }) => labels['alertname'] === alert && labels['cluster'] === cluster)
          ?.since
      },
      { timeout: PATIENCE, pause: 250 },
    )
  }
}

export function row(alert: string, how: string, milliseconds: number | undefined): string {
  const seconds = milliseconds === undefined ? 'at once' : `${(milliseconds / 1000).toFixed(1)} s`
  return `${alert.padEnd(30)}${seconds.padStart(8)}  ${how}`
}

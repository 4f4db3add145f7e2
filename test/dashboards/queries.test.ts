import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { startSandboxCluster, type StartedCluster } from '../support/sandbox-cluster.ts'
import { FaultProxy } from '../faults/fault-proxy.ts'
import { behind } from '../faults/through-faults.ts'
import { Dormouse, PROJECT } from '../support/dormouse.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { sumOf } from '../support/metrics-text.ts'
import { filledIn, NAMES, queriesOf, type PanelQuery } from './panels.ts'
import { Prometheus, prometheus as prometheusProgram, type Series } from './prometheus.ts'
import { busy, graceEnds, outage, WORKLOADS } from './traffic.ts'
import { describeWith } from '../suite/need.ts'

/** Awake all of the day after tomorrow. */
const SOON = new Date(Date.now() + 48 * 3_600_000).toISOString().slice(0, 10)
const CALENDARS = { calendars: { holidays: { dates: { [SOON]: '0:00-24:00' } } } }
/** Milliseconds from scrape to scrape. */
const SCRAPE = 500
const RULES = join(PROJECT, 'charts', 'dormouse', 'alerts.yaml')

describeWith(
  prometheusProgram,
  'every query of the dashboards, asked of a Prometheus that scrapes two replicas at work',
  function () {
    this.timeout(180_000)
    let cluster: StartedCluster | undefined
    let proxy: FaultProxy | undefined
    let second: Dormouse | undefined
    let prometheus: Prometheus | undefined
    let begun = 0
    let answers: { query: PanelQuery; found: Series[] }[] = []

    before('a cluster is there', async () => {
      cluster = await startSandboxCluster()
      proxy = await FaultProxy.before(cluster.dormouseKubeconfig)
    })

    const here = enforced(() => {
      if (!cluster || !proxy) throw new TypeError('the cluster is there only within hooks and tests')
      return behind(proxy, cluster)
    })
    const there = () => {
      if (!second || !prometheus || !proxy) throw new TypeError('they are there only within hooks and tests')
      return { second, prometheus, proxy }
    }

    before('a second replica waits, and Prometheus looks', async () => {
      const { settings } = await here.another()
      second = await Dormouse.start(here.cluster, {
        ...settings,
        ...CALENDARS,
        metrics: { teamLabel: 'team' },
        savings: { prices: { currency: 'EUR', cpu: 0.031, memory: 0.004 } },
        newWorkloadGrace: '2s',
      })
      const targets = [here.dormouse, second].map(({ metricsUrl }) => new URL(metricsUrl).host)
      begun = Date.now() / 1000
      prometheus = await Prometheus.start({ targets, interval: SCRAPE, ruleFile: RULES })
    })

    before('everything happens', async () => {
      await busy(here)
      await here.kubectl('label', 'namespace', here.namespace, 'team=shop')
      await outage(here, there().proxy)
      await here.dormouse.terminate()
      await eventually(
        'the other one to lead',
        async () => sumOf(await there().second.metrics(), 'dormouse_leader') > 0,
      )
      await graceEnds(here, there().second)
    })

    before('Prometheus knows of it all', async () => {
      const { prometheus } = there()
      await eventually('what happened last to be scraped', async () => {
        const [lag] = await prometheus.instant('sum(dormouse_schedule_lag_seconds_count)')
        return Number(lag?.samples[0]?.[1]) > 0
      })
      await sleep(2 * SCRAPE)
    })

    before('the questions', async () => {
      const now = Date.now() / 1000
      const values = {
        cluster: '.*',
        namespace: here.namespace,
        __rate_interval: '10s',
        __range: `${Math.ceil(now - begun)}s`,
      }
      const ask = async (query: PanelQuery) => {
        const expr = filledIn(query.expr, values)
        const { prometheus } = there()
        const found = query.instant ? prometheus.instant(expr) : prometheus.range(expr, begun, now, 1)
        return { query, found: await found }
      }
      answers = await Promise.all(NAMES.flatMap((name) => queriesOf(name)).map(ask))
      print(answers.map(line))
    })

    after(async () => {
      await prometheus?.stop()
      await second?.stop()
    })
    after(async () => {
      await proxy?.stop()
      await cluster?.stop()
    })

    it('has data', () => {
      const empty = answers.filter(({ found }) => !found.some(({ samples }) => samples.some(isNumber)))
      expect(empty.map(({ query }) => `${query.dashboard}: ${query.panel}`)).to.deep.equal([])
    })

    it('counts nothing twice at a change of leader, and misses nothing', () => {
      const workloads = valuesOf('Workloads by state')
      expect(Math.max(...workloads)).to.equal(WORKLOADS)
      expect(valuesOf('Managed workloads')).to.deep.equal([WORKLOADS])
      expect(valuesOf('Policies and other sources (D)'), 'in all states').to.deep.equal([WORKLOADS])
      expect(valuesOf('Teams (A)'), 'in all states').to.deep.equal([WORKLOADS])
      const teams = answers.find(({ query }) => query.panel === 'Teams (A)')?.found
      const named = teams?.filter(({ samples }) => samples.some(([, value]) => value !== '0'))
      expect(
        named?.map(({ metric }) => metric['team']),
        'of its Namespace',
      ).to.deep.equal(['shop'])
      expect(valuesOf('Leaders')).to.deep.equal([1])
    })

    it('comes beside alert rules that Prometheus can evaluate, none of which fires', async () => {
      const alerts = await there().prometheus.alerts()
      expect(alerts).to.have.length.above(0)
      expect(alerts.filter(({ health }) => health !== 'ok')).to.deep.equal([])
      expect(alerts.filter(({ state }) => state === 'firing')).to.deep.equal([])
    })

    /** The sum of all series at each time. */
    function valuesOf(panel: string): number[] {
      const { found } = answers.find(({ query }) => query.panel === panel) ?? { found: [] }
      const sums = new Map<number, number>()
      for (const { samples } of found)
        for (const [at, value] of samples) sums.set(at, (sums.get(at) ?? 0) + Number(value))
      return [...sums.values()]
    }
  },
)

function isNumber([, value]: readonly [number, string]): boolean {
  return !Number.isNaN(Number(value))
}

/** A query's result; for a range, the latest value. */
function line({ query: { dashboard, panel }, found }: { query: PanelQuery; found: Series[] }): string {
  const latest = found.flatMap(({ samples }) => samples.findLast(isNumber)?.[1] ?? [])
  const values = latest.slice(0, 4).map((value) => String(Number(Number(value).toPrecision(4))))
  const more = latest.length > 4 ? ', …' : ''
  return `${dashboard.padEnd(11)}${panel.padEnd(34)}${String(latest.length).padStart(3)}  ${values.join(', ')}${more}`
}

import { expect } from 'chai'
import fc from 'fast-check'
import { NamespaceSummary } from '../../../src/domain/records/namespace-record.ts'
import {
  moneyOf,
  NOTHING_SAVED,
  plus,
  teamOf,
  type Accounting,
  type Saved,
} from '../../../src/domain/records/saved.ts'
import { KINDS, type Kind, type Workload } from '../../../src/domain/workload/workload.ts'
import { WORK } from '../../domain/fixtures.ts'
import { ModelCluster } from '../../domain/model.ts'
import { stateOf } from '../../support/decisions.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { at, MINUTE, RULES, SECOND } from '../../support/rules.ts'
import { FollowedTracker, PassingTime } from './followed.ts'

const START = at('Mon 7:30')
const PRICES = { currency: 'EUR', cpu: 0.031, memory: 0.004 }
const byLabel = (workload: Workload) => teamOf('team', workload, undefined)
const ACCOUNTING: Accounting = { prices: PRICES, teamOf: byLabel }

interface Described {
  readonly kind: Kind
  readonly replicas: number
  readonly namespace: string
  readonly team: string | undefined
  readonly cpu: string
  readonly memory: string
  readonly scheduled: boolean
}

const DESCRIBED: fc.Arbitrary<Described> = fc.record({
  kind: fc.constantFrom(...KINDS),
  replicas: fc.integer({ min: 1, max: 9 }),
  namespace: fc.constantFrom('bank', 'shop', 'staging'),
  team: fc.constantFrom('checkout', 'search', undefined),
  cpu: fc.constantFrom('50m', '250m', '1', '3'),
  memory: fc.constantFrom('64Mi', '1Gi', '1500M'),
  scheduled: fc.boolean(),
})

const EVENT = fc.oneof(
  fc.record({
    of: fc.nat(4),
    type: fc.constantFrom(...(['snooze', 'snooze', 'wake', 'pin', 'unpin', 'refuse'] as const)),
  }),
  // All events together take less than a week.
  fc.record({ type: fc.constant('wait' as const), minutes: fc.integer({ min: 0, max: 300 }) }),
  fc.record({ type: fc.constant('restart' as const) }),
)
type Event = typeof EVENT extends fc.Arbitrary<infer Each> ? Each : never

/** Workloads that a controller follows, and the counters of its processes, one after the other. */
class World {
  readonly clusters: readonly ModelCluster[]
  readonly #time = new PassingTime(START)
  readonly #told = new Map<ModelCluster, Workload>()
  /** The sums of the processes before this one, as Prometheus adds what a counter had before it began anew. */
  #before = { namespaces: NOTHING_SAVED, teams: NOTHING_SAVED }
  #tracker = this.#begun()

  constructor(described: readonly Described[]) {
    this.clusters = described.map((each, place) => aCluster(each, `w${place}`))
    for (const cluster of this.clusters) this.#tell(cluster)
  }

  do(event: Event): void {
    if (event.type === 'wait') return this.#wait(event.minutes * MINUTE)
    if (event.type === 'restart') return this.#restart()
    // No two operations of a workload have the same time: the second would be dated a millisecond later.
    this.#wait(SECOND)
    const cluster = this.clusters[event.of % this.clusters.length]
    if (!cluster) return
    if (event.type === 'refuse') cluster.refuses = true
    else cluster.request({ action: event.type })
    this.#settle(cluster)
  }

  get counted(): { namespaces: Saved; teams: Saved } {
    const sum = (all: Iterable<Saved>, before: Saved) => [...all].reduce(plus, before)
    return {
      namespaces: sum(this.#tracker.savings(), this.#before.namespaces),
      teams: sum(this.#tracker.teamSavings(), this.#before.teams),
    }
  }

  records() {
    const summaries = new Map<string, NamespaceSummary>()
    for (const { workload } of this.clusters) {
      const { namespace } = workload
      const summary =
        summaries.get(namespace) ?? new NamespaceSummary(namespace, this.#time.now, RULES, ACCOUNTING)
      summary.add(workload)
      summaries.set(namespace, summary)
    }
    return [...summaries.values()].map((summary) => summary.record())
  }

  #wait(milliseconds: number): void {
    const end = this.#time.now + milliseconds
    for (;;) {
      const [next] = this.clusters
        .filter(({ lookAgainAt = Infinity }) => lookAgainAt <= end)
        .sort((a, b) => Number(a.lookAgainAt) - Number(b.lookAgainAt))
      if (next?.lookAgainAt === undefined) break
      this.#pass(next.lookAgainAt)
      this.#settle(next)
    }
    this.#pass(end)
  }

  #pass(until: number): void {
    this.#time.pass(until - this.#time.now)
    for (const cluster of this.clusters) cluster.now = until
  }

  #settle(cluster: ModelCluster): void {
    cluster.settle()
    this.#tell(cluster)
  }

  #tell(cluster: ModelCluster): void {
    this.#tracker.changed(this.#told.get(cluster), cluster.workload)
    this.#told.set(cluster, cluster.workload)
  }

  #restart(): void {
    this.#before = this.counted
    this.#tracker = this.#begun()
    this.#told.clear()
    for (const cluster of this.clusters) this.#tell(cluster)
  }

  #begun(): FollowedTracker {
    const tracker = new FollowedTracker(RULES, this.#time, [], byLabel)
    tracker.lead(true)
    return tracker
  }
}

function aCluster(described: Described, name: string): ModelCluster {
  const { kind, replicas, namespace, team, cpu, memory, scheduled } = described
  const cluster = new ModelCluster(kind, START, RULES, replicas)
  const containers = [{ name: 'main', resources: { requests: { cpu, memory } } }]
  cluster.edit(({ metadata, spec }) => {
    Object.assign(metadata, { name, namespace, ...(team !== undefined && { labels: { team } }) })
    Object.assign(spec.template.spec, { containers })
  })
  cluster.annotate('enabled', 'true')
  if (scheduled) cluster.annotate('schedule', WORK)
  cluster.follow()
  cluster.settle()
  return cluster
}

describe('what sleep saved, over namespaces, over teams and by the counters of metrics', () => {
  it('is the same, whatever sleeps, wakes and restarts there were in a week', () => {
    fc.assert(
      fc.property(
        fc.array(DESCRIBED, { minLength: 1, maxLength: 5 }),
        fc.array(EVENT, { maxLength: 30, size: 'max' }),
        (described, events) => {
          const world = new World(described)
          for (const event of events) world.do(event)
          // A sleep that the history has forgotten is in no record.
          fc.pre(world.clusters.every(({ workload }) => stateOf(workload).history.length < 20))
          const records = world.records()
          const byNamespace = records.map(({ saved }) => saved)
          const byTeam = records.flatMap(({ saved_by_team: teams }) => Object.values(teams))
          const { namespaces, teams } = world.counted
          for (const [field, counter] of [
            ['replica_seconds', 'replicaSeconds'],
            ['cpu_core_seconds', 'coreSeconds'],
            ['memory_byte_seconds', 'byteSeconds'],
          ] as const) {
            const sum = byNamespace.reduce((total, each) => total + each[field], 0)
            expect(
              byTeam.reduce((total, each) => total + each[field], 0),
              field,
            ).to.equal(sum)
            expect(teams[counter], counter).to.be.closeTo(namespaces[counter], 1e-9 * sum)
            // A record has whole seconds of each workload.
            expect(sum, field).to.be.closeTo(namespaces[counter], described.length + 1e-9 * sum)
          }
          const money = byNamespace.reduce((total, each) => total + (each.money?.amount ?? NaN), 0)
          expect(money).to.be.closeTo(moneyOf(namespaces, PRICES), 1e-4)
        },
      ),
      propertyRuns(200),
    )
  })
})

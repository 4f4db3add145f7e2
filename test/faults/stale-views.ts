import { expect } from 'chai'
import { ANNOTATION, type Kind } from '../../src/domain/workload/workload.ts'
import { marksOf } from '../e2e/agreement.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import type { Cluster } from '../support/cluster.ts'
import { Dormouse } from '../support/dormouse.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { annotate, ask, aWorkload, BEGINNINGS, pairsOf, perform, type Beginning } from './pairs.ts'
import { throughFaults } from './through-faults.ts'

/** For replicas that only answer requests. */
const SETTINGS = { controller: { enabled: false } }

/**
 * A test of pairs of operations. Each is played twice: with the second operation through a replica that has seen the
 * first, and through one whose watch is frozen since before it. Answers and outcomes must be the same.
 */
export function decidedOnAStaleView(on: () => Cluster, kind: Kind, beginnings: readonly Beginning[]): void {
  /** Its Dormouse is the one with the frozen watch. */
  const here = throughFaults(on, SETTINGS)
  const pairs = pairsOf(beginnings)
  const titles = pairs.map(({ beginning, first, second }) => `${beginning}: ${first}, ${second}`)
  const fresh = pairs.map((_, index) => `fresh-${index}`)
  const stale = pairs.map((_, index) => `stale-${index}`)
  const both = [fresh, stale]
  let current: Dormouse
  let markers = 0

  before('another replica runs', async function () {
    this.timeout(60_000)
    current = await Dormouse.start(on(), SETTINGS)
    await here.cluster.create(here.namespace, [aWorkload(kind, 'marker')])
  })

  after(() => current.stop())

  it(`${pairs.length} pairs over ${kind} end as if the second had seen the first`, async () => {
    for (const names of both) {
      const objects = names.map((name) => aWorkload(kind, name))
      await here.cluster.create(here.namespace, objects)
      await inParallel(pairs, async ({ beginning }, index) => {
        for (const request of BEGINNINGS[beginning])
          await ask(current.api, here, kind, names[index]!, request)
      })
    }
    await seenBy(current.api, here.api)

    const thaw = here.proxy.freeze(kind)
    const [frozen] = here.proxy.watches(kind)
    for (const names of both)
      await inParallel(pairs, ({ first }, index) => perform(current.api, here, kind, names[index]!, first))
    await seenBy(current.api)
    // Another watch may bring them later than that of the current replica.
    await eventually('the events that the stale replica has not got', () => {
      if (!frozen?.hasEnded) expect(frozen?.held).to.be.greaterThan(pairs.length)
      return true
    })
    const calls = here.proxy.calls.length
    const expected = await seconds(current.api, fresh)
    const answers = await seconds(here.api, stale)
    expect(here.proxy.watches(kind)[0], 'its view was stale to the end').to.equal(frozen)
    const reads = here.proxy.calls.slice(calls).filter(({ verb }) => verb === 'get').length
    thaw()
    await seenBy(current.api, here.api)

    print([
      `${pairs.length} pairs over ${kind} on ${here.cluster.name}: ${tally(answers)}; the stale replica read ${reads} live`,
    ])
    const wanted: Record<string, unknown> = named(expected.map(outcomeOf))
    const found: Record<string, unknown> = named(answers.map(outcomeOf))
    for (const [name, outcome] of Object.entries(found))
      expect(outcome, `the answer to ${name}`).to.deep.equal(wanted[name])
    expect(named(await shown(here.api, stale)), 'records').to.deep.equal(
      named(await shown(current.api, fresh)),
    )
    expect(named(await written(stale)), 'marks').to.deep.equal(named(await written(fresh)))
  })

  const seconds = (api: ApiClient, names: readonly string[]) =>
    inParallel(pairs, ({ second }, index) => ask(api, here, kind, names[index]!, second))

  const shown = (api: ApiClient, names: readonly string[]) =>
    inParallel(names, async (name) =>
      outcomeOf(await api.workload(kind, here.namespace, name).attempt('GET', '')),
    )

  async function written(names: readonly string[]): Promise<unknown[]> {
    const objects = new Map((await here.list(kind)).map((object) => [object.metadata.name, object]))
    return names.map((name) => {
      const object = objects.get(name)
      if (!object) return 'there is none'
      const { replicas, label, enabled, schedule, state } = marksOf(object)
      const { asleep, pin, override } = state ?? {}
      return {
        replicas,
        label,
        enabled,
        schedule,
        asleep,
        pin: pin?.state,
        overridden: override !== undefined,
      }
    })
  }

  /** Resolves once these replicas have seen all that was written before. */
  async function seenBy(...apis: ApiClient[]): Promise<void> {
    markers += 1
    const schedule = `0:00-${markers}:00`
    await annotate(here, kind, 'marker', { [ANNOTATION.schedule]: schedule })
    for (const api of apis)
      await eventually('the marker to be seen', async () => {
        const { wake_schedule: seen } = await api.workload(kind, here.namespace, 'marker').status()
        return seen === schedule
      })
  }

  const named = (values: readonly unknown[]) =>
    Object.fromEntries(titles.map((title, index) => [title, values[index]]))
}

/** A record or a refusal without times and names. */
function outcomeOf({ status, body }: ApiAnswer): unknown {
  if (status !== 200) return { status, code: body.error.code }
  const { data } = body
  return {
    enabled: data.enabled,
    asleep: data.is_snoozed,
    count: data.type === 'daemonset' ? undefined : [data.current_replicas, data.last_replicas],
    requested: [data.snooze_requested, data.wake_requested],
    schedule: data.wake_schedule,
    pin: data.pin_state,
    override: [data.has_manual_override, data.manual_override_until],
    next: data.next_transition?.type,
    history: data.operation_history.map(({ type, trigger, by }) => ({ type, trigger, by })),
  }
}

/** How often each status came. */
function tally(answers: readonly ApiAnswer[]): string {
  const counts = Map.groupBy(answers, ({ status }) => status)
  return [...counts].map(([status, { length }]) => `${length} × ${status}`).join(', ')
}

import { expect } from 'chai'
import fc from 'fast-check'
import { Inheritance } from '../../../src/domain/policy/inheritance.ts'
import type { Rules } from '../../../src/domain/deciding/rules.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { aNamespace } from '../../domain/policy/inheriting.ts'
import { FollowedTracker } from './followed.ts'
import { asleep, aWorkload, NOW, withState } from './workload.ts'
import { RULES } from '../../support/rules.ts'

const HOUR = 3_600_000

function aTracker({ leading = true } = {}) {
  const tracker = new FollowedTracker(RULES)
  const { time } = tracker
  if (leading) tracker.lead(true)
  return {
    tracker,
    /** Less than nothing: the clock is set back. */
    pass: (seconds: number) => {
      if (seconds < 0) time.now += seconds * 1000
      else time.pass(seconds * 1000)
    },
    states: () =>
      Object.fromEntries(
        [...tracker.counts()].map(({ namespace, state, count }) => [`${namespace} ${state}`, count]),
      ),
    saved: (namespace = 'shop') => {
      const found = [...tracker.savings()].find((saved) => saved.namespace === namespace)
      return found && [found.replicaSeconds, found.coreSeconds, found.byteSeconds]
    },
  }
}

describe('the workloads that metrics show', () => {
  it('are counted by the first state that applies', () => {
    const { tracker, states } = aTracker()
    tracker.changed(undefined, aWorkload('awake'))
    tracker.changed(undefined, asleep(aWorkload('asleep')))
    const pin = { replicas: 3, at: NOW, by: 'k8s:me' }
    tracker.changed(undefined, withState(aWorkload('pinned'), { pin: { state: 'active', ...pin } }))
    tracker.changed(undefined, withState(aWorkload('down'), { pin: { state: 'snoozed', ...pin } }))
    tracker.changed(
      undefined,
      withState(aWorkload('held'), { override: { until: null, at: NOW, by: 'k8s:me' } }),
    )
    tracker.changed(undefined, aWorkload('broken', { annotations: { enabled: 'true', state: '{' } }))
    expect(states()).to.deep.equal({
      'shop awake': 1,
      'shop snoozed': 1,
      'shop pinned_active': 1,
      'shop pinned_snoozed': 1,
      'shop overridden': 1,
      'shop invalid': 1,
    })
  })

  it('leave out workloads that are not managed, and ReplicaSets that a Deployment owns', () => {
    const { tracker, states, saved } = aTracker()
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
    tracker.changed(undefined, aWorkload('plain', { annotations: {} }))
    tracker.changed(undefined, asleep(aWorkload('web-1', { kind: 'replicasets', owner })))
    expect(states()).to.deep.equal({})
    expect(saved()).to.equal(undefined)
  })

  it('leave out namespaces that are never touched', () => {
    const tracker = new FollowedTracker(RULES, undefined, ['shop'])
    tracker.changed(undefined, aWorkload())
    expect([...tracker.counts()]).to.deep.equal([])
    expect(tracker.coming.next('snooze', NOW)).to.equal(undefined)
  })

  it('move from state to state, and leave a 0 behind', () => {
    const { tracker, states } = aTracker()
    const awake = aWorkload()
    tracker.changed(undefined, awake)
    tracker.changed(awake, asleep(awake))
    expect(states()).to.deep.equal({ 'shop awake': 0, 'shop snoozed': 1 })
    tracker.changed(asleep(awake), undefined)
    expect(states()).to.deep.equal({})
  })

  it('are read again when they are told of twice as they are: what they inherit has changed', () => {
    const inheritance = new Inheritance([])
    let annotations = {}
    const rules: Rules = {
      ...RULES,
      inherited: (workload) => inheritance.of(aNamespace({ annotations })).by(workload),
    }
    const tracker = new FollowedTracker(rules)
    const web = aWorkload('web', { annotations: {} })
    tracker.changed(undefined, web)
    expect([...tracker.bySource]).to.deep.equal([])
    annotations = { enabled: 'true' }
    tracker.changed(web, web)
    expect([...tracker.bySource]).to.deep.equal([[{ source: 'namespace', state: 'awake' }, 1]])
    annotations = {}
    tracker.changed(web, web)
    expect([...tracker.bySource]).to.deep.equal([[{ source: 'namespace', state: 'awake' }, 0]])
  })

  it('are forgotten with their namespaces, though nothing is ever scraped', () => {
    const { tracker, pass } = aTracker()
    for (let day = 0; day < 30; day++) {
      const web = aWorkload('web', { namespace: `preview-${day}` })
      tracker.changed(undefined, web)
      tracker.changed(web, undefined)
      pass(24 * 3600)
    }
    expect(tracker.size).to.equal(1)
  })

  it('are counted once however often a relist tells of them', () => {
    const { tracker, states } = aTracker()
    for (let i = 0; i < 3; i++) tracker.changed(undefined, aWorkload())
    expect(states()).to.deep.equal({ 'shop awake': 1 })
  })

  it('leave a state when it ends by time alone', () => {
    const { tracker, states, pass } = aTracker()
    tracker.changed(
      undefined,
      withState(aWorkload('a'), { override: { until: NOW + HOUR, at: NOW, by: 'k8s:me' } }),
    )
    const backoff = { until: NOW + 2 * HOUR, times: 1, cause: 'flapping' as const }
    tracker.changed(undefined, withState(aWorkload('b'), { backoff }))
    expect(states()).to.deep.equal({ 'shop overridden': 1, 'shop backoff': 1 })
    pass(3600)
    expect(states()).to.deep.equal({ 'shop overridden': 0, 'shop backoff': 1, 'shop awake': 1 })
    pass(3600)
    expect(states()).to.deep.equal({ 'shop overridden': 0, 'shop backoff': 0, 'shop awake': 2 })
  })
})

describe('the requests of workloads', () => {
  it('are shown of those asleep and of those awake, by namespace', () => {
    const { tracker } = aTracker()
    const shares = () =>
      Object.fromEntries(
        [...tracker.shares()].map((share) => [
          `${share.namespace} ${share.state}`,
          [share.replicas, share.microcores, share.bytes],
        ]),
      )
    const web = aWorkload()
    tracker.changed(undefined, web)
    tracker.changed(undefined, aWorkload('other', { replicas: 1 }))
    tracker.changed(undefined, aWorkload('broken', { annotations: { enabled: 'true', state: '{' } }))
    expect(shares()).to.deep.equal({ 'shop asleep': [0, 0, 0], 'shop awake': [4, 2_000_000, 4000] })
    tracker.changed(web, asleep(web))
    expect(shares()).to.deep.equal({ 'shop asleep': [3, 1_500_000, 3000], 'shop awake': [1, 500_000, 1000] })
  })

  it('are not shown for a namespace without workloads', () => {
    const { tracker } = aTracker()
    tracker.changed(undefined, aWorkload())
    tracker.changed(aWorkload(), undefined)
    expect([...tracker.shares()]).to.deep.equal([])
  })
})

describe('savings', () => {
  it('stop when a sleeping workload is found running, or is deleted', () => {
    const { tracker, pass, saved } = aTracker()
    const sleeper = asleep(aWorkload())
    tracker.changed(undefined, sleeper)
    tracker.changed(sleeper, { ...sleeper, replicas: 2 })
    pass(10)
    expect(saved()?.[0]).to.equal(0)
    tracker.changed({ ...sleeper, replicas: 2 }, sleeper)
    pass(10)
    tracker.changed(sleeper, undefined)
    pass(10)
    expect(saved()?.[0]).to.equal(30)
  })

  it('count only while this replica leads', () => {
    const { tracker, pass, saved } = aTracker({ leading: false })
    tracker.changed(undefined, asleep(aWorkload()))
    pass(10)
    expect(saved()?.[0]).to.equal(0)
    tracker.lead(true)
    pass(10)
    tracker.lead(false)
    pass(10)
    tracker.lead(true)
    pass(10)
    expect(saved()?.[0]).to.equal(60)
  })

  it('are still exported for an hour after the last workload of a namespace was deleted, then dropped', () => {
    const { tracker, pass, saved } = aTracker()
    const sleeper = asleep(aWorkload())
    tracker.changed(undefined, sleeper)
    pass(10)
    tracker.changed(sleeper, undefined)
    pass(3600)
    expect(saved()?.[0]).to.equal(30)
    pass(1)
    saved()
    expect(saved()).to.equal(undefined)
  })

  it('of namespaces without workloads are dropped by a replica that does not lead', () => {
    const { tracker, saved } = aTracker({ leading: false })
    tracker.changed(undefined, aWorkload('a'))
    tracker.changed(aWorkload('a'), undefined)
    expect(saved()).to.equal(undefined)
    tracker.lead(true)
    tracker.changed(undefined, aWorkload('a'))
    tracker.changed(aWorkload('a'), undefined)
    expect(saved()).to.deep.equal([0, 0, 0])
    tracker.lead(false)
    expect(saved()).to.equal(undefined)
  })

  it('never decrease, whatever happens and even if the clock goes back, and stand still when all are awake', () => {
    const step = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      to: fc.constantFrom('awake', 'asleep', 'gone'),
      cpu: fc.constantFrom(0.1, 0.2, 0.7, 1e-6),
      replicas: fc.integer({ min: 0, max: 1000 }),
      seconds: fc.integer({ min: -100, max: 1000 }),
    })
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const { tracker, pass, saved } = aTracker()
        tracker.changed(undefined, aWorkload('always'))
        const known = new Map<string, Workload>()
        let last = [0, 0, 0]
        const grows = () => {
          const now = saved() ?? [0, 0, 0]
          now.forEach((value, index) => expect(value).to.be.at.least(last[index]!))
          last = now
        }
        const turn = (name: string, after: Workload | undefined) => {
          tracker.changed(known.get(name), after)
          if (after) known.set(name, after)
          else known.delete(name)
        }
        for (const { name, to, cpu, replicas, seconds } of steps) {
          const workload = aWorkload(name, { replicas, requests: { cpu, memory: 1e9 } })
          turn(name, to === 'gone' ? undefined : to === 'awake' ? workload : asleep(workload))
          pass(seconds)
          grows()
        }
        for (const name of known.keys()) turn(name, aWorkload(name))
        const before = saved()
        pass(3000)
        expect(saved()).to.deep.equal(before)
      }),
    )
  })
})

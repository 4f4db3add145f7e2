import { expect } from 'chai'
import { readWorkload } from '../../../src/domain/workload/reading.ts'
import { listedRecord, statusRecord } from '../../../src/domain/records/record.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import {
  passesFilter,
  STATE_FILTERS,
  WORKLOAD_STATES,
  workloadState,
} from '../../../src/domain/records/workload-state.ts'
import { asked, followed, stepped } from '../../support/decisions.ts'
import { at, HOUR, iso, RULES } from '../../support/rules.ts'
import { sleepingBy, type KindSettings } from '../../../src/domain/sleeping/configured.ts'
import { aCronJob, aDaemonSet, aDeployment, aReplicaSet, aStatefulSet } from '../../support/workloads.ts'
import { asleep, awake, NIGHT, NOON, WORK } from '../fixtures.ts'

const record = (workload: Workload, now = NOON) => statusRecord(workload, now, RULES)

/** The record of a workload awake by schedule: every field. */
const OF_AWAKE = {
  name: 'web',
  namespace: 'shop',
  type: 'deployment',
  enabled: true,
  current_replicas: 3,
  last_replicas: 3,
  ready_replicas: 3,
  phase: 'awake',
  held_by: null,
  is_snoozed: false,
  snooze_requested: false,
  wake_requested: false,
  snoozed_at: null,
  woken_at: iso(at('Mon 8:00')),
  wake_schedule: WORK,
  timezone: 'UTC',
  has_manual_override: false,
  manual_override_until: null,
  pin_state: 'none',
  in_backoff_period: false,
  backoff_until: null,
  late: false,
  trouble: null,
  waits_for: 'pods',
  operation_in_progress: false,
  recent_operations: 0,
  operation_history: [
    {
      type: 'wake',
      trigger: 'schedule',
      timestamp: iso(at('Mon 8:00')),
      replicas: 3,
      duration: 1000,
      by: null,
      result: 'succeeded',
    },
  ],
  policy: {
    enabled: { value: true, source: 'workload' },
    schedule: { value: WORK, source: 'workload' },
    timezone: { value: 'UTC', source: 'default' },
    calendar: { value: null, source: null },
    auto_wake: { value: true, source: 'default' },
    deploy_wakes: { value: false, source: 'default' },
    asleep_replicas: { value: 0, source: 'default' },
    wake_on_traffic: { value: 'off', source: 'default' },
    traffic_hold: { value: null, source: null },
  },
  next_transition: {
    at: iso(at('Mon 18:00')),
    type: 'snooze',
    reason: `asleep by schedule ${WORK} (UTC) until 2026-03-03T08:00:00Z`,
  },
  reason: `awake by schedule ${WORK} (UTC) until 2026-03-02T18:00:00Z`,
  reason_code: 'schedule',
  reason_values: {
    schedule: WORK,
    timezone: 'UTC',
    calendar: '',
    source: 'workload',
    until: '2026-03-02T18:00:00Z',
  },
  remedy: null,
}

describe('the status record', () => {
  it('of a released cluster says who released it and since when, and foretells nothing', () => {
    const released = { by: 'ana', since: '2026-03-02T05:37:00Z' }
    const rules = { ...RULES, released: () => released }
    expect(statusRecord(awake, NOON, rules)).to.deep.include({
      phase: 'awake',
      reason: 'released by ana since 2026-03-02T05:37:00Z: nothing is automatic',
      reason_code: 'released',
      reason_values: released,
      next_transition: null,
    })
    const unmanaged = aDeployment('shop/web').withReplicas(3)
    expect(statusRecord(unmanaged, NOON, rules).reason).to.equal(record(unmanaged).reason)
  })

  const shapes: Record<string, Workload> = {
    'of what was never managed': aDeployment(),
    'of what is awake': awake,
    'of what is asleep': asleep,
    'of what was disabled': awake
      .annotated({ enabled: 'false' })
      .remembering({ history: asleep.state().history }),
    'with everything at once': asleep.pinned().overridden().inBackoff(at('Tue 9:00')),
    'of a DaemonSet': aDaemonSet().enabled(),
    'with an invalid schedule': awake.scheduled('whenever'),
    'of what cannot be read': aDeployment().annotated({ state: '{' }),
  }
  for (const [what, workload] of Object.entries(shapes)) {
    it(`${what} has every field, and none is undefined`, () => {
      const listed = listedRecord(workload, NOON, RULES)
      expect(listed).to.have.all.keys(Object.keys(OF_AWAKE))
      expect(Object.values(listed)).not.to.include(undefined)
      expect(JSON.parse(JSON.stringify(listed))).to.deep.equal(listed)
    })
  }

  it('of a workload awake by schedule', () => {
    expect(record(awake)).to.deep.equal(OF_AWAKE)
  })

  it('says what its moves wait for: by its form, and by the words of its operator', () => {
    const by = (settings: Partial<KindSettings>) => {
      const sleeping = sleepingBy({ resource: 'boxes.example.com', ...settings })
      const configured = { apiVersion: 'example.com/v1', kind: 'Box', sleeping }
      return record(awake.with({ kind: 'boxes.example.com', configured })).waits_for
    }
    const off = { path: '.spec.off', asleep: true, awake: false }
    const ready = { path: '.status.state', equals: 'ready' }
    expect([record(aDaemonSet()), record(aCronJob())].map((each) => each.waits_for)).to.deep.equal([
      'pods',
      'nobody',
    ])
    expect([
      by({}),
      by({ awakeWhen: ready }),
      by({ switch: off }),
      by({ switch: off, awakeWhen: ready }),
    ]).to.deep.equal(['pods', 'pods', 'nobody', 'operator'])
  })

  describe('of what misses pods', () => {
    const trouble = { code: 'FailedCreate', message: 'exceeded quota: q' }
    const pods = { existing: 1, ready: 1, observedGeneration: 9, trouble }
    const waking = awake.inProgress({ type: 'wake', at: NOON }).with({ pods })
    const [running] = waking.state().history
    const late = waking.remembering({
      history: [{ ...running!, result: 'timed_out', duration: RULES.policy.operationTimeout }],
    })
    const TIMEOUT = NOON + RULES.policy.operationTimeout

    it('trouble is what its own conditions say', () => {
      expect(record(waking)).to.deep.include({ phase: 'waking', late: false, trouble })
      expect(record(awake.with({ pods })), 'whoever asked for the pods').to.deep.include({ trouble })
    })

    it('late is what a wake has not brought within operationTimeout, before and after that is written', () => {
      expect(record(waking, TIMEOUT - 1)).to.include({ phase: 'waking', late: false })
      expect(record(waking, TIMEOUT)).to.include({ phase: 'awake', late: true })
      expect(record(late, TIMEOUT)).to.deep.include({ phase: 'awake', late: true, trouble })
    })

    it('neither once the pods are ready, though the condition stays, or once it sleeps or is not managed', () => {
      const none = { late: false, trouble: null }
      const ready = late.with({ pods: { ...pods, existing: 3, ready: 3 } })
      expect(record(ready, TIMEOUT)).to.deep.include(none)
      const sleeper = late.snoozed({ at: TIMEOUT })
      expect(record(sleeper.with({ pods: { ...pods, existing: 1 } }), TIMEOUT)).to.deep.include(none)
      expect(record(late.annotated({ enabled: 'false' }), TIMEOUT)).to.include({ late: false })
    })

    it('the filter late finds it, beside its state', () => {
      const read = (workload: Workload) => readWorkload(workload, RULES)
      const passing = (workload: Workload, now: number) =>
        STATE_FILTERS.filter((filter) => passesFilter(read(workload), filter, now, RULES))
      expect(passing(late, TIMEOUT)).to.deep.equal(['awake', 'late'])
      expect(passing(waking, TIMEOUT)).to.deep.equal(['awake', 'late'])
      expect(passing(waking, TIMEOUT - 1)).to.deep.equal(['awake'])
      expect(passing(late.pinned(), TIMEOUT)).to.deep.equal(['pinned_active', 'late'])
      expect(passing(late.annotated({ enabled: 'false' }), TIMEOUT)).to.deep.equal(['unmanaged'])
      expect(passing(late.annotated({ state: '{' }), TIMEOUT)).to.deep.equal(['invalid'])
    })

    it('late stays so while a pin or an override holds it', () => {
      expect(record(late.pinned(), TIMEOUT)).to.include({ late: true, held_by: 'pin' })
      expect(record(late.overridden(), TIMEOUT)).to.include({ late: true, held_by: 'override' })
    })
  })

  it('type is the kind in the singular', () => {
    expect(
      [aDeployment(), aStatefulSet(), aDaemonSet(), aReplicaSet()].map((workload) => record(workload).type),
    ).to.deep.equal(['deployment', 'statefulset', 'daemonset', 'replicaset'])
  })

  it('current_replicas is the count asked for now; of a DaemonSet 0 while the key is there', () => {
    expect(record(awake.scaledByHand(5)).current_replicas).to.equal(5)
    const agent = aDaemonSet().withReplicas(4).enabled()
    expect(record(agent).current_replicas).to.equal(4)
    expect(record(agent.snoozed({ at: NOON })).current_replicas).to.equal(0)
  })

  it('last_replicas is the count it wakes to; awake, the count before the latest snooze, else the current one', () => {
    expect(record(asleep).last_replicas).to.equal(3)
    expect(record(asleep.woken({ at: at('Tue 8:00') }).scaledByHand(7)).last_replicas).to.equal(3)
    expect(record(awake.scaledByHand(7)).last_replicas).to.equal(7)
    expect(
      record(aDaemonSet().withReplicas(4).enabled().snoozed({ at: NOON }).with({ replicas: 0 }))
        .last_replicas,
    ).to.equal(4)
  })

  it('is_snoozed, snoozed_at and woken_at are of the latest', () => {
    expect(record(asleep, NIGHT)).to.deep.include({
      is_snoozed: true,
      snoozed_at: iso(at('Mon 18:00')),
      woken_at: iso(at('Mon 8:00')),
    })
  })

  it('snooze_requested and wake_requested are of the intent in force', () => {
    const limited = asked(awake, { action: 'snooze', for: HOUR }, NOON).after
    const plain = asked(awake, { action: 'snooze' }, NOON).after
    const woken = asked(asleep, { action: 'wake' }, NIGHT).after
    expect(record(limited, at('Mon 12:59'))).to.include({ snooze_requested: true, wake_requested: false })
    expect(record(limited, at('Mon 13:00'))).to.include({ snooze_requested: false, wake_requested: false })
    expect(record(plain, at('Mon 17:59'))).to.include({ snooze_requested: true })
    expect(record(plain, at('Mon 18:00'))).to.include({ snooze_requested: false })
    expect(record(woken, at('Tue 7:59'))).to.include({ snooze_requested: false, wake_requested: true })
    expect(record(woken, at('Tue 8:00'))).to.include({ wake_requested: false })
    expect(record(stepped(asleep.scaledByHand(3), NIGHT).after, NIGHT)).to.include({ wake_requested: false })
  })

  it('shows an override in effect: until = null is permanent', () => {
    expect(record(awake.overridden())).to.include({ has_manual_override: true, manual_override_until: null })
    expect(record(awake.overridden(at('Mon 13:00')))).to.include({
      has_manual_override: true,
      manual_override_until: iso(at('Mon 13:00')),
    })
    expect(record(awake.overridden(NOON))).to.include({
      has_manual_override: false,
      manual_override_until: null,
    })
  })

  it('phase is asleep or awake, and where pods still follow falling asleep or waking', () => {
    expect(record(asleep).phase).to.equal('asleep')
    expect(record(asked(awake, { action: 'snooze' }, NOON).after).phase).to.equal('falling_asleep')
    expect(record(asked(asleep, { action: 'wake' }, NIGHT).after, NIGHT).phase).to.equal('waking')
  })

  it('held_by is the first of pin, override and backoff', () => {
    const held = awake.inBackoff(NIGHT)
    expect(
      [held, held.overridden(), held.overridden().pinned()].map((each) => record(each).held_by),
    ).to.deep.equal(['backoff', 'override', 'pin'])
  })

  it('shows pin and backoff', () => {
    expect(record(awake.pinned()).pin_state).to.equal('active')
    expect(record(asleep.pinned()).pin_state).to.equal('snoozed')
    expect(record(awake.inBackoff(NIGHT))).to.include({ in_backoff_period: true, backoff_until: iso(NIGHT) })
    expect(record(awake.inBackoff(NOON))).to.include({ in_backoff_period: false, backoff_until: null })
  })

  it('shows the operation in progress, its duration so far', () => {
    const { after } = asked(awake, { action: 'snooze' }, NOON)
    const running = record(after, NOON + 1500)
    expect(running.operation_in_progress).to.equal(true)
    expect(running.operation_history[0]).to.include({
      duration: 1500,
      result: 'running',
      replicas: 0,
      by: 'k8s:carol',
    })
  })

  it('recent_operations are those within backoff.window', () => {
    const once = followed(asked(awake, { action: 'snooze' }, NOON).after)
    expect(record(once, NOON + HOUR - 1).recent_operations).to.equal(1)
    expect(record(once, NOON + HOUR).recent_operations).to.equal(0)
  })

  it('of an unmanaged workload: enabled and is_snoozed false, schedule and history as kept, no next transition', () => {
    const disabled = asked(asleep, { action: 'disable' }, NIGHT).after
    const shown = record(disabled, NIGHT)
    expect(shown).to.deep.include({
      enabled: false,
      is_snoozed: false,
      wake_schedule: WORK,
      next_transition: null,
    })
    expect(shown.operation_history).to.have.length(3)
    const byHand = record(asleep.pinned().overridden().annotated({ enabled: 'false' }), NIGHT)
    expect(byHand).to.include({
      enabled: false,
      is_snoozed: false,
      pin_state: 'none',
      has_manual_override: false,
    })
  })

  it('with an invalid schedule: wake_schedule null, and the reason says so', () => {
    for (const workload of [
      awake.scheduled('whenever'),
      awake.scheduled('whenever').pinned(),
      awake.scheduled(WORK, 'Mars/Base'),
    ]) {
      const { wake_schedule, reason, next_transition } = record(workload)
      expect(wake_schedule).to.equal(null)
      expect(next_transition).to.equal(null)
      expect(reason).to.match(/dormouse\.dev\/(schedule|timezone): /)
    }
  })

  it("shows the service's zone where the workload has none", () => {
    expect(record(awake).timezone).to.equal('UTC')
    expect(record(awake.scheduled(WORK, 'Asia/Tokyo')).timezone).to.equal('Asia/Tokyo')
  })
})

describe('a workload whose state cannot be read', () => {
  const broken = asleep.annotated({ state: '{"v":9}' })

  it('is 422 INVALID_STATE to GET', () => {
    expect(() => record(broken))
      .to.throw(/version 9/)
      .with.property('code', 'INVALID_STATE')
  })

  it('is listed from spec, label and key, the rest null, false, 0, none or empty', () => {
    const listed = listedRecord(broken, NIGHT, RULES)
    const shown = {
      name: 'web',
      namespace: 'shop',
      type: 'deployment',
      phase: 'asleep',
      is_snoozed: true,
      current_replicas: 0,
      last_replicas: 3,
      ready_replicas: 0,
      pin_state: 'none',
      waits_for: 'pods',
    }
    expect(listed).to.include(shown)
    const { policy, reason, reason_code, reason_values, remedy, ...rest } = listed
    expect(policy.enabled).to.deep.equal({ value: true, source: 'workload' })
    expect(reason).to.contain('version 9')
    expect(remedy).to.deep.equal({ action: 'enable', query: {} })
    expect([reason_code, Object.keys(reason_values)]).to.deep.equal(['invalid_state', ['fault']])
    for (const [name, value] of Object.entries(rest))
      if (!Object.hasOwn(shown, name)) expect([null, false, 0, [], undefined]).to.deep.include(value)
  })

  it('is listed as awake if it runs, and a DaemonSet by its key', () => {
    expect(listedRecord(broken.withReplicas(2), NIGHT, RULES).is_snoozed).to.equal(false)
    const agent = aDaemonSet().annotated({ state: '{' }).with({ snoozeKey: 'true' })
    expect(listedRecord(agent, NIGHT, RULES)).to.include({ is_snoozed: true, current_replicas: 0 })
  })

  it('a list never throws, not even of an owned ReplicaSet, which GET refuses with OWNED', () => {
    const owned = aReplicaSet().with({ owner: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } })
    expect(() => record(owned))
      .to.throw()
      .with.property('code', 'OWNED')
    expect(listedRecord(owned, NOON, RULES).name).to.equal('old')
  })
})

describe('the state that filters and metrics name', () => {
  it('is the first that applies', () => {
    const everything = asleep.inBackoff(at('Tue 9:00')).overridden()
    const ordered: [Workload, string][] = [
      [everything.pinned().annotated({ state: '{' }), 'invalid'],
      [everything.pinned().annotated({ enabled: 'false' }), 'unmanaged'],
      [awake.inBackoff(NIGHT).overridden().pinned(), 'pinned_active'],
      [everything.pinned(), 'pinned_snoozed'],
      [everything, 'overridden'],
      [asleep.inBackoff(at('Tue 9:00')), 'backoff'],
      [asleep, 'snoozed'],
      [awake, 'awake'],
    ]
    expect(ordered.map(([workload]) => workloadState(readWorkload(workload, RULES), NOON))).to.deep.equal(
      ordered.map(([, state]) => state),
    )
    expect(ordered.map(([, state]) => state)).to.deep.equal(WORKLOAD_STATES)
  })
})

describe('the reason of a workload that somebody scaled to 0', () => {
  it('says so, and how to bring it back', () => {
    const emptied = aDeployment('shop/web').enabled().withReplicas(0)
    const { reason, remedy, is_snoozed } = statusRecord(emptied, at('Mon 12:00'), RULES)
    expect(is_snoozed).to.equal(false)
    expect(reason).to.contain('scaled it to 0')
    expect(remedy).to.deep.equal({ action: 'wake', query: {} })
  })
})

import { expect } from 'chai'
import { asked, followed, stepped } from '../../support/decisions.ts'
import { at, MINUTE } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { asleep, awake, NIGHT, NOON, refusal, WORK } from '../fixtures.ts'

describe('enabling again', () => {
  it('with the same or no schedule changes nothing', () => {
    for (const schedule of [undefined, '', WORK, '08:00-18:00, Mon-Fri']) {
      const request = { action: 'enable', ...(schedule === undefined ? {} : { schedule }) } as const
      expect(asked(awake, request, NOON).change, schedule).to.equal(undefined)
    }
  })

  it('with another schedule is as PUT', () => {
    const hours = { schedule: '13:00-14:00', timezone: 'Asia/Tokyo' }
    const enabled = asked(awake, { action: 'enable', ...hours }, NOON)
    const put = asked(awake, { action: 'schedule', ...hours }, NOON)
    expect(enabled.after).to.deep.equal(put.after)
    expect(enabled.after.replicas).to.equal(0)
  })

  it('after a disable takes up the schedule it had', () => {
    const disabled = asked(asleep, { action: 'disable' }, NIGHT).after
    expect(disabled.replicas).to.equal(3)
    expect(asked(followed(disabled), { action: 'enable' }, NIGHT + MINUTE).after.replicas).to.equal(0)
  })
})

describe('PUT schedule', () => {
  it('with only `timezone` keeps the schedule', () => {
    const { after, state } = asked(awake, { action: 'schedule', timezone: 'Asia/Tokyo' }, NOON)
    expect(after.annotations).to.deep.include({ schedule: WORK, timezone: 'Asia/Tokyo' })
    expect(after.replicas).to.equal(0)
    expect(state.intent).to.deep.include({ want: 'asleep', by: 'k8s:carol' })
  })

  it('with {} or "" writes an empty one: none, whatever could be inherited', () => {
    for (const request of [{ action: 'schedule' }, { action: 'schedule', schedule: '' }] as const) {
      expect(asked(awake, request, NOON).after.annotations.schedule).to.equal('')
    }
  })

  it('without `timezone` keeps the zone, with "" removes it', () => {
    const tokyo = awake.scheduled(WORK, 'Asia/Tokyo')
    expect(asked(tokyo, { action: 'schedule', schedule: WORK }, NOON).after.annotations.timezone).to.equal(
      'Asia/Tokyo',
    )
    expect(asked(tokyo, { action: 'schedule', timezone: '' }, NOON).after.annotations).not.to.have.property(
      'timezone',
    )
  })

  it('writes the canonical form', () => {
    const { after } = asked(
      awake,
      { action: 'schedule', schedule: '09:00 - 17:30, monday-friday ; 10:00-12:00,sat' },
      NOON,
    )
    expect(after.annotations.schedule).to.equal('9:00-17:30,Mon-Fri;10:00-12:00,Sat')
  })

  it('leaves as it is what is inside the window of a schedule that only puts to sleep', () => {
    const itself = { autoWake: 'false' }
    const request = { action: 'schedule', schedule: '9:00-17:00' } as const
    for (const [workload, now, want] of [
      [awake.annotated(itself), NOON, 'awake'],
      [asleep.annotated(itself), at('Tue 12:00'), 'asleep'],
    ] as const) {
      const { state } = asked(workload, request, now)
      expect(state.intent).to.include({ want, trigger: 'schedule' })
      expect(state.asleep).to.equal(want === 'asleep')
    }
  })

  it('refuses an invalid schedule or zone with 400 and its JSON pointer', () => {
    const schedule = refusal(awake, { action: 'schedule', schedule: '8:00' })
    expect([schedule.code, schedule.details]).to.deep.equal([
      'VALIDATION_ERROR',
      { faults: [{ in: 'body', pointer: '/schedule', message: schedule.message.replace('schedule: ', '') }] },
    ])
    expect(refusal(awake, { action: 'schedule', timezone: 'Mars/Base' }).details).to.have.nested.property(
      'faults[0].pointer',
      '/timezone',
    )
  })

  it('replaces a schedule or zone that could not be read', () => {
    const broken = awake.scheduled('whenever')
    expect(asked(broken, { action: 'schedule', schedule: '20:00-22:00' }, NOON).after.replicas).to.equal(0)
    const nowhere = awake.scheduled(WORK, 'Mars/Base')
    expect(asked(nowhere, { action: 'schedule', timezone: '' }, NOON).after).to.deep.include({ replicas: 3 })
  })
})

describe('disable', () => {
  const held = {
    pinned: asleep.pinned(),
    overridden: asleep.overridden(),
    'in backoff': asleep.inBackoff(at('Tue 9:00')),
    asleep,
  }
  for (const [what, workload] of Object.entries(held)) {
    it(`wakes what is ${what}, clears pin, override, intent and backoff, and keeps schedule and history`, () => {
      const { after, state } = asked(workload, { action: 'disable' }, NIGHT)
      expect(after).to.deep.include({ replicas: 3, labels: {} })
      expect(after.annotations).to.deep.include({ enabled: 'false', schedule: WORK })
      expect(state).not.to.have.any.keys('pin', 'override', 'intent', 'backoff')
      expect(state.history[0]).to.include({ type: 'wake', trigger: 'disable', by: 'k8s:carol' })
      expect(state.history.slice(1)).to.deep.equal(workload.state().history)
      expect(stepped(after, NIGHT).change).to.equal(undefined)
    })
  }

  it('of what is awake leaves its pods', () => {
    const { after, state } = asked(awake, { action: 'disable' }, NOON)
    expect(after.replicas).to.equal(3)
    expect(state.history).to.deep.equal(awake.state().history)
  })
})

describe('a request whose settings alone are written', () => {
  it('promises no move that Dormouse still has to make, and names what the cluster refused before', () => {
    const hours = { action: 'schedule', schedule: '8:00-18:00' } as const
    const { deferred } = asked(awake.annotated({ schedule: '0:00-24:00' }), hours, NIGHT)
    expect(deferred).to.match(/^schedule set to .*, which is to put it to sleep now, 3 replicas kept: asleep/)
    const backoff = { until: NIGHT, times: 1, cause: 'failure', refusal: 'two replicas at least' } as const
    const refused = asked(awake.remembering({ backoff }).annotated({ schedule: '0:00-24:00' }), hours, NIGHT)
    expect(refused.deferred).to.match(
      /\. Before, the cluster refused the last attempt: two replicas at least$/,
    )
    expect(asked(asleep, { action: 'schedule', schedule: '8:00-22:00' }, NIGHT).deferred).to.include(
      ', which is to wake it now, to 3 replicas: ',
    )
  })
})

describe('a request that is not about sleep', () => {
  const unmanaged = aDeployment().withReplicas(3)
  const hours = { schedule: WORK, timezone: 'Europe/Berlin' }
  for (const [rule, workload, request, now, told] of [
    [
      'that puts it to sleep by the hours it gives says so at once, and until when',
      awake,
      { action: 'schedule', ...hours },
      NIGHT,
      'schedule set to 8:00-18:00,Mon-Fri (Europe/Berlin), which puts it to sleep now, 3 replicas kept: ' +
        'asleep by schedule 8:00-18:00,Mon-Fri (Europe/Berlin) until 2026-03-03T07:00:00Z',
    ],
    [
      'that enables it in hours of sleep says so, too',
      unmanaged,
      { action: 'enable', ...hours },
      NIGHT,
      'enabled, which puts it to sleep now, 3 replicas kept: ' +
        'asleep by schedule 8:00-18:00,Mon-Fri (Europe/Berlin) until 2026-03-03T07:00:00Z',
    ],
    [
      'that wakes it by the hours it gives says so',
      asleep,
      { action: 'schedule', schedule: '8:00-22:00' },
      NIGHT,
      'schedule set to 8:00-22:00 (UTC), which wakes it now, to 3 replicas: ' +
        'awake by schedule 8:00-22:00 (UTC) until 2026-03-02T22:00:00Z',
    ],
    [
      'that neither wakes it nor puts it to sleep says nothing of that',
      unmanaged,
      { action: 'enable', ...hours },
      NOON,
      'enabled: awake by schedule 8:00-18:00,Mon-Fri (Europe/Berlin) until 2026-03-02T17:00:00Z',
    ],
  ] as const) {
    it(rule, () => expect(asked(workload, request, now).message).to.equal(told))
  }
})

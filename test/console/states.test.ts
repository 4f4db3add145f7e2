import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { OPERATION_RESULTS } from '../../src/domain/workload/state.ts'
import type { Shown } from '../../src/console/page/address.ts'
import { buttonsOf, hours } from '../../src/console/page/actions.ts'
import { select } from '../../src/console/page/selection.ts'
import { textOf } from '../../src/console/page/doing.ts'
import { statusRecord, type StatusRecord } from '../../src/domain/records/record.ts'
import { savedSince } from '../../src/domain/records/saved.ts'
import { waitOf } from '../../src/console/page/record.ts'
import { aRecord, anAsleepRecord } from '../client/fake-dormouse.ts'
import { managed } from '../service/api/states.ts'
import { read } from '../support/readable.ts'
import type { Follower } from '../../src/domain/sleeping/follower.ts'
import { at, DAY, RULES } from '../support/rules.ts'
import { howOf, person } from '../../src/words/operation.ts'
import { followerOf, missingPods, podsCommand } from '../../src/words/pods.ts'
import { reasonOf } from '../../src/words/reason.ts'
import { savedReplicaHours } from '../../src/words/savings.ts'
import { isTroubled, stateOf } from '../../src/words/state.ts'
import { format, localised } from '../../src/words/time.ts'

const model = { pathOf: () => '/namespaces/shop/deployments/web' }

describe('what the console makes of a workload', () => {
  it('one whose state cannot be read needs repair, and has that button alone', () => {
    const reason = 'dormouse.dev/state cannot be read: not JSON'
    for (const enabled of [true, false]) {
      const { record } = aRecord('web', { enabled, reason, reason_code: 'invalid_state' })
      expect(stateOf(record)).to.equal('invalid')
      expect(buttonsOf(record, model).map(({ label }) => label)).to.deep.equal(['Repair'])
      expect(reasonOf(record, 0)).to.equal(reason)
    }
  })

  it('one whose pods did not come in time is Late, held or not, with what keeps them; an amber word is not all', () => {
    const trouble = { code: 'FailedCreate', message: 'exceeded quota: q' }
    for (const more of [{}, { pin_state: 'active' as const }]) {
      const { record } = aRecord('web', { ready_replicas: 1, late: true, trouble, ...more })
      expect(stateOf(record)).to.equal('late')
      expect(isTroubled(record)).to.equal(true)
      expect(missingPods(record)).to.equal('exceeded quota: q (FailedCreate)')
    }
    const late = aRecord('web', { late: true, trouble }).record
    const records = new Map([
      ['a', late],
      ['b', aRecord('api').record],
    ])
    const shown = {
      text: '',
      cluster: '',
      namespace: '',
      type: '',
      state: 'late',
      sort: '',
      open: '',
    } as const
    expect(select(records, shown).counts).to.include({ late: 1, awake: 1, managed: 2 })
    expect(select(records, { ...shown, sort: 'state' }).rows).to.deep.equal([late])
    expect(select(records, { ...shown, text: 'quota' }).found).to.equal(1)
  })

  it('one that is Late names the command that asks its pods, where the cluster says nothing of them', () => {
    const late = aRecord('web', { late: true }).record
    const passed = { code: 'ProgressDeadlineExceeded', message: 'it has timed out progressing' }
    for (const record of [late, { ...late, trouble: passed }])
      expect(podsCommand(record)).to.equal('kubectl dormouse why deployment/web -n shop')
    const inCluster = (cluster: string) => podsCommand(late, cluster)?.replace(/^.* -n shop /, '')
    expect(inCluster('arn:aws:eks:eu-west-1:1:cluster/dev')).to.equal(
      '--contexts arn:aws:eks:eu-west-1:1:cluster/dev',
    )
    expect(inCluster("bo's $(id)")).to.equal(String.raw`--contexts 'bo'\''s $(id)'`)
    for (const record of [
      { ...late, trouble: { code: 'FailedCreate', message: 'quota' } },
      aRecord('web').record,
    ])
      expect(podsCommand(record)).to.equal(undefined)
  })

  it('is counted as late above its namespace, and not among the awake', () => {
    const shown = {
      text: '',
      cluster: '',
      namespace: '',
      type: '',
      state: 'managed',
      sort: '',
      open: '',
    } as const
    const records = [aRecord('a', { late: true }), aRecord('b'), anAsleepRecord('c')].map(
      ({ record }) => record,
    )
    const [group] = select(new Map(records.map((record) => [record.name, record])), shown).rows
    expect(group).to.include({ late: 1, awake: 1, asleep: 1, leftAlone: 0 })
  })

  it('its sleep saved what the service counts, refused changes and running sleepers included', () => {
    const now = at('Tue 12:00')
    const operation = (type: 'snooze' | 'wake', time: string, result = 'succeeded') =>
      ({
        type,
        trigger: 'api',
        at: at(time),
        replicas: type === 'wake' ? 3 : 0,
        duration: 0,
        by: null,
        result,
      }) as const
    const slept = [operation('wake', 'Mon 14:00'), operation('snooze', 'Mon 12:00')]
    const snoozed = { at: at('Tue 8:00'), replicas: 3, trigger: 'api', by: null } as const
    const asleep = { asleep: true, snoozed, history: [operation('snooze', 'Tue 8:00'), ...slept] }
    const refused = [operation('wake', 'Tue 9:00'), operation('snooze', 'Tue 8:00', 'failed'), ...slept]
    const kept = { 'dormouse.dev/asleep': '3' }
    const suspended = { kind: 'cronjobs', replicas: 0, labels: { 'dormouse.dev/asleep': '1' } } as const
    for (const [hours, workload] of [
      [6, managed({ history: slept })],
      [18, managed(asleep, { replicas: 0, labels: kept })],
      [6, managed(asleep, { replicas: 3, labels: kept })],
      [6, managed({ history: refused })],
      [0, managed(asleep, suspended)],
    ] as const) {
      const record = statusRecord(workload, now, RULES)
      expect(savedReplicaHours(record, now)).to.equal(hours)
      expect(savedSince(read(workload), now - 7 * DAY, now).replicaSeconds / 3600).to.equal(hours)
    }
  })

  it('texts of the service have names as people know them, and times of the reader, wherever they stand', () => {
    const text = 'pinned asleep by k8s:admin since 2026-03-02T12:00:00Z'
    expect(localised(text, Date.parse('2026-03-02T12:00:00Z'))).to.match(
      /^pinned asleep by admin since \d\d:00$/,
    )
    expect(textOf(new Error(`shop/web: ${text}`))).to.include('by admin since')
    expect(person('review:ana')).to.equal('review:ana')
  })

  it('a record of a former release is neither late nor in trouble', () => {
    const { late: _l, trouble: _t, waits_for: _w, ...former } = aRecord('web').record
    expect(stateOf(former as typeof former & StatusRecord)).to.equal('awake')
    expect(missingPods(former as Partial<StatusRecord>)).to.equal(undefined)
    expect(followerOf(former), 'its counts are of pods').to.equal('pods')
    expect(followerOf({ ...former, type: 'cronjob' })).to.equal('nobody')
  })

  it('is in the table of docs/console.md with each button', () => {
    const records = [
      aRecord('web'),
      anAsleepRecord('web'),
      aRecord('web', { pin_state: 'active' }),
      aRecord('web', { has_manual_override: true }),
      aRecord('web', { reason_code: 'invalid_state' }),
    ]
    const labels = records.flatMap(({ record }) => buttonsOf(record, model)).map(({ label }) => label)
    const rows =
      readFileSync('docs/console.md', 'utf8')
        .match(/^\|.*$/gm)
        ?.join('\n') ?? ''
    expect(labels).to.include.members(['Snooze', 'Wake 4 h', 'Unpin', 'Resume schedule', 'Repair'])
    expect(labels.filter((label) => !rows.includes(label))).to.deep.equal([])
  })

  it('an Undo of hours brings back those of its own, and removes the others', () => {
    const set = (schedule: string | null, own: { schedule: boolean; timezone: boolean }) => {
      const { record } = aRecord('web')
      const from = (isOwn: boolean) => (isOwn ? ('workload' as const) : null)
      const policy = {
        ...record.policy,
        schedule: { value: schedule, source: from(own.schedule) },
        timezone: { value: 'Asia/Tokyo', source: from(own.timezone) },
      }
      const [call] = hours({ ...record, policy }, { schedule: '1:00-2:00' }, model).undo?.calls ?? []
      return [call?.path.split('/').at(-1), call?.body]
    }
    const both = { schedule: true, timezone: true }
    expect(set('8:00-18:00', both)).to.deep.equal([
      'schedule',
      { schedule: '8:00-18:00', timezone: 'Asia/Tokyo' },
    ])
    expect(set(null, { ...both, timezone: false })).to.deep.equal([
      'schedule',
      { schedule: '', timezone: '' },
    ])
    expect(set(null, { ...both, schedule: false })).to.deep.equal([
      'schedule?inherit=true',
      { timezone: 'Asia/Tokyo' },
    ])
  })

  it('an Undo of a wake that kept it awake leaves it awake for as long as before', () => {
    const undoOf = (more: Parameters<typeof aRecord>[1], id = 'awake') =>
      buttonsOf(aRecord('web', more).record, model)
        .find((button) => button.id === id)
        ?.undo?.calls.map(({ path }) => path.split('/').at(-1))
    expect(undoOf({})).to.deep.equal(['wake?for=1m&shorten=true'])
    const next = (hours: number) => ({
      wake_requested: true,
      next_transition: { at: new Date(Date.now() + hours * 3_600_000).toISOString(), type: 'snooze', reason: '' } as const, // prettier-ignore
    })
    expect(undoOf(next(2))).to.deep.equal(['wake?for=120m&shorten=true'])
    expect(undoOf(next(5)), 'nothing to undo: it stays awake for longer').to.equal(undefined)
  })

  it('an Undo of a resumed schedule holds as it was held, for as long', () => {
    const until = new Date(Date.now() + 90 * 60_000).toISOString()
    const { record } = aRecord('web', { has_manual_override: true, manual_override_until: until })
    const resume = buttonsOf(record, model).find(({ id }) => id === 'resume')
    expect(
      resume?.undo?.calls.map(({ method, path, body }) => [method, path.split('/').at(-1), body]),
    ).to.deep.equal([
      ['POST', 'wake', undefined],
      ['POST', 'override', { duration: '90m' }],
    ])
  })

  it('a link with an order or a filter that there is not shows the list all the same', () => {
    const shown = { text: '', cluster: '', namespace: '', type: '', state: 'all', open: '' } as const
    const records = new Map([['web', aRecord('web').record]])
    for (const sort of ['__proto__', '-valueOf', 'hasOwnProperty'])
      expect(select(records, { ...shown, sort } satisfies Shown).found, sort).to.equal(1)
  })

  it('has one state, the first that applies: not managed, pinned, schedule off, waiting, asleep or awake', () => {
    const state = (...given: Parameters<typeof aRecord>) => stateOf(aRecord(...given).record)
    expect(state('web')).to.equal('awake')
    expect(stateOf(anAsleepRecord('web').record)).to.equal('asleep')
    expect(state('web', { in_backoff_period: true })).to.equal('backoff')
    expect(state('web', { in_backoff_period: true, has_manual_override: true })).to.equal('override')
    expect(state('web', { has_manual_override: true, pin_state: 'active' })).to.equal('pin')
    expect(state('web', { enabled: false })).to.equal('unmanaged')
    expect(state('web', { pin_state: 'active', enabled: false })).to.equal('pin')
  })

  it('says what one that was switched too often waits for, and until when', () => {
    const waiting = { in_backoff_period: true, backoff_until: '2026-03-02T12:05:00.000Z' }
    expect(waitOf(aRecord('web', waiting).record, Date.parse('2026-03-02T12:00:00Z'))).to.match(
      /^Switched too often: its schedule and Snooze wait until \d\d:05\. Wake works at once\.$/,
    )
    const refused = { ...waiting, reason_values: { cause: 'failure' } }
    expect(waitOf(aRecord('web', refused).record, 0)).to.match(
      /^The cluster refused .*A click tries at once\.$/,
    )
    expect(waitOf(aRecord('web', { ...waiting, has_manual_override: true }).record, 0)).to.equal(undefined)
    expect(waitOf(aRecord('web').record, 0)).to.equal(undefined)
  })

  it('its week is shown by the clocks of UTC where its zone is none', () => {
    const hour = { hour: '2-digit', minute: '2-digit' } as const
    const at = Date.parse('2026-03-02T12:00:00Z')
    expect(format(hour, 'Mars/Olympus').format(at)).to.equal(format(hour, 'UTC').format(at))
  })

  it('the history says of each operation how it came about, and what became of those that did not succeed', () => {
    expect(howOf({ trigger: 'api', result: 'succeeded' }, 'pods')).to.equal('on request')
    expect(howOf({ trigger: 'constructor', result: 'toString' }, 'pods')).to.equal('constructor, toString')
    for (const [by, late] of Object.entries({
      pods: 'pods came too late',
      operator: 'its operator came too late',
      nobody: 'took too long',
    }) as [Follower, string][]) {
      const all = OPERATION_RESULTS.map((result) => howOf({ trigger: 'api', result }, by))
      expect(new Set(all)).to.have.length(OPERATION_RESULTS.length)
      expect(all.join()).to.include(`on request, ${late}`).and.not.include('undefined')
    }
  })
})

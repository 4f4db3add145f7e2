import { expect } from 'chai'
import type { Action } from '../../src/console/page/action.ts'
import { buttonsOf, until } from '../../src/console/page/actions.ts'
import type { Call } from '../../src/console/page/api.ts'
import type { Model } from '../../src/console/page/model.ts'
import type { Workload } from '../../src/console/page/record.ts'
import { guarded, isOthersNow, undoOf } from '../../src/console/page/undo.ts'
import { Service, token } from '../service/api/service.ts'
import { managed } from '../service/api/states.ts'
import { HOUR, MINUTE } from '../support/rules.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'

const KEY = { kind: 'deployments', namespace: 'shop', name: 'web' } as const
const PATH = '/namespaces/shop/deployments/web'
const model = { pathOf: () => PATH } as unknown as Model
const [BY_DAY, BY_NIGHT] = [awakeNow(), asleepNow()]

/** How it came to be as it was, by Bob: his requests one after the other. */
const BEFORE: Readonly<Record<string, readonly [schedule: string, ...calls: string[]]>> = {
  'awake by schedule': [BY_DAY],
  'asleep by schedule': [BY_NIGHT, 'POST snooze'],
  'awake without a schedule': [''],
  'asleep by day': [BY_DAY, 'POST snooze'],
  'asleep for a time': [BY_DAY, 'POST snooze?for=3h'],
  'asleep for a time by night': [BY_NIGHT, 'POST snooze?for=10h'],
  'kept awake for a time': [BY_DAY, 'POST wake?for=11h'],
  'woken by night': [BY_NIGHT, 'POST snooze', 'POST wake'],
  'woken for a time by night': [BY_NIGHT, 'POST snooze', 'POST wake?for=3h'],
  'pinned awake': [BY_NIGHT, 'POST wake?for=3h', 'POST pin'],
  'pinned asleep': [BY_DAY, 'POST snooze', 'POST pin'],
  'switched off, awake': [BY_NIGHT, 'POST wake', 'POST override'],
  'switched off, asleep': [BY_DAY, 'POST snooze', 'POST override'],
  'switched off for a time': [BY_DAY, 'POST override 2h'],
}

/** A person's acts in the page, by the request that each button sends; undefined: there is no such button. */
const ACTS: Readonly<Record<string, (record: Workload) => Action | undefined>> = {
  ...Object.fromEntries(
    ['wake', 'awake', 'snooze', 'keep', 'resume', 'pin', 'unpin', 'disable'].map((id) => [
      id,
      (record: Workload) => buttonsOf(record, model).find((each) => each.id === id),
    ]),
  ),
  'wake until': (record) => until('wake', Date.now() + 5 * HOUR, Date.now(), record, model),
  'snooze until': (record) => until('snooze', Date.now() + 5 * HOUR, Date.now(), record, model),
  'all: wake': (record) => ofMany('wake', 'POST wake?for=4h', record),
  'all: snooze': (record) => ofMany('snooze', 'POST snooze', record),
  'all: override': (record) => ofMany('override', 'POST override', record),
  'all: resume': (record) => ofMany('resume', 'DELETE override', record),
  'all: pin': (record) => ofMany('pin', 'POST pin', record),
  'all: unpin': (record) => ofMany('unpin', 'DELETE pin', record),
}

/** A workload of a request for many. */
function ofMany(act: Parameters<typeof undoOf>[0], call: string, record: Workload): Action {
  const undo = undoOf(act, record, model)
  return { need: 'scale', title: act, calls: [callOf(call)], ...(undo && { undo }) }
}

function callOf(text: string): Call {
  const [method, last, duration] = text.split(' ')
  const body = duration === undefined ? {} : { body: { duration } }
  return { method: method as Call['method'], path: `${PATH}/${last}`, ...body }
}

describe('an Undo of the console', function () {
  this.timeout(60_000)
  let service: Service
  let tokens: Readonly<Record<'ana' | 'bob', string>>

  before(async () => {
    service = await Service.start()
    const seconds = Math.floor(Date.now() / 1000)
    const until = { iat: seconds - 1800, exp: seconds + 1800 }
    const of = (sub: string) => token({ claims: { ...until, sub } })
    tokens = { ana: await of('ana'), bob: await of('bob') }
  })
  after(async () => await service?.stop())

  const send = async (who: 'ana' | 'bob', { method, path, body }: Call) => {
    const given = { token: tokens[who], ...(body && { body }) }
    const answer = await service.call(`${method} /api/v1${path}`, given)
    return { ...answer, record: answer.body.data as unknown as Workload }
  }
  const now = async () => (await send('ana', { method: 'GET', path: PATH })).record
  /** As Bob made it, a while ago. */
  const begin = async ([schedule, ...calls]: readonly [string, ...string[]]) => {
    service.now = Date.now() - 20 * MINUTE
    service.cluster.put(managed({}, { replicas: 3, annotations: schedule === '' ? {} : { schedule } }))
    for (const call of calls) expect((await send('bob', callOf(call))).status, call).to.equal(200)
    service.now = Date.now()
    return now()
  }
  /** Instants within two minutes of each other count as the same: requests take whole minutes. */
  const same = (a: string | null | undefined, b: string | null | undefined) =>
    a && b ? Math.abs(Date.parse(a) - Date.parse(b)) <= 2 * MINUTE : (a ?? null) === (b ?? null)

  for (const [was, made] of Object.entries(BEFORE))
    it(`brings back what was ${was}, whatever was clicked`, async () => {
      let taken = 0
      for (const [name, actOn] of Object.entries(ACTS)) {
        const before = await begin(made)
        const act = actOn(before)
        if (!act) continue
        let after = before
        const answers = []
        for (const call of act.calls) {
          const answer = await send('ana', call)
          answers.push(answer.status)
          if (answer.status === 200) after = answer.record
        }
        if (answers.includes(409) || JSON.stringify(after) === JSON.stringify(before)) continue
        const undo = guarded(act.undo, before, after)
        expect(undo, `${name}: every change can be taken back`).to.not.equal(undefined)
        expect(isOthersNow(undo!, await now(), 'ana'), `${name}: nobody else's`).to.equal(false)
        for (const call of undo!.calls) {
          const { status, body } = await send('ana', call)
          expect(status, `${name}: ${call.path}: ${body.error?.message}`).to.equal(200)
        }
        taken += 1
        // The shortest request takes a minute.
        service.now += 90_000
        const is = await now()
        for (const field of ['enabled', 'is_snoozed', 'held_by', 'pin_state', 'wake_schedule'] as const)
          expect(is[field], `${name}: ${field}: ${is.reason}`).to.equal(before[field])
        const [next, former] = [is.next_transition, before.next_transition]
        expect(next?.type, `${name}: ${is.reason}`).to.equal(former?.type)
        expect(same(next?.at, former?.at), `${name}: ${next?.at}, was ${former?.at}`).to.equal(true)
        const [ends, ended] = [is.manual_override_until, before.manual_override_until]
        expect(same(ends, ended), `${name}: off until ${ends}, was ${ended}`).to.equal(true)
      }
      expect(taken).to.be.above(2)
    })

  it('leaves alone what somebody else has changed since, and not what the clock or the pods changed', async () => {
    const act = async (change?: () => Promise<unknown>) => {
      const before = await begin([BY_DAY])
      const { record: after } = await send('ana', callOf('POST snooze'))
      const undo = guarded(undoOf('snooze', before, model), before, after)!
      await change?.()
      return isOthersNow(undo, await now(), 'ana')
    }
    expect(await act()).to.equal(false)
    const pods = { existing: 0, ready: 0, observedGeneration: 9 }
    const down = async () => service.cluster.put({ ...service.cluster.mustGet(KEY), pods })
    expect(await act(down), 'its pods').to.equal(false)
    for (const call of ['POST wake', 'POST snooze?for=2h', 'POST pin', 'POST override', 'POST disable'])
      expect(await act(() => send('bob', callOf(call))), call).to.equal(true)
    const hours = { method: 'PUT', path: `${PATH}/schedule`, body: { schedule: '1:00-2:00' } } as const
    expect(await act(() => send('bob', hours)), 'its hours').to.equal(true)
  })
})

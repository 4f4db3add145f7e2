import { expect } from 'chai'
import fc from 'fast-check'
import { encodeState, STATE_LIMIT, type StateTexts } from '../../../src/domain/workload/state-codec.ts'
import type { Operation, State, StoredState } from '../../../src/domain/workload/state.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { asked, followed, stepped } from '../../support/decisions.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { decoded } from '../../support/readable.ts'
import { at, MINUTE } from '../../support/rules.ts'
import { aDeployment, type AWorkload } from '../../support/workloads.ts'
import { admitCreate } from '../../../src/domain/admission/create.ts'
import { RULES } from '../../support/rules.ts'
import { NOON, WORK } from '../fixtures.ts'

type Fields = Record<string, unknown>

const OPERATION: Operation = {
  type: 'wake',
  trigger: 'schedule',
  at: at('Mon 8:00'),
  replicas: 3,
  duration: 1200,
  by: null,
  result: 'succeeded',
}
const PARTS = {
  snoozed: { at: at('Sun 18:00') - 7 * 24 * 60 * MINUTE, replicas: 3, trigger: 'schedule', by: null },
  woken: { at: at('Mon 8:00'), kept: 5, set: 3 },
  intent: { want: 'awake', at: at('Mon 11:00'), before: 'awake', by: 'k8s:alice', trigger: 'api' },
  override: { until: null, at: at('Mon 11:00'), by: 'k8s:bob' },
  request: { text: 'wake', at: at('Mon 11:00'), by: 'k8s:alice' },
} as const satisfies Partial<State>
const PIN = { state: 'active', replicas: 3, at: at('Mon 11:30'), by: 'k8s:alice' } as const
const STATE: StoredState = {
  kind: 'deployments',
  counter: 7,
  asleep: false,
  ...PARTS,
  history: [OPERATION, { ...OPERATION, type: 'snooze', at: at('Mon 7:00') }],
}

/** Names that this release has elsewhere, or that mean something to JavaScript, and others. */
const NAME = fc.oneof(
  fc.constantFrom(...['later', 'expires', 'toJSON', '__proto__', 'constructor', 'then', 'v2']),
  fc.string({ minLength: 1, maxLength: 6 }).map((name) => `x${name}`),
)
const INSIDE = fc.dictionary(
  fc.constantFrom('at', 'until', 'hold', 'by', 'trigger', 'replicas', 'history'),
  fc.oneof(fc.integer(), fc.constantFrom('yesterday', '2026-03-02T10:00:00+01:00', null, true)),
)
const VALUE = fc.oneof(fc.jsonValue({ maxDepth: 2 }).map(plain), INSIDE, fc.array(INSIDE, { maxLength: 2 }))
const UNKNOWN: fc.Arbitrary<Fields> = fc.dictionary(NAME, VALUE, {
  minKeys: 1,
  maxKeys: 2,
  noNullPrototype: true,
})
/** An instant elsewhere, and none that this release knows here. */
const UNTIL = fc.constantFrom<Fields>({}, { until: 'Friday' }, { until: 7 }, { hold: null })
const ADDED = fc.tuple(UNKNOWN, UNTIL).map(([some, until]) => ({ ...some, ...until }))
const PLACES = ['', 'snoozed', 'woken', 'request', 'pin'] as const
const OF_PLACES = fc.record({
  ...Object.fromEntries(PLACES.map((place) => [place, ADDED])),
  // These have an end of their own.
  intent: UNKNOWN,
  override: UNKNOWN,
}) as fc.Arbitrary<Record<string, Fields>>

/** As JSON has it: no -0. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** The annotations of the state, with a later release's additions at each place of the document. */
function laterTexts(state: StoredState, added: Record<string, Fields>): StateTexts {
  const { state: text, ...history } = encodeState(state)
  const document = JSON.parse(text) as Fields
  const parts = Object.keys(added).filter((place) => document[place] !== undefined)
  const later = {
    ...document,
    ...added[''],
    ...Object.fromEntries(parts.map((part) => [part, { ...(document[part] as Fields), ...added[part] }])),
  }
  return { state: JSON.stringify(later), ...history }
}

function textOf({ annotations }: Workload): string {
  return annotations.state ?? expect.fail('it has no state')
}

/** The keys at a place of the state that this release does not know. */
function expectKept(workload: Workload, added: Record<string, Fields>, ...places: string[]): void {
  const document = JSON.parse(textOf(workload)) as Fields
  for (const place of places) {
    const found = place === '' ? document : document[place]
    for (const [name, value] of Object.entries(added[place] ?? {})) {
      expect(Object.hasOwn(found as Fields, name), `${place}/${name}`).to.equal(true)
      expect(plain((found as Fields)[name]), `${place}/${name}`).to.deep.equal(plain(value))
    }
  }
}

const workload = aDeployment().withReplicas(3).enabled().scheduled(WORK)
const carrying = (texts: StateTexts, from: AWorkload = workload) => from.annotated({ ...texts })

describe('what a later release has added to the state', () => {
  it('is written back as it was, by a snooze, a wake, a pin and an unpin', () => {
    fc.assert(
      fc.property(OF_PLACES, (added) => {
        const before = carrying(laterTexts(STATE, added))
        const pinned = asked(before, { action: 'pin' }, NOON).after
        const rest = ['', 'override', 'request']
        expectKept(pinned, added, ...rest, 'snoozed', 'woken', 'intent')
        const unpinned = asked(pinned, { action: 'unpin' }, NOON + MINUTE).after
        expectKept(unpinned, added, ...rest, 'snoozed', 'woken', 'intent')
        // A new snooze, wake or intent takes the place of the former one, whole.
        const slept = followed(asked(unpinned, { action: 'snooze' }, NOON + 2 * MINUTE).after)
        expect(slept.replicas).to.equal(0)
        expectKept(slept, added, '', 'override', 'request', 'woken')
        const woken = asked(slept, { action: 'wake' }, NOON + 3 * MINUTE).after
        expect(woken.replicas).to.equal(5)
        expectKept(woken, added, '', 'override', 'request')
      }),
      propertyRuns(200),
    )
  })

  it('is written back by the schedule, and what is in a pin, an override or an intent goes with that alone', () => {
    fc.assert(
      fc.property(OF_PLACES, (added) => {
        const { override: _, ...free } = STATE
        const slept = stepped(carrying(laterTexts(free, added)), at('Mon 18:00')).after
        expect(slept.replicas).to.equal(0)
        expectKept(slept, added, '', 'woken', 'request')
        const held = carrying(laterTexts({ ...STATE, pin: PIN }, added))
        const let_go = asked(held, { action: 'clearOverride' }, NOON).after
        expectKept(let_go, added, '', 'pin', 'intent', 'woken', 'snoozed', 'request')
        const disabled = asked(held, { action: 'disable' }, NOON).after
        expectKept(disabled, added, '', 'woken', 'snoozed', 'request')
      }),
      propertyRuns(100),
    )
  })

  it('is not believed of a workload that is created: it is stripped', () => {
    fc.assert(
      fc.property(OF_PLACES, (added) => {
        const sleeping = { ...STATE, asleep: true, history: [] }
        const created = carrying(laterTexts(sleeping, added), workload.withReplicas(0))
        const bare = carrying(encodeState(sleeping), workload.withReplicas(0))
        const admitted = [created, bare].map((each) => admitCreate(each, NOON, RULES))
        const [state, expected] = admitted.map((decision) =>
          decision.type === 'patched' ? decision.change.annotations.state : decision.type,
        )
        expect(state).to.equal(expected)
      }),
      propertyRuns(50),
    )
  })

  it('goes where there is no room for it, after the history: what is written can be read', () => {
    const long = { later: 'x'.repeat(STATE_LIMIT - 1200) }
    const before = carrying(laterTexts(STATE, { '': long }))
    const { after } = asked(before, { action: 'snooze', for: 60 * MINUTE }, NOON)
    expect(Buffer.byteLength(textOf(after))).to.be.at.most(STATE_LIMIT)
    expect(decoded(after.annotations)).to.deep.include({ asleep: true })
    const tight = { later: 'x'.repeat(STATE_LIMIT - 1200 - 400) }
    const { after: kept } = asked(carrying(laterTexts(STATE, { '': tight })), { action: 'pin' }, NOON)
    expectKept(kept, { '': tight }, '')
  })
})

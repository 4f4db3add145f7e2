import fc from 'fast-check'
import type { Instant } from '../../src/process/clock.ts'
import { encodeState, type StateTexts } from '../../src/domain/workload/state-codec.ts'
import { SLEEP_STATES } from '../../src/domain/schedule/schedule.ts'
import { OPERATION_RESULTS, PIN_STATES, BACKOFF_CAUSES } from '../../src/domain/workload/state.ts'
import { OPERATION_TYPES, TRIGGERS, INTENT_TRIGGERS } from '../../src/domain/workload/trigger.ts'
import {
  ASLEEP_LABEL,
  HELD_LABEL,
  KINDS,
  type AnnotationName,
  type Kind,
} from '../../src/domain/workload/workload.ts'
import { HOUR, MINUTE } from './rules.ts'

/** Annotations, labels, count and key of a workload, which need not be consistent. */
export interface Marks {
  readonly annotations: Partial<Record<AnnotationName, string>>
  readonly label: string | undefined
  readonly held: string | undefined
  readonly replicas: number
  readonly snoozeKey: string | undefined
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const COUNT = fc.integer({ min: 0, max: 6 })
const BY = fc.constantFrom('k8s:alice', 'manager:kubectl')
const TRIGGER = fc.constantFrom(...TRIGGERS)

/** The first and the last that an annotation can hold. */
const ENDS_OF_TIME = [Date.parse('0000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** Instants around `now`, some of them far away. */
function instants(now: Instant): fc.Arbitrary<Instant> {
  return fc.oneof(
    { weight: 16, arbitrary: fc.integer({ min: -30 * HOUR, max: 30 * HOUR }).map((offset) => now + offset) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(0, -MINUTE, MINUTE, -4000 * HOUR, 9000 * HOUR).map((offset) => now + offset),
    },
    { weight: 1, arbitrary: fc.constantFrom(...ENDS_OF_TIME) },
  )
}

/** Any state that the schema accepts, mostly of this kind, as its annotations have it. */
export function anyState(now: Instant, kind: Kind): fc.Arbitrary<StateTexts> {
  const instant = instants(now)
  const operation = fc.record({
    type: fc.constantFrom(...OPERATION_TYPES),
    trigger: TRIGGER,
    at: instant,
    replicas: COUNT,
    duration: fc.option(fc.nat(100_000)),
    by: fc.option(BY),
    result: fc.constantFrom(...OPERATION_RESULTS),
  })
  const sleep = fc.constantFrom(...SLEEP_STATES)
  return fc
    .record(
      {
        kind: fc.oneof(
          { weight: 9, arbitrary: fc.constant(kind) },
          { weight: 1, arbitrary: fc.constantFrom(...KINDS) },
        ),
        counter: fc.oneof(
          fc.integer({ min: 1, max: 5 }),
          fc.integer({ min: 1, max: 2 ** 40 }),
          fc.constant(Number.MAX_SAFE_INTEGER),
        ),
        asleep: fc.boolean(),
        history: fc.array(operation, { maxLength: 20 }),
        snoozed: fc.record(
          { at: instant, replicas: COUNT, trigger: TRIGGER, by: fc.option(BY), rest: COUNT },
          { requiredKeys: ['at', 'replicas', 'trigger', 'by'] },
        ),
        woken: fc.record({ at: instant, kept: COUNT, set: COUNT }, { requiredKeys: ['at'] }),
        intent: fc.record(
          {
            want: sleep,
            at: instant,
            before: sleep,
            by: fc.option(BY),
            trigger: fc.constantFrom(...INTENT_TRIGGERS),
            until: instant,
            hold: instant,
          },
          { requiredKeys: ['want', 'at', 'before', 'by', 'trigger'] },
        ),
        pin: fc.record({
          state: fc.constantFrom(...PIN_STATES),
          replicas: COUNT,
          at: instant,
          by: BY,
        }),
        override: fc.record({ until: fc.option(instant), at: instant, by: BY }),
        backoff: fc.record({
          until: instant,
          times: fc.integer({ min: 1, max: 60 }),
          cause: fc.constantFrom(...BACKOFF_CAUSES),
        }),
      },
      { requiredKeys: ['kind', 'counter', 'asleep', 'history'] },
    )
    .map((state) => encodeState(state))
}

/** A valid state that is damaged in one place, in itself or in its history. */
function broken(now: Instant, kind: Kind): fc.Arbitrary<StateTexts> {
  const other = fc.constantFrom('', '"', '{', 'x', '0', ' ', ',"v":2')
  return fc
    .tuple(anyState(now, kind), fc.constantFrom('state', 'history'), fc.nat(400), other)
    .map(([texts, name, place, put]) => {
      const text = texts[name] ?? ''
      return { ...texts, [name]: text.slice(0, place) + put + text.slice(place + put.length) }
    })
}

const GARBAGE = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom('', 'null', '{}', '[]', '{"v":1}', '{"v":2}', '{"v":3}'),
)

/** Arbitrary marks, most of them with a readable state. */
export function anyMarks(now: Instant, kind: Kind): fc.Arbitrary<Marks> {
  const state = fc.oneof(
    { weight: 6, arbitrary: anyState(now, kind) },
    { weight: 1, arbitrary: broken(now, kind) },
    { weight: 1, arbitrary: fc.record({ state: GARBAGE }) },
    { weight: 1, arbitrary: fc.record({ history: GARBAGE }) },
    { weight: 4, arbitrary: fc.constant({}) },
  )
  const enabled = fc.constantFrom('true', 'true', 'true', 'true', 'false', 'maybe', '')
  const schedule = fc.constantFrom(
    '8:00-18:00,Mon-Fri',
    '22:00-6:00',
    '0:00-24:00',
    '',
    'whenever',
    '7:59-8:01',
  )
  const timezone = fc.constantFrom('UTC', 'Asia/Tokyo', 'Mars/Base', '')
  const label = fc.oneof(COUNT.map(String), fc.constantFrom('x', '03', '', '2147483648', '-1'))
  return fc.record({
    annotations: fc
      .tuple(fc.record({ enabled, schedule, timezone }, { requiredKeys: [] }), state)
      .map(([settings, texts]) => definedOnly({ ...settings, ...texts })),
    label: maybe(label),
    held: fc.constantFrom(undefined, undefined, 'pin', 'override', 'mine'),
    replicas: COUNT,
    snoozeKey: fc.constantFrom(undefined, 'true', 'true', 'false', ''),
  })
}

/** An object's labels, with ours beside another. */
export function labelsWith(label: string | undefined, held?: string): Record<string, string> {
  return {
    app: 'web',
    ...(label === undefined ? {} : { [ASLEEP_LABEL]: label }),
    ...(held === undefined ? {} : { [HELD_LABEL]: held }),
  }
}

function definedOnly(annotations: Partial<Record<AnnotationName, string | undefined>>): Marks['annotations'] {
  return Object.fromEntries(Object.entries(annotations).filter(([, text]) => text !== undefined))
}

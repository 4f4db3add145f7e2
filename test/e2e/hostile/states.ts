import { MAX_REPLICAS, type Kind } from '../../../src/domain/workload/workload.ts'

const KIB = 1024
/** Instants at the limits of the format, and of a Date. */
const YEAR_9999 = '9999-12-31T23:59:59.999Z'
const YEAR_0 = '0000-01-01T00:00:00Z'
const YEAR_275760 = '+275760-09-13T00:00:00.000Z'

const by = 'k8s:mallory'
const snoozed = (replicas: number, at = YEAR_0) => ({ at, replicas, trigger: 'api', by })

/** A state with these fields. */
export function state(kind: Kind, fields: object = {}): string {
  return JSON.stringify({ v: 2, kind, counter: 1, asleep: false, ...fields })
}

function lasting(at: string): object {
  return {
    snoozed: snoozed(1, at),
    woken: { at, kept: 3, set: 1 },
    intent: { want: 'awake', at, until: at, hold: at, before: 'asleep', by, trigger: 'api' },
    override: { until: at, at, by },
    backoff: { until: at, times: 1, cause: 'flapping' },
  }
}

const running = (at: string) => `${at} ${'@1s '.repeat(20)}["${by}"]`

/** Possible contents of `dormouse.dev/history` that Dormouse never wrote. */
export const HOSTILE_HISTORIES: Readonly<Record<string, string>> = {
  'history-200-kib': `${YEAR_9999} ${'s '.repeat(100 * KIB)}s`,
  'history-running': running(YEAR_9999),
  'history-running-0': running(YEAR_0),
  'history-275760': running(YEAR_275760),
  'history-beyond': `${YEAR_9999} s -999999999999999w3`,
  'history-unread': `${YEAR_9999} @1x 5@1__proto__ 5@1constructor [${JSON.stringify('\u202e\u0000\ud800')}]`,
  'history-unicode': '🐭\u0000'.repeat(100),
}

/** Possible contents of `dormouse.dev/state` for this kind that Dormouse never wrote. */
export function hostileStates(kind: Kind): Readonly<Record<string, string>> {
  const another: Kind = kind === 'deployments' ? 'daemonsets' : 'deployments'
  return {
    'state-200-kib': 'x'.repeat(200 * KIB),
    'state-200-kib-json': state(kind, { padding: 'x'.repeat(200 * KIB) }),
    'state-deep': '['.repeat(100 * KIB),
    'state-deep-whole': `${'{"a":'.repeat(1300)}1${'}'.repeat(1300)}`,
    'state-proto': state(kind).replace('{', '{"__proto__":{"asleep":true,"counter":9},'),
    'state-constructor': state(kind, { constructor: { prototype: { asleep: true } } }),
    'state-unicode': state(kind, { snoozed: { ...snoozed(1), by: '\u202e🐭\u0000\ud800'.repeat(9) } }),
    'state-negative': state(kind, { asleep: true, snoozed: snoozed(-1) }),
    'state-1e300': state(kind, { asleep: true, snoozed: snoozed(1) }).replace(
      '"replicas":1',
      '"replicas":1e300',
    ),
    'state-most': state(kind, { asleep: true, snoozed: snoozed(MAX_REPLICAS) }),
    'state-275760': state(kind, lasting(YEAR_275760)),
    'state-9999': state(kind, lasting(YEAR_9999)),
    'state-9999-asleep': state(kind, { ...lasting(YEAR_9999), asleep: true }),
    'state-0': state(kind, lasting(YEAR_0)),
    'state-pinned-9999': state(kind, { pin: { state: 'snoozed', replicas: 2, at: YEAR_9999, by } }),
    'state-version-1': JSON.stringify({ v: 1, kind, counter: 1, asleep: true, history: [] }),
    'state-last-counter': state(kind, { counter: Number.MAX_SAFE_INTEGER }),
    'state-times': state(kind, {
      backoff: { until: YEAR_0, times: Number.MAX_SAFE_INTEGER, cause: 'failure' },
    }),
    'state-other-kind': state(another, { asleep: true, snoozed: snoozed(4) }),
    'state-no-snooze': state(kind, { asleep: true }),
    'state-histories': state(kind, { history: [7], unreadHistory: [{}] }),
    'state-twice': state(kind).replace('"asleep":false', '"asleep":true,"asleep":false'),
  }
}

import fc from 'fast-check'
import type { Instant } from '../../src/clock.ts'
import { HOUR, MINUTE } from '../support/rules.ts'
import type { Target } from './target.ts'

/** What can be done to a workload; a new operation joins the scenarios by an entry of `OPERATIONS` or `HANDS`. */
export interface Act<Args = unknown> {
  readonly weight: number
  readonly args: fc.Arbitrary<Args>
  run(target: Target, args: Args): Promise<unknown>
}

/** Which replica is asked. */
const WHICH = fc.nat(5)
const FOR = fc.constantFrom('', '?for=1m', '?for=5m', '?for=2h')

/** A window around the present: its distance in minutes to the beginning, and its length. */
export interface WindowAround {
  readonly begins: number
  readonly minutes: number
}
export const WINDOW: fc.Arbitrary<WindowAround> = fc.record({
  begins: fc.integer({ min: -90, max: 20 }),
  minutes: fc.integer({ min: 2, max: 120 }),
})

/** As a schedule in UTC, every day. */
export function scheduleOf({ begins, minutes }: WindowAround, now: Instant): string {
  const from = now + begins * MINUTE
  return `${wallClock(from)}-${wallClock(from + minutes * MINUTE)}`
}

function wallClock(instant: Instant): string {
  const minute = Math.floor((instant % (24 * HOUR)) / MINUTE)
  return `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`
}

function act<Args>(weight: number, args: fc.Arbitrary<Args>, run: Act<Args>['run']): Act<Args> {
  return { weight, args, run }
}

/** What can be asked of a whole namespace; most often what lets go again. */
const OF_ALL = fc.constantFrom(
  ...(['POST snooze', 'POST snooze?for=5m', 'POST wake', 'POST wake?for=5m'] as const),
  ...([
    'POST pin',
    'DELETE pin',
    'DELETE pin',
    'POST override',
    'DELETE override',
    'DELETE override',
  ] as const),
)

/** The nine operations of the API, and their variants. */
export const OPERATIONS = {
  enable: act(2, fc.record({ which: WHICH, window: fc.option(WINDOW) }), (target, { which, window }) =>
    target.ask(
      which,
      'POST',
      'enable',
      window ? { schedule: scheduleOf(window, target.world.now) } : undefined,
    ),
  ),
  disable: act(1, WHICH, (target, which) => target.ask(which, 'POST', 'disable')),
  snooze: act(
    4,
    fc.record({ which: WHICH, time: FOR, force: fc.boolean() }),
    (target, { which, time, force }) => {
      const forced = force ? `${time === '' ? '?' : '&'}force=true` : ''
      return target.ask(which, 'POST', `snooze${time}${forced}`)
    },
  ),
  wake: act(4, fc.record({ which: WHICH, time: FOR }), (target, { which, time }) =>
    target.ask(which, 'POST', `wake${time}`),
  ),
  pin: act(2, WHICH, (target, which) => target.ask(which, 'POST', 'pin')),
  unpin: act(2, WHICH, (target, which) => target.ask(which, 'DELETE', 'pin')),
  override: act(
    2,
    fc.record({ which: WHICH, duration: fc.constantFrom('1m', '10m', '3h', undefined) }),
    (target, { which, duration }) =>
      target.ask(which, 'POST', 'override', duration === undefined ? undefined : { duration }),
  ),
  'clear override': act(2, WHICH, (target, which) => target.ask(which, 'DELETE', 'override')),
  schedule: act(3, fc.record({ which: WHICH, window: fc.option(WINDOW) }), (target, { which, window }) =>
    target.ask(which, 'PUT', 'schedule', { schedule: window ? scheduleOf(window, target.world.now) : '' }),
  ),
  'whole namespace': act(1, fc.record({ which: WHICH, request: OF_ALL }), (target, { which, request }) => {
    const [method, action = ''] = request.split(' ')
    return target.askForAll(which, method === 'POST' ? 'POST' : 'DELETE', action)
  }),
} as const

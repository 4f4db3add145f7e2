import fc from 'fast-check'
import type { ApiAction } from '../../src/domain/requests/operations.ts'
import { act, type Act } from './act.ts'
import { PLAYED } from './kinds.ts'
import { TEAMS } from './target.ts'
import { scheduleOf, WINDOW } from './windows.ts'

/** Which replica is asked. */
const WHICH = fc.nat(5)
const FOR = fc.constantFrom('', '?for=1m', '?for=5m', '?for=2h')

/** Requests for a whole namespace; most often those that end a hold. */
const OF_ALL = fc.constantFrom(
  ...(['POST snooze', 'POST snooze?for=5m', 'POST wake', 'POST wake?for=5m'] as const),
  ...(['POST pin', 'DELETE pin', 'DELETE pin'] as const),
  ...(['POST override', 'POST override 10m', 'DELETE override', 'DELETE override'] as const),
)
const BULK = fc.record({
  which: WHICH,
  request: OF_ALL,
  kind: fc.option(fc.constantFrom(...PLAYED), { nil: undefined, freq: 3 }),
  team: fc.option(fc.constantFrom(...TEAMS), { nil: undefined, freq: 2 }),
  dryRun: fc.constantFrom(false, false, false, true),
})

/** How often a request is about inheritance: it then removes the workload's own setting. */
const INHERIT = fc.constantFrom(false, false, false, true)

/** The operations of the API, and their variants. */
export const OPERATIONS = {
  enable: act(
    2,
    fc.record({ which: WHICH, window: fc.option(WINDOW), inherit: INHERIT }),
    (target, { which, window, inherit }) => {
      if (inherit) return target.ask(which, 'POST', 'enable?inherit=true')
      return target.ask(
        which,
        'POST',
        'enable',
        window ? { schedule: scheduleOf(window, target.world.now) } : undefined,
      )
    },
  ),
  disable: act(1, fc.record({ which: WHICH, inherit: INHERIT }), (target, { which, inherit }) =>
    target.ask(which, 'POST', inherit ? 'disable?inherit=true' : 'disable'),
  ),
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
  clearOverride: act(2, WHICH, (target, which) => target.ask(which, 'DELETE', 'override')),
  schedule: act(
    3,
    fc.record({ which: WHICH, window: fc.option(WINDOW), inherit: INHERIT }),
    (target, { which, window, inherit }) => {
      if (inherit) return target.ask(which, 'PUT', 'schedule?inherit=true', {})
      const schedule = window ? scheduleOf(window, target.world.now) : ''
      return target.ask(which, 'PUT', 'schedule', { schedule })
    },
  ),
  'whole namespace': act(1, BULK, (target, { which, request, ...narrowed }) => {
    const [method, action = '', duration] = request.split(' ')
    const body = duration === undefined ? undefined : { duration }
    return target.askForAll(which, method === 'POST' ? 'POST' : 'DELETE', action, { ...narrowed, body })
  }),
} as const satisfies Record<ApiAction | 'whole namespace', Act>

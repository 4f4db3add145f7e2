import fc from 'fast-check'
import { KINDS } from '../../src/domain/workload.ts'
import type { FaultProxy } from '../faults/fault-proxy.ts'
import { refusal, statusOf, type CallFault, type EventFault } from '../faults/faults.ts'

/** A fault between a replica and the API server that ends by itself; a new one joins by an entry of `FAULTS`. */
interface Fault<Args = unknown> {
  readonly weight: number
  readonly args: fc.Arbitrary<Args>
  lay(proxy: FaultProxy, args: Args): void
}

const VERB = fc.constantFrom(...(['patch', 'patch', 'get', 'list', 'watch', 'create', 'update'] as const))
const TURN = { nth: fc.integer({ min: 1, max: 6 }), times: fc.integer({ min: 1, max: 3 }) }
const RESOURCE = fc.constantFrom(...KINDS)
const SHORT = fc.constantFrom(20, 300, 1500)

const CALL_FAULT: fc.Arbitrary<CallFault> = fc.oneof(
  fc.record({
    type: fc.constant('cut' as const),
    stage: fc.constantFrom('before' as const, 'after' as const, 'within' as const),
  }),
  fc.record({
    type: fc.constant('delay' as const),
    stage: fc.constantFrom('before' as const, 'after' as const),
    milliseconds: SHORT,
  }),
  fc
    .record({
      status: fc.constantFrom(429, 500, 503, 409, 504),
      stage: fc.constantFrom('before' as const, 'after' as const),
    })
    .map(({ status, stage }) => refusal(status, { stage, ...(status === 429 ? { retryAfter: 1 } : {}) })),
)

/** A real API server loses no event of a watch that goes on, so none is lost here: test/e2e/hidden-events does that. */
const EVENT_FAULT: fc.Arbitrary<EventFault> = fc.oneof(
  fc.constantFrom<EventFault>({ type: 'repeat' }, { type: 'swap' }, { type: 'cut' }, { type: 'half' }),
  SHORT.map((milliseconds): EventFault => ({ type: 'delay', milliseconds })),
)

function fault<Args>(weight: number, args: fc.Arbitrary<Args>, lay: Fault<Args>['lay']): Fault<Args> {
  return { weight, args, lay }
}

const FAULTS = {
  call: fault(
    6,
    fc.record({ verb: VERB, fault: CALL_FAULT, ...TURN }),
    (proxy, { verb, nth, times, fault: what }) => void proxy.onCall({ verb, nth, times }, what),
  ),
  event: fault(
    4,
    fc.record({ resource: RESOURCE, fault: EVENT_FAULT, ...TURN }),
    (proxy, args) =>
      void proxy.onEvent({ resource: args.resource, nth: args.nth, times: args.times }, args.fault),
  ),
  freeze: fault(
    2,
    fc.record({ resource: RESOURCE, milliseconds: SHORT }),
    (proxy, { resource, milliseconds }) => {
      const thaw = proxy.freeze(resource)
      setTimeout(thaw, milliseconds)
    },
  ),
  cut: fault(1, RESOURCE, (proxy, resource) => {
    for (const watch of proxy.watches(resource)) watch.cut()
  }),
  expired: fault(1, RESOURCE, (proxy, resource) => {
    for (const watch of proxy.watches(resource)) watch.say({ type: 'ERROR', object: statusOf(410) })
  }),
} as const
type FaultName = keyof typeof FAULTS

export interface Fallen {
  readonly type: 'fault'
  readonly which: number
  readonly name: FaultName
  readonly args: unknown
}

/** Any fault, before any replica. */
export const FAULT: fc.Arbitrary<Fallen> = fc.oneof(
  ...(Object.keys(FAULTS) as FaultName[]).map((name) => ({
    weight: FAULTS[name].weight,
    arbitrary: fc.record({
      type: fc.constant('fault' as const),
      which: fc.nat(5),
      name: fc.constant(name),
      args: FAULTS[name].args,
    }),
  })),
)

export function lay(proxy: FaultProxy, { name, args }: Fallen): void {
  ;(FAULTS[name] as Fault).lay(proxy, args)
}

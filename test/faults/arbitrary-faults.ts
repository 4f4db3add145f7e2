import fc from 'fast-check'
import { KINDS } from '../../src/domain/workload/workload.ts'
import type { Verb } from './called.ts'
import type { FaultProxy } from './fault-proxy.ts'
import {
  refusal,
  statusOf,
  type CallFault,
  type CallWhere,
  type EventFault,
  type EventWhere,
} from './faults.ts'

/** A fault as plain data, so that it can be printed and repeated. It ends by itself, or when the proxy lifts all. */
export type AnyFault =
  | { readonly on: 'call'; readonly where: CallWhere; readonly fault: CallFault }
  | { readonly on: 'event'; readonly where: EventWhere; readonly fault: EventFault }
  /** For all open watches of a resource. */
  | {
      readonly on: 'watch'
      readonly resource: string
      readonly line: unknown
      readonly after: 'cut' | 'nothing'
    }
  | { readonly on: 'view'; readonly resource: string; readonly frozen: number }

/** The longest pause that a fault makes, in milliseconds. */
const LONGEST_PAUSE = 1000

const turn = { nth: fc.integer({ min: 1, max: 5 }), times: fc.integer({ min: 1, max: 3 }) }
const pause = fc.integer({ min: 1, max: LONGEST_PAUSE })
const resource = fc.constantFrom<string>(...KINDS, 'namespaces', 'scaledobjects')
const stage = fc.constantFrom('before', 'after')

/** Calls and their faults; refusals are such as an API server gives that is well again soon. */
const faultOfCalls = (verbs: readonly Verb[], ...statuses: number[]) => {
  const status = fc.constantFrom(...statuses, 429, 500, 503, 504)
  const fault: fc.Arbitrary<CallFault> = fc.oneof(
    fc.record({ type: fc.constant('cut'), stage: fc.constantFrom('before', 'after', 'within') }),
    fc.record({ type: fc.constant('delay'), stage, milliseconds: pause }),
    fc.tuple(status, stage).map(([code, stage]) => refusal(code, { stage })),
  )
  const where: fc.Arbitrary<CallWhere> = fc.record({ verb: fc.constantFrom(...verbs), ...turn })
  return fc.record({ on: fc.constant('call'), where, fault })
}

const eventFault: fc.Arbitrary<EventFault> = fc.oneof(
  fc.record({ type: fc.constantFrom('repeat', 'swap', 'cut', 'half') }),
  fc.record({ type: fc.constant('delay'), milliseconds: pause }),
)

/** Any fault that the next list or watch heals: events are not lost for good, nor is a call stalled for its time limit. */
export const anyFault: fc.Arbitrary<AnyFault> = fc.oneof(
  faultOfCalls(['list', 'watch'], 410),
  faultOfCalls(['patch', 'update'], 409),
  faultOfCalls(['get', 'create']),
  fc.record({ on: fc.constant('event'), where: fc.record({ resource, ...turn }), fault: eventFault }),
  fc.record({
    on: fc.constant('watch'),
    resource,
    line: fc.constantFrom(
      { type: 'ERROR', object: statusOf(410) },
      { type: 'ERROR', object: statusOf(500) },
      '{"type',
    ),
    after: fc.constantFrom('cut', 'nothing'),
  }),
  fc.record({ on: fc.constant('view'), resource, frozen: pause }),
)

export function lay(proxy: FaultProxy, fault: AnyFault): void {
  switch (fault.on) {
    case 'call':
      return void proxy.onCall(fault.where, fault.fault)
    case 'event':
      return void proxy.onEvent(fault.where, fault.fault)
    case 'watch':
      for (const watch of proxy.watches(fault.resource)) {
        watch.say(fault.line)
        if (fault.after === 'cut') watch.cut()
      }
      return
    case 'view':
      return void setTimeout(proxy.freeze(fault.resource), fault.frozen)
  }
}

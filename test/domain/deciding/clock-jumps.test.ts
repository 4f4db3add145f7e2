import { expect } from 'chai'
import type { Request } from '../../../src/domain/requests/operations.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { asked, followed, stateOf, stepped } from '../../support/decisions.ts'
import { at, DAY, HOUR, MINUTE, rulesWith } from '../../support/rules.ts'
import { awakeBetween } from '../../support/schedules.ts'
import {
  aDaemonSet,
  aDeployment,
  aReplicaSet,
  aStatefulSet,
  type AWorkload,
} from '../../support/workloads.ts'

const NOW = at('Wed 12:00')
/** A new workload runs for an hour and a half, and so long does a backoff last. */
const rules = rulesWith({
  newWorkloadGrace: 90 * MINUTE,
  backoff: { maxOperations: 6, window: HOUR, base: 90 * MINUTE, max: 90 * MINUTE },
})

/** Every day, awake between these hours counted from now. */
const hours = (from: number, to: number) => awakeBetween(NOW + from * HOUR, NOW + to * HOUR)
const scheduled = (from: number, to: number): Request => ({ action: 'schedule', schedule: hours(from, to) })
const LONG = 90 * MINUTE
const wake: Request = { action: 'wake' }
const snooze: Request = { action: 'snooze' }

/**
 * A workload with its hours, what is asked of it, and its states by the rules of docs/concepts.md, worked out by hand:
 * `A` awake, `z` asleep. A column is an instant that the clock is set to: now, an hour, a day and a year from it, each
 * followed by now again.
 */
type Row = readonly [
  what: string,
  workload: AWorkload,
  requests: readonly Request[],
  ahead: string,
  back: string,
]
const ROWS: readonly Row[] = [
  //                                                                                            0 +1h 0 +1d 0 +1y 0
  [
    'asleep by schedule',
    aDeployment().scheduled(hours(0.5, 8)),
    [],
    /*                      */ 'z A z z z z z',
    'z z z z z z z',
  ],
  [
    'awake by schedule',
    aStatefulSet().scheduled(hours(-6, 0.5)),
    [],
    /*                     */ 'A z A A A A A',
    'A A A A A A A',
  ],
  [
    'just woken by schedule',
    aReplicaSet().scheduled(hours(-0.5, 8)),
    [],
    /*                 */ 'A A A A A A A',
    'A z A A A A A',
  ],
  // Every jump of a day, or of the 365 of a year, leads to another day of the week.
  [
    'awake on one day',
    aDaemonSet().scheduled(`${hours(-1.5, 2)},Wed`),
    [],
    /*               */ 'A A A z A z A',
    'A A A z A z A',
  ],
  // Back: the request is of the future, so it is ignored; the wake's edge then takes its place.
  [
    'asleep by request for a time',
    aDeployment().scheduled(hours(-6, 12)),
    [{ ...snooze, for: LONG }],
    'z z z A A A A',
    'z A A A A A A',
  ],
  // Without a schedule there is no edge to take its place: at the beginning its time runs again.
  [
    'asleep for a time without schedule',
    aStatefulSet(),
    [{ ...snooze, for: LONG }],
    /*      */ 'z z z A z A z',
    'z z z z z z z',
  ],
  [
    'held awake for a time',
    aReplicaSet().scheduled(hours(6, 8)),
    [{ ...wake, for: LONG }],
    /**/ 'A A A z z z z',
    'A z z z z z z',
  ],
  [
    'held awake until the next edge',
    aDaemonSet().scheduled(hours(20, 22)),
    [wake],
    /*       */ 'A A A z z z z',
    'A z z z z z z',
  ],
  [
    'overridden for a time',
    aDeployment().scheduled(hours(-6, 6)),
    [{ action: 'override', duration: LONG }, scheduled(6, 8)],
    'A A A z z z z',
    'A A A A A A A',
  ],
  [
    'overridden for good',
    aStatefulSet().scheduled(hours(-6, 6)),
    [{ action: 'override' }, scheduled(6, 8)],
    'A A A A A A A',
    'A A A A A A A',
  ],
  [
    'pinned awake',
    aReplicaSet().scheduled(hours(-6, 0.5)),
    [{ action: 'pin' }],
    /*          */ 'A A A A A A A',
    'A A A A A A A',
  ],
  [
    'pinned asleep',
    aDaemonSet().scheduled(hours(0.5, 8)),
    [{ action: 'pin' }],
    /*           */ 'z z z z z z z',
    'z z z z z z z',
  ],
  // It waits for the end of its backoff to wake. Back: that end is more than 90 minutes ahead, so it is cut.
  [
    'in backoff',
    aDeployment().scheduled(hours(-6, 12)),
    [snooze, wake, snooze, wake, snooze, wake, snooze, scheduled(-5, 13)],
    'z z z A A A A',
    'z z z z A A A',
  ],
  [
    'new',
    aDeployment().scheduled(hours(6, 8)).born(NOW),
    [],
    /*                             */ 'A A A z z z z',
    'A A A A A A A',
  ],
]

/** After all writes of the controller at this instant, with pods that follow. */
function atRest(start: Workload, now: number): Workload {
  let workload = start
  for (let writes = 0; ; writes += 1) {
    const { change, after } = stepped(workload, now, rules)
    if (!change) return workload
    expect(writes, 'writes at one instant').to.be.below(4)
    workload = followed(after)
  }
}

describe('a clock that jumps, and is put right again', () => {
  for (const [what, workload, requests, ...byDirection] of ROWS)
    for (const [direction, expected] of byDirection.entries()) {
      const sign = direction === 0 ? 1 : -1
      it(`${sign > 0 ? 'ahead' : 'back'}: what is ${what} is as the rules say for each time, and moves no more often`, () => {
        let now = atRest(workload.enabled().withReplicas(2), NOW)
        for (const request of requests) now = atRest(followed(asked(now, request, NOW, { rules }).after), NOW)
        const operations = stateOf(now).history.length
        const seen = [0, HOUR, 0, DAY, 0, 365 * DAY, 0].map((span) => {
          now = atRest(now, NOW + sign * span)
          expect(stateOf(now).asleep ? stateOf(now).snoozed?.replicas : now.replicas, 'its count').to.equal(2)
          return stateOf(now).asleep ? 'z' : 'A'
        })
        expect(seen.join(' ')).to.equal(expected)
        const moves = seen.filter((state, step) => step > 0 && state !== seen[step - 1]).length
        expect(stateOf(now).history).to.have.length(operations + moves)
      })
    }
})

import { expect } from 'chai'
import fc from 'fast-check'
import { wantsPods } from '../../../src/domain/workload/workload.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { at, HOUR, MINUTE, SECOND } from '../../support/rules.ts'
import { aDaemonSet, aDeployment, aStatefulSet, type AWorkload } from '../../support/workloads.ts'
import { aRig } from './rig.ts'

const NOON = at('Mon 12:00')
/** Over the edges of a day. */
const PLAYED = 24 * HOUR
/** The budget limits nothing: only the backoff can end a fight. */
const WITHOUT_BUDGET = { writesPerWorkload: Number.MAX_SAFE_INTEGER }
/** In an hour: seven at once, and one after each of the first three backoffs. */
const MOST_MOVES = 10
/** Each with its end. */
const MOST_WRITES = 2 * MOST_MOVES

const managed = (workload: AWorkload) => workload.withReplicas(3).enabled()
const awake = (workload: AWorkload) =>
  managed(workload)
    .scheduled('8:00-18:00,Mon-Fri')
    .woken({ at: at('Mon 8:00'), trigger: 'schedule' })
const asleep = (workload: AWorkload) => awake(workload).snoozed({ at: at('Mon 11:00'), trigger: 'api' })

/** Why it is as it is. */
const STANDS: Readonly<Record<string, (workload: AWorkload) => AWorkload>> = {
  'by its schedule': awake,
  'by a request': asleep,
  'by a request with an end': (workload) =>
    awake(workload).snoozed({ at: at('Mon 11:00'), trigger: 'api', for: 20 * HOUR }),
  'by a request, without a schedule': (workload) =>
    managed(workload).snoozed({ at: at('Mon 11:00'), trigger: 'api' }),
  'pinned awake': (workload) => awake(workload).pinned(),
  'pinned asleep': (workload) => asleep(workload).pinned(),
}

/** How somebody else moves it. */
const BY: Readonly<Record<string, (workload: AWorkload, count: number) => AWorkload>> = {
  'an update': (workload, count) => workload.editedTo(count, 'new-pykube'),
  'the scale subresource': (workload, count) => workload.scaledByHand(count),
  'an autoscaler': (workload, count) => workload.scaledByHand(count, 'keda-operator'),
}

const CASE = fc.record({
  kind: fc.constantFrom(aDeployment, aStatefulSet, aDaemonSet),
  stands: fc.constantFrom(...Object.keys(STANDS)),
  by: fc.constantFrom(...Object.keys(BY)),
  wants: fc.constantFrom(0, 1, 5),
  /** Until it looks again. */
  pause: fc.constantFrom(0, SECOND, 30 * SECOND, 20 * MINUTE),
  /** Whether the pods follow. */
  prompt: fc.boolean(),
})

/** The most writes within any hour. */
function busiestHour(writes: readonly number[]): number {
  return Math.max(0, ...writes.map((from) => writes.filter((at) => at >= from && at < from + HOUR).length))
}

describe('somebody who undoes every write for ever', () => {
  it('has few answers an hour, whatever is decided and however it is undone', async function () {
    this.timeout(120_000)
    let undone = 0
    await fc.assert(
      fc.asyncProperty(CASE, async ({ kind, stands, by, wants, pause, prompt }) => {
        const { cluster, controller, time, start } = aRig(NOON, WITHOUT_BUDGET)
        const writes: number[] = []
        const moves: number[] = []
        cluster.delay = async () => void writes.push(time.monotonic())
        const workload = STANDS[stands]!(kind())
        const isKeyed = workload.kind === 'daemonsets'
        const undo = () => {
          // It has lost already: the test ends, and fails.
          if (writes.length > 100 * MOST_WRITES) return
          const live = cluster.live(workload)
          if (wantsPods(live) === (isKeyed || wants > 0)) return
          undone += 1
          cluster.put(isKeyed ? live.withoutItsKey() : BY[by]!(live, wants))
        }
        await start()
        cluster.onChange((before, after) => {
          if (!after) return
          const isOurs = before && before.annotations.state !== after.annotations.state
          if (isOurs && wantsPods(before) !== wantsPods(after)) moves.push(time.monotonic())
          if (prompt && after.pods.observedGeneration < after.generation) cluster.podsFollow(after)
          else if (pause === 0) undo()
          else time.later(undo, pause)
        })
        cluster.put(workload)
        await time.pass(PLAYED)
        await controller.stop()
        expect(busiestHour(moves)).to.be.at.most(MOST_MOVES)
        expect(busiestHour(writes)).to.be.at.most(MOST_WRITES)
      }),
      propertyRuns(30),
    )
    expect(undone, 'in all cases').to.be.above(300)
  })
})

import { setTimeout as pause } from 'node:timers/promises'
import { explanationOfCauses } from '../../domain/workload/explanation.ts'
import { ClusterRefusal } from '../../kubernetes/failures.ts'

/** Milliseconds from one try to the next, and after which no other is made. */
const PAUSE = 500
const LONGEST = 30_000

/** Makes a call that changes something through Dormouse; repeats it shortly after if it was over the rate. */
export async function retriedOverRate<Result>(call: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + LONGEST
  for (;;) {
    try {
      return await call()
    } catch (error) {
      const isTooSoon = error instanceof ClusterRefusal && isOverRate(error)
      if (!isTooSoon || performance.now() >= until) throw error
    }
    await pause(PAUSE)
  }
}

/** Whether Dormouse refused it since its user asks more often than `api.rate` allows. */
function isOverRate({ details }: ClusterRefusal): boolean {
  return explanationOfCauses(details['causes'])?.reason_code === 'rate_limited'
}

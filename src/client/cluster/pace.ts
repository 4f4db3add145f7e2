import { setTimeout as pause } from 'node:timers/promises'
import { ClusterRefusal } from '../../kubernetes/failures.ts'

/** What Dormouse says to who asks more often than `api.rate` allows. */
const TOO_OFTEN = /at most \d+ requests a second/
/** Milliseconds from one try to the next, and after which no other is made. */
const PAUSE = 500
const LONGEST = 30_000

/** Makes a call that asks Dormouse for something; one that comes too soon after others is made again in a moment. */
export async function atItsPace<Result>(call: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + LONGEST
  for (;;) {
    try {
      return await call()
    } catch (error) {
      const isTooSoon = error instanceof ClusterRefusal && TOO_OFTEN.test(error.message)
      if (!isTooSoon || performance.now() >= until) throw error
    }
    await pause(PAUSE)
  }
}

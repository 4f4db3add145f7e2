import { isMainThread } from 'node:worker_threads'

// Loaded by Dormouse's process before the program: its wall clock can be moved while it runs. What measures delays,
// the monotonic clock and timeouts, is left alone, as when somebody sets a machine's clock.

/** Milliseconds that this process' clock is ahead of the machine's when it starts. */
export const AHEAD = 'CLOCK_AHEAD'

/** A message of the test: the clock is to be so many milliseconds ahead. Answered once that is done. */
export interface MoveClock {
  readonly ahead: number
}

const RealDate = Date
let ahead = Number(process.env[AHEAD] ?? 0)
/** The timeouts that wait for an instant of the wall clock: a product's timer looks again within a minute. */
const waiting = new Map<NodeJS.Timeout, () => void>()

class MovedDate extends RealDate {
  constructor(...args: unknown[]) {
    // @ts-expect-error -- Date has many constructors, and each gets what it was given.
    super(...(args.length === 0 ? [MovedDate.now()] : args))
  }

  static override now(): number {
    return RealDate.now() + ahead
  }
}

if (process.send && isMainThread) {
  globalThis.Date = MovedDate as DateConstructor
  const { setTimeout: set, clearTimeout: clear } = globalThis
  // Only the product's own timers, of which none passes arguments on.
  const patched = (...given: Parameters<typeof set>) => {
    const timeout = set(...given)
    if (new Error().stack?.includes('/src/service/process/timers.ts')) waiting.set(timeout, given[0])
    return timeout
  }
  globalThis.setTimeout = Object.assign(patched, set)
  globalThis.clearTimeout = (timeout) => {
    waiting.delete(timeout as NodeJS.Timeout)
    clear(timeout)
  }
  process.on('message', (message: MoveClock) => {
    ahead = message.ahead
    // A minute later they would look at the clock by themselves.
    const due = [...waiting]
    waiting.clear()
    for (const [timeout, callback] of due) {
      clear(timeout)
      callback()
    }
    process.send?.({ moved: true })
  })
  process.channel?.unref()
}

import { isMainThread } from 'node:worker_threads'

// Loaded into Dormouse's process before the program, to move its wall clock while it runs. The monotonic clock and
// timeouts stay as they are, as when somebody sets a machine's clock.

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
    // @ts-expect-error -- Date has many constructors, and each gets the given arguments.
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

import { openSync, readSync } from 'node:fs'

/**
 * Loaded by a program before all else: moves its `Date` by as many milliseconds as a file says, which `ProgramClock`
 * writes while the program runs. Monotonic time and timers go on as they are, as where an administrator sets the clock.
 * With `nap`, timers that look at the clock when they wake sleep for so many milliseconds at most: `Timers`, and long
 * ones.
 */
const { searchParams } = new URL(import.meta.url)
const file = openSync(searchParams.get('offset') ?? '', 'r')
const offset = new BigInt64Array(1)
/** Shorter ones bound calls and watches. None is longer than a minute. */
const LONG = 40_000
const LONGEST = 60_000
const TIMERS = '/src/process/timers.ts'

const RealDate = Date
const realNow = Date.now
const now = () => {
  readSync(file, offset, 0, offset.byteLength, 0)
  return realNow() + Number(offset[0])
}
RealDate.now = now
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
  apply: () => new RealDate(now()).toString(),
})

const nap = searchParams.get('nap')
if (nap !== null) {
  const realTimeout = globalThis.setTimeout
  const longest = Number(nap)
  const looksAtTheClock = (milliseconds: number) =>
    (milliseconds > LONG && milliseconds <= LONGEST) || new Error().stack?.includes(TIMERS)
  const shortened = (callback: () => void, milliseconds = 0, ...args: []) =>
    realTimeout(
      callback,
      milliseconds > longest && looksAtTheClock(milliseconds) ? longest : milliseconds,
      ...args,
    )
  globalThis.setTimeout = Object.assign(shortened, realTimeout)
}

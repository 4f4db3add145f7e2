/** A program, or a set of them, that some suites need beside Node and npm. */
export interface Need<Found> {
  /** Ends the titles of its suites and tests: `with Helm`. */
  readonly phrase: string
  /** Whether `npm test` runs its suites, too, where it is there; the others are for `npm run test:all`. */
  readonly quick: boolean
  /** The duration and means of getting it, for people: `built with Go in 7 minutes`. */
  readonly gotten: string
  /** The things that are there already; nothing is built or installed. Synchronous, since suites are defined by it. */
  find(): Found | undefined
  /** Builds or installs it; absent: only a person can. @throws Error that says why it cannot be had */
  provide?(say: (line: string) => void): Promise<void>
}

/** The answer of `find` and its `gotten`, once a process. */
const found = new Map<Need<unknown>, unknown>()

/** A need of two. */
export function both<A, B>(one: Need<A>, other: Need<B>): Need<[A, B]> {
  return {
    phrase: `${one.phrase} and ${other.phrase}`,
    quick: one.quick && other.quick,
    gotten: `${one.gotten}; ${other.gotten}`,
    find() {
      const found = [thereIs(one), thereIs(other)] as const
      return found[0] === undefined || found[1] === undefined ? undefined : [found[0], found[1]]
    },
  }
}

/** Suites that need no program, but time: `npm test` leaves them out. */
export const moreTime: Need<true> = { phrase: 'with more time', quick: false, gotten: '', find: () => true }

/**
 * The part of it that this run has. `npm test` does without the things that `npm run test:all` brings, and every run
 * without those that it would not bring to a bare machine: a suite that asks for one is missing it on each machine alike.
 */
export function thereIs<Found>(need: Need<Found>): Found | undefined {
  const { DORMOUSE_TESTS: run, DORMOUSE_BROUGHT: brought } = process.env
  if (run === 'quick' && !need.quick) return undefined
  if (need.provide && brought !== undefined && !brought.split('\n').includes(need.phrase)) return undefined
  if (!found.has(need)) found.set(need, need.find())
  return found.get(need) as Found | undefined
}

/** Titles of the suites and tests that are left out, by the phrase of what they need. */
const leftOut = new Map<string, string[]>()

export function whatIsLeftOut(): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(leftOut)
}

/**
 * Calls `define` with the title, which then ends with the need's phrase, and with what is there; else notes the title as
 * left out, or where all is required, as a failure.
 */
export function withFound<Found>(
  need: Need<Found>,
  title: string,
  define: (title: string, found: Found) => void,
): void {
  const { phrase, gotten } = need
  const full = `${title} (${phrase})`
  const there = thereIs(need)
  if (there !== undefined) {
    define(full, there)
  } else if (process.env['DORMOUSE_REQUIRED'] === 'true') {
    it(full, () => {
      throw new Error(`what it runs ${phrase} is not there: ${gotten}`)
    })
  } else {
    leftOut.set(phrase, [...(leftOut.get(phrase) ?? []), title])
  }
}

/**
 * Defines a suite that needs something: without it the suite does not exist, so that none of its hooks runs. The
 * definition gets what was found, and has no other way to it.
 */
export function describeWith<Found>(
  need: Need<Found>,
  title: string,
  define: (this: Mocha.Suite, found: Found) => void,
): void {
  withFound(need, title, (full, found) => {
    describe(full, function () {
      define.call(this, found)
    })
  })
}

/** The same for one test. */
export function itWith<Found>(
  need: Need<Found>,
  title: string,
  test: (this: Mocha.Context, found: Found) => void | Promise<void>,
): void {
  withFound(need, title, (full, found) => {
    it(full, function () {
      return test.call(this, found)
    })
  })
}

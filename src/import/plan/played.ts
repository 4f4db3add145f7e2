import { shortName, WEEK, MINUTES_OF_DAY } from '../../domain/schedule/window.ts'
import type { Timer } from './sleep-times.ts'
import { MINUTES_OF_WEEK, Week } from './week.ts'

/**
 * The state of one workload under kube-green, in bits. The first says whether it is awake. Two more for each SleepInfo
 * say whether its next action is to wake, and whether its Secret keeps the count.
 */
type State = number
const AWAKE = 1
const isToWake = (index: number) => 2 << (2 * index)
const keeps = (index: number) => 4 << (2 * index)

/** No SleepInfo has acted yet. */
const FRESH: State = AWAKE

/**
 * The state after a SleepInfo acted at one of its times, by kube-green's documentation and the behaviour of 0.7.1. Its
 * actions alternate, unless it never wakes. It keeps the count only if it finds the workload awake. It wakes only a
 * workload whose count it keeps, and then forgets the count.
 */
function acted(state: State, index: number, { wakes }: Timer): State {
  if (state & isToWake(index)) {
    const woken = state & keeps(index) ? state | AWAKE : state
    return woken & ~keeps(index) & ~isToWake(index)
  }
  const asleep = state & AWAKE ? (state & ~AWAKE) | keeps(index) : state
  return wakes.size > 0 ? asleep | isToWake(index) : asleep
}

function isDue(state: State, index: number, at: number, { sleeps, wakes }: Timer): boolean {
  return (state & isToWake(index) ? wakes : sleeps).has(at)
}

function timesOf(timers: readonly Timer[]): number[] {
  const all = new Set(timers.flatMap(({ sleeps, wakes }) => [...sleeps, ...wakes]))
  return [...all].toSorted((a, b) => a - b)
}

/** The hours in which a workload is awake if nobody but these SleepInfos changes it; undefined: weeks differ. */
export function hoursLeftBy(all: readonly Timer[]): Week | undefined {
  const timers = withoutDoubles(all)
  if (timers.length > MOST_TIMERS) return undefined
  const times = timesOf(timers)
  const seen = new Set<State>()
  for (let before = FRESH; !seen.has(before);) {
    seen.add(before)
    let state = before
    const awake: [number, number][] = []
    for (const [place, at] of [0, ...times].entries()) {
      if (place > 0) state = oneByOne(state, at, timers)
      if (state & AWAKE) awake.push([at, times[place] ?? MINUTES_OF_WEEK])
    }
    if (state === before) return Week.covering(awake)
    before = state
  }
  return undefined
}

function oneByOne(state: State, at: number, timers: readonly Timer[]): State {
  return timers.reduce(
    (now, each, index) => (isDue(now, index, at, each) ? acted(now, index, each) : now),
    state,
  )
}

/** The states after all SleepInfos that are due acted: one state for each order, since kube-green promises none. */
function inAnyOrder(state: State, at: number, timers: readonly Timer[]): Set<State> {
  const due = [...timers.entries()].filter(([index, timer]) => isDue(state, index, at, timer))
  const ordered = (from: State, left: typeof due): State[] =>
    left.length === 0
      ? [from]
      : left.flatMap((next) =>
          ordered(
            acted(from, ...next),
            left.filter((each) => each !== next),
          ),
        )
  return new Set(ordered(state, due))
}

/** Limits of the search: states, and SleepInfos that may act at once. */
const LOOKS = 300_000
const MOST_PLAYED = 5
const TOO_MANY = 'its SleepInfos are too many, or act too often, to compare what follows where people wake it'
/** More do not fit into the bits of a state. */
const MOST_TIMERS = 14

/** A workload between two times, under kube-green and under a schedule of ours. */
interface Moment {
  /** The index of the time that comes next. */
  readonly place: number
  readonly state: State
  readonly isAwake: boolean
  /** The index of the time before which a person woke it last. */
  readonly wokenBefore?: number
}

/**
 * Plays kube-green and our schedule side by side, from each time of the week on. A person may wake the workload between
 * any two times; under Dormouse such a wake lasts to the next edge.
 * @returns where they first differ, in words; undefined: nowhere
 */
export function difference(timers: readonly Timer[], hours: Week, autoWake: boolean): string | undefined {
  const distinct = withoutDoubles(timers)
  if (distinct.length > MOST_PLAYED) return TOO_MANY
  const edges = new Set(hours.edges())
  const times = [...new Set([...timesOf(distinct), ...edges])].toSorted((a, b) => a - b)
  const seen = new Set<number>()
  const states = 2 << (2 * distinct.length)
  const isNew = ({ place, state, isAwake }: Moment) => {
    const key = (place * states + state) * 2 + Number(isAwake)
    return !seen.has(key) && Boolean(seen.add(key))
  }
  // Moments with fewer wakes by people come first, so that the shortest difference is shown.
  let now = times
    .map((_, place): Moment => ({ place, state: FRESH, isAwake: true }))
    .filter((each) => (!autoWake || hours.has(times.at(each.place - 1) ?? 0)) && isNew(each))
  while (now.length > 0) {
    const later: Moment[] = []
    for (const moment of now) {
      if (seen.size > LOOKS) return TOO_MANY
      const { place, state, wokenBefore, isAwake } = moment
      const at = times[place] ?? 0
      const ours = edges.has(at) ? hours.has(at) && (autoWake || isAwake) : isAwake
      for (const then of inAnyOrder(state, at, distinct)) {
        if (Boolean(then & AWAKE) !== ours) return saysWhere(times, moment, ours)
        const next = { place: (place + 1) % times.length, state: then, isAwake: ours }
        const following = { ...next, ...(wokenBefore !== undefined && { wokenBefore }) }
        if (isNew(following)) now.push(following)
        if (ours) continue
        const byHand = { ...next, state: then | AWAKE, isAwake: true, wokenBefore: next.place }
        if (isNew(byHand)) later.push(byHand)
      }
    }
    now = later
  }
  return undefined
}

/** Drops SleepInfos that act at the same times as another one: together they do what one does. */
function withoutDoubles(timers: readonly Timer[]): Timer[] {
  return [...new Map(timers.map((each) => [keyOf(each), each])).values()]
}

function keyOf({ sleeps, wakes }: Timer): string {
  return [sleeps, wakes].map((times) => [...times].toSorted((a, b) => a - b).join()).join(' ')
}

function saysWhere(times: readonly number[], { place, wokenBefore }: Moment, isOurs: boolean): string {
  const clock = (at = 0) => clockOf(times.at(at) ?? 0)
  const [theirs, ours] = isOurs ? ['asleep', 'awake'] : ['awake', 'asleep']
  const hand =
    wokenBefore === undefined
      ? ''
      : `once a person woke it between ${clock(wokenBefore - 1)} and ${clock(wokenBefore)}, `
  return `${hand}kube-green may have it ${theirs} from ${clock(place)} on, which depends on the SleepInfo that put it to sleep, and Dormouse has it ${ours}`
}

/** `Mon 7:59` */
function clockOf(at: number): string {
  const minute = at % MINUTES_OF_DAY
  const day = shortName(WEEK[Math.floor(at / MINUTES_OF_DAY)] ?? 1)
  return `${day} ${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, '0')}`
}

import { DateTime } from 'luxon'

/** A span as its author meant it, and its text. */
export interface Hours {
  readonly first: number
  readonly last: number
  readonly from: number
  readonly to: number
  readonly zone: string
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const two = (value: number) => String(value).padStart(2, '0')
const clock = (minute: number) => `${two(Math.floor(minute / 60))}:${two(minute % 60)}`

export function textOf({ first, last, from, to, zone }: Hours): string {
  return `${DAYS[first]}-${DAYS[last]} ${clock(from)}-${clock(to)} ${zone}`
}

/** How py-kube-downscaler tests a span: hours within one day, on days that may run past the end of the week. */
export function isInPy(at: number, { first, last, from, to, zone }: Hours): boolean {
  const { day, minute } = local(at, zone)
  const inDays = first <= last ? first <= day && day <= last : day >= first || day <= last
  return inDays && from <= minute && minute < to
}

/** How GoKubeDownscaler tests one: the day is that of the moment, the hours may run past midnight. */
export function isInGo(at: number, { first, last, from, to, zone }: Hours): boolean {
  const { day, minute } = local(at, zone)
  const inDays = first <= last ? first <= day && day <= last : day >= first || day <= last
  const inHours = from <= to ? from <= minute && minute < to : minute >= from || minute < to
  return inDays && inHours
}

/** A SleepInfo's effect at a minute: its days apply to both times. */
export interface Info {
  readonly days: readonly number[]
  readonly sleep: number
  readonly wake: number
}

/** The states that kube-green leaves, minute by minute from `from`, of a workload that is awake then. */
export function* playedByKubeGreen(info: Info, zone: string, from: number): Generator<[number, boolean]> {
  let awake = true
  for (let at = from; ; at += 60_000) {
    const { day, minute } = local(at, zone)
    if (info.days.includes(day)) {
      if (minute === info.sleep) awake = false
      if (minute === info.wake) awake = true
    }
    yield [at, awake]
  }
}

/** By the clocks of a zone; `day` counts from Monday, 0. */
function local(at: number, zone: string): { day: number; minute: number } {
  const { weekday, hour, minute } = DateTime.fromMillis(at, { zone })
  return { day: weekday - 1, minute: hour * 60 + minute }
}

/** A SleepInfo that acts at whole hours of some days, as cron has them. */
export interface Times {
  readonly days: string
  readonly sleep: number
  readonly wake: number | null
}

/** One workload with the Secrets of its SleepInfos, hour by hour. */
export class KubeGreen {
  isAwake = true
  readonly #infos: readonly (Times & { secret: { operation?: 'SLEEP' | 'WAKE_UP'; keeps: boolean } })[]

  constructor(all: readonly Times[], isReversed: boolean) {
    const infos = all.map((each) => ({ ...each, secret: { keeps: false } }))
    this.#infos = isReversed ? infos.toReversed() : infos
  }

  /** `day` counts from Monday, 0. */
  pass(day: number, hour: number): void {
    const cron = (day + 1) % 7
    for (const info of this.#infos) {
      if (!CRON_DAYS[info.days]?.includes(cron)) continue
      const { secret, sleep, wake } = info
      const isWake = wake !== null && secret.operation === 'SLEEP'
      if (hour !== (isWake ? wake : sleep)) continue
      if (isWake) {
        if (secret.keeps) this.isAwake = true
        info.secret = { operation: 'WAKE_UP', keeps: false }
      } else {
        info.secret = { operation: 'SLEEP', keeps: secret.keeps || this.isAwake }
        this.isAwake = false
      }
    }
  }
}

const CRON_DAYS: Readonly<Record<string, readonly number[]>> = {
  '*': [0, 1, 2, 3, 4, 5, 6],
  '1-5': [1, 2, 3, 4, 5],
  '0,6': [0, 6],
  '5': [5],
  '1': [1],
}

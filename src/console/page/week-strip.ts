import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { Plan } from './plans.ts'
import { type Transition, type Workload } from './record.ts'
import { html } from './view.ts'
import { calendarWeek, days, quietWeek, segments, type Segment } from './week.ts'
import { hasUnknownHours } from '../../words/state.ts'
import { DATE, format, shortTime } from '../../words/time.ts'

/** The parts of a workload, or of what it would be. */
export interface WeekProps {
  readonly workload: Pick<Workload, 'enabled' | 'is_snoozed' | 'timezone' | 'reason_values'>
  readonly plan: Plan
  readonly now: number
}

/** The first letters of the days, above the strips. */
export function DayLetters({ now }: { now: number }): VNode {
  const { midnights } = calendarWeek(now)
  const day = format({ weekday: 'narrow' })
  return html`<span class="letters" aria-hidden="true">
    ${midnights.slice(0, -1).map((at) => html`<span key=${at}>${day.format(at)}</span>`)}
  </span>`
}

/** Today and the six days after it, in the reader's zone: dark is asleep, a line is now. Times where the mouse is. */
export function WeekStrip({ workload, plan, now }: WeekProps): VNode {
  const [pointed, point] = useState<number | undefined>(undefined)
  if (!workload.enabled) return html`<div class="strip unmanaged"></div>`
  if (hasUnknownHours(workload))
    return html`<div class="strip unmanaged" role="img" aria-label="The coming week: not known here"></div>`
  if (!plan)
    return html`<div class="strip ${plan === null ? 'unmanaged' : 'loading'}" role="img" aria-label="The coming week: not known yet"></div>`
  const { from, to, midnights } = calendarWeek(now)
  const week = segments(workload.is_snoozed, plan, now)
  const share = (time: number) => `${((100 * (time - from)) / (to - from)).toFixed(2)}%`
  const at = pointed === undefined ? undefined : from + pointed * (to - from)
  return html`<div
    class="coming-week"
    onMouseMove=${({ currentTarget, clientX }: MouseEvent) => {
      const { left, width } = (currentTarget as Element).getBoundingClientRect()
      point((clientX - left) / width)
    }}
    onMouseLeave=${() => point(undefined)}
  >
    <div class="strip" role="img" aria-label=${summary(workload, plan, now)}>
      ${week
        .filter(({ asleep }) => asleep)
        .map(
          (each) =>
            html`<i class="sleep" key=${each.from} style=${{ left: share(each.from), width: `calc(${share(each.to)} - ${share(each.from)})` }}></i>`,
        )}
      <i class="past" style=${{ width: share(now) }}></i>
      ${midnights.slice(1, -1).map((day) => html`<i class="day" key=${day} style=${{ left: share(day) }}></i>`)}
      <i class="now" style=${{ left: share(now) }}></i>
    </div>
    ${at !== undefined && html`<span class="tip" aria-hidden="true" style=${{ left: `clamp(70px, ${share(at)}, calc(100% - 70px))` }}>${tipOf(week, at, now)}</span>`}
  </div>`
}

/** `asleep until Mon 30 Nov, 8:00`. */
function tipOf(week: readonly Segment[], at: number, now: number): string {
  if (at < now) return 'earlier today'
  const segment = week.find(({ from, to }) => from <= at && at < to)
  const state = segment?.asleep ? 'asleep' : 'awake'
  if (!segment || segment === week.at(-1))
    return `${state} ${segment && segment.from > now ? `from ${shortTime(segment.from, now)}` : 'throughout'}`
  const until = shortTime(segment.to, now)
  return segment.from > now
    ? `${state} ${shortTime(segment.from, now)} to ${until}`
    : `${state} until ${until}`
}

function summary(
  { is_snoozed: asleep }: WeekProps['workload'],
  plan: readonly Transition[],
  now: number,
): string {
  const present = asleep ? 'asleep' : 'awake'
  const [next] = plan
  if (!next) return `The coming week: ${present} throughout`
  const change = next.type === 'wake' ? 'wakes' : 'falls asleep'
  return `The coming week: ${present}, ${change} ${shortTime(Date.parse(next.at), now)}, ${plan.length} changes`
}

/** The same days in words, in the zone of the workload. */
export function WeekTable({ workload, plan, now }: WeekProps): VNode {
  const zone = workload.timezone ?? 'UTC'
  if (!plan)
    return html`<p class="quiet">${plan === null ? 'The coming week could not be read.' : 'The coming week is being asked for…'}</p>`
  if (plan.length === 0) return html`<p>${quietWeek(workload)}</p>`
  const today = format(DATE, zone).format(now)
  return html`<table class="week">
    <caption>Awake, in ${zone}</caption>
    <tbody>
      ${days(segments(workload.is_snoozed, plan, now), zone).map(
        ({ from, name, awake }) =>
          html`<tr key=${from}>
            <th scope="row">${name === today && from === now ? 'Today' : name}</th>
            <td class=${awake === 'asleep' ? 'quiet' : ''}>${awake}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

import type { VNode } from 'preact'
import type { Plan } from './plans.ts'
import type { Transition, Workload } from './record.ts'
import { html } from './view.ts'
import { DATE, format, shortTime } from './words.ts'
import { days, daysIn, segments, WEEK } from './week.ts'

export interface WeekProps {
  readonly workload: Workload
  readonly plan: Plan
  readonly now: number
}

/** The coming week as a strip: dark is asleep; a line begins each day of the workload's zone. */
export function WeekStrip({ workload, plan, now }: WeekProps): VNode {
  if (!plan)
    return html`<div class="strip empty" role="img" aria-label="The coming week: not known yet"></div>`
  const week = segments(workload.is_snoozed, plan, now)
  const share = (time: number) => `${((100 * time) / WEEK).toFixed(3)}%`
  const zone = workload.timezone ?? 'UTC'
  return html`<div
    class=${`strip${workload.enabled ? '' : ' unmanaged'}`}
    role="img"
    aria-label=${summary(workload, plan, now)}
  >
    ${week
      .filter(({ asleep }) => asleep)
      .map(
        ({ from, to }) =>
          html`<i
            class="sleep"
            key=${from}
            style=${{ left: share(from - now), width: share(to - from) }}
          ></i>`,
      )}
    ${daysIn(zone, now)
      .filter((at) => at > now && at < now + WEEK)
      .map((at) => html`<i class="day" key=${at} style=${{ left: share(at - now) }}></i>`)}
  </div>`
}

function summary(workload: Workload, plan: readonly Transition[], now: number): string {
  const present = workload.is_snoozed ? 'asleep' : 'awake'
  const [next] = plan
  if (!next) return `The coming week: ${present} throughout`
  const change = next.type === 'wake' ? 'wakes' : 'falls asleep'
  return `The coming week: ${present}, ${change} ${shortTime(Date.parse(next.at), now)}, ${plan.length} changes`
}

/** The same week in words, for who cannot see the strip or wants the times. */
export function WeekTable({ workload, plan, now }: WeekProps): VNode {
  const zone = workload.timezone ?? 'UTC'
  if (!plan)
    return html`<p class="quiet">${plan === null ? 'The coming week could not be read.' : 'The coming week is being asked for…'}</p>`
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

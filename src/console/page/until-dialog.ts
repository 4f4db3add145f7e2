import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { until } from './actions.ts'
import type { App } from './app.ts'
import { Dialog } from './dialog.ts'
import type { Workload } from './record.ts'
import { html } from './view.ts'
import { DATE, duration, format, shortTime, TIME } from '../../words/time.ts'

const HOUR = 3_600_000

interface Props {
  readonly app: App
  readonly workload: Workload
  readonly verb: 'wake' | 'snooze'
  readonly onClose: () => void
}

/** Asks until when a workload should be awake or asleep, in the reader's own time. */
export function UntilDialog({ app, workload, verb, onClose }: Props): VNode {
  const now = Date.now()
  const [text, setText] = useState(() => localInput(nextHour(now, 2)))
  const at = new Date(text).getTime()
  const isGood = Number.isFinite(at) && at > now && at <= now + 8760 * HOUR
  const state = verb === 'wake' ? 'Awake' : 'Asleep'
  function submit(event: Event): void {
    event.preventDefault()
    if (!isGood) return
    void app.doing.perform(until(verb, at, Date.now(), workload, app.model))
    onClose()
  }
  return html`<${Dialog} id="until" title=${`${workload.name}: ${state.toLowerCase()} until when?`} onClose=${onClose}>
    <form onSubmit=${submit}>
      <label class="field">
        <span>${state} until</span>
        <input
          type="datetime-local"
          required
          value=${text}
          min=${localInput(now)}
          onInput=${(event: Event) => setText((event.target as HTMLInputElement).value)}
        />
      </label>
      <div class="presets">
        ${presets(now).map(([label, time]) => html`<button type="button" key=${label} onClick=${() => setText(localInput(time))}>${label}</button>`)}
      </div>
      <p class="quiet" aria-live="polite">
        ${isGood ? `${state} until ${shortTime(at, now)}, for ${duration(at - now)}, whatever its schedule says.` : 'Choose a time that is to come, within a year.'}
      </p>
      <div class="buttons">
        <button type="submit" class="primary" aria-disabled=${isGood ? 'false' : 'true'}>
          ${verb === 'wake' ? 'Wake' : 'Snooze'}
        </button>
        <button type="button" onClick=${onClose}>Cancel</button>
      </div>
    </form>
  <//>`
}

/** As `datetime-local` has it: local, without a zone. */
function localInput(at: number): string {
  const date = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return date.toISOString().slice(0, 16)
}

function nextHour(now: number, hours: number): number {
  return new Date(now + hours * HOUR).setMinutes(0, 0, 0)
}

/** Times that people choose often, with their day. */
export function presets(now: number): [string, number][] {
  const atHour = (days: number, hour: number) => {
    const date = new Date(now)
    date.setDate(date.getDate() + days)
    return date.setHours(hour, 0, 0, 0)
  }
  const monday = (8 - new Date(now).getDay()) % 7 || 7
  const found = [atHour(0, 18), atHour(0, 22), atHour(1, 8), ...(monday > 1 ? [atHour(monday, 8)] : [])]
  return found.filter((at) => at > now).map((at) => [presetLabel(at, now), at])
}

function presetLabel(at: number, now: number): string {
  const time = format(TIME).format(at)
  const day = (instant: number) => format(DATE).format(instant)
  if (day(at) === day(now)) return `${time} today`
  return day(at) === day(new Date(now).setDate(new Date(now).getDate() + 1))
    ? `${time} tomorrow`
    : `${day(at)}, ${time}`
}

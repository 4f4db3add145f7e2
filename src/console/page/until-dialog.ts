import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { until } from './actions.ts'
import type { App } from './app.ts'
import { Dialog } from './dialog.ts'
import type { Workload } from './record.ts'
import { html } from './view.ts'
import { duration } from './words.ts'

const HOUR = 3_600_000

interface Props {
  readonly app: App
  readonly workload: Workload
  readonly onClose: () => void
}

/** Asks until when a workload should be awake or asleep, in the reader's own time. */
export function UntilDialog({ app, workload, onClose }: Props): VNode {
  const now = Date.now()
  const [verb, setVerb] = useState<'wake' | 'snooze'>('wake')
  const [text, setText] = useState(() => localInput(nextHour(now, 2)))
  const at = new Date(text).getTime()
  const isGood = Number.isFinite(at) && at > now && at <= now + 8760 * HOUR
  function submit(event: Event): void {
    event.preventDefault()
    if (!isGood) return
    void app.doing.perform(until(verb, at, Date.now(), workload, app.model))
    onClose()
  }
  return html`<${Dialog} id="until" title=${`${workload.name}: until when?`} onClose=${onClose}>
    <form onSubmit=${submit}>
      <fieldset>
        <legend>It is to be</legend>
        ${(['wake', 'snooze'] as const).map(
          (each) =>
            html`<label key=${each} class="choice">
              <input type="radio" name="verb" checked=${verb === each} onChange=${() => setVerb(each)} />
              ${each === 'wake' ? 'awake' : 'asleep'}
            </label>`,
        )}
      </fieldset>
      <label class="field">
        <span>until</span>
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
        ${isGood ? `For ${duration(at - now)}, whatever the schedule says.` : 'Choose a time that is to come, within a year.'}
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

function presets(now: number): [string, number][] {
  const atHour = (days: number, hour: number) => {
    const date = new Date(now)
    date.setDate(date.getDate() + days)
    return date.setHours(hour, 0, 0, 0)
  }
  const monday = (8 - new Date(now).getDay()) % 7 || 7
  const all: [string, number][] = [
    ['18:00 today', atHour(0, 18)],
    ['22:00 today', atHour(0, 22)],
    ['8:00 tomorrow', atHour(1, 8)],
    ['Monday 8:00', atHour(monday, 8)],
  ]
  return all.filter(([, at]) => at > now)
}

import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { hours } from './actions.ts'
import type { App } from './app.ts'
import { Dialog } from './dialog.ts'
import type { Workload } from './record.ts'
import { html } from './view.ts'

interface Props {
  readonly app: App
  readonly workload: Workload
  readonly onClose: () => void
}

/** Asks in which hours a workload runs: before Dormouse manages it, or of one that it manages. */
export function HoursDialog({ app, workload, onClose }: Props): VNode {
  const { enabled, wake_schedule, timezone, name } = workload
  const zone = (enabled && timezone) || Intl.DateTimeFormat().resolvedOptions().timeZone
  const [fault, setFault] = useState('')
  const submit = async (event: Event) => {
    event.preventDefault()
    // A field that was not edited may be inherited, or unknown here.
    const [text, place] = Array.from(
      (event.target as Element).querySelectorAll('input'),
      ({ value, defaultValue }) => (value === defaultValue ? undefined : value.trim()),
    )
    const body = { schedule: text, timezone: place ?? (enabled || !text ? undefined : zone) }
    if (
      (enabled && (text ?? place) === undefined) ||
      (await app.doing.perform(hours(workload, body, app.model), setFault))
    )
      onClose()
  }
  const field = (label: string, value: string, placeholder = '') =>
    html`<label class="field">
      <span>${label}</span>
      <input defaultValue=${value} placeholder=${placeholder} spellcheck=${false} />
    </label>`
  return html`<${Dialog} id="hours" title=${enabled ? `Hours of ${name}` : `Manage ${name}`} onClose=${onClose}>
    <form onSubmit=${submit}>
      ${field('It runs', wake_schedule ?? '', '8:00-18:00,Mon-Fri')} ${field('Time zone', zone)}
      <p class=${fault ? 'fault' : 'quiet'} aria-live="polite">
        ${fault || (enabled ? 'It follows them at once. Empty: none.' : 'It sleeps outside of them at once. Empty: none.')}
      </p>
      <div class="buttons">
        <button type="submit" class="primary">${enabled ? 'Set hours' : 'Manage'}</button>
        <button type="button" onClick=${onClose}>Cancel</button>
      </div>
    </form>
  <//>`
}

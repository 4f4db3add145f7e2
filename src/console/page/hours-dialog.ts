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
  const [schedule, setSchedule] = useState(wake_schedule ?? '')
  const [zone, setZone] = useState((enabled && timezone) || Intl.DateTimeFormat().resolvedOptions().timeZone)
  const [fault, setFault] = useState('')
  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    if (await app.doing.perform(hours(workload, schedule.trim(), zone.trim(), app.model), setFault)) onClose()
  }
  const field = (label: string, value: string, set: (text: string) => void, placeholder: string) =>
    html`<label class="field">
      <span>${label}</span>
      <input
        type="text"
        value=${value}
        placeholder=${placeholder}
        spellcheck=${false}
        autocapitalize="none"
        onInput=${(event: Event) => set((event.target as HTMLInputElement).value)}
      />
    </label>`
  return html`<${Dialog} id="hours" title=${enabled ? `Hours of ${name}` : `Manage ${name}`} onClose=${onClose}>
    <form onSubmit=${submit}>
      ${field('It runs', schedule, setSchedule, '8:00-18:00,Mon-Fri')} ${field('Time zone', zone, setZone, 'Europe/Berlin')}
      <p class=${fault === '' ? 'quiet' : 'fault'} aria-live="polite">
        ${fault || (enabled ? 'Empty: no hours. It follows them at once.' : 'Outside of these hours it is put to sleep at once. Empty: no hours of its own.')}
      </p>
      <div class="buttons">
        <button type="submit" class="primary">${enabled ? 'Set hours' : 'Manage'}</button>
        <button type="button" onClick=${onClose}>Cancel</button>
      </div>
    </form>
  <//>`
}

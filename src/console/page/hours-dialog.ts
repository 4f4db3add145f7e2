import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { hours, hoursCall } from './actions.ts'
import { pagesOf, type Call } from './api.ts'
import type { App } from './app.ts'
import { Dialog } from './dialog.ts'
import { textOf } from './doing.ts'
import { faultOf } from './hours-fault.ts'
import type { Plan } from './plans.ts'
import type { Transition, Workload } from './record.ts'
import { html } from './view.ts'
import { DayLetters, WeekStrip, WeekTable } from './week-strip.ts'

/** Letters come one after the other. In milliseconds. */
const TYPING = 350
const OFTEN = ['8:00-18:00,Mon-Fri', '7:00-20:00,Mon-Fri', '8:00-22:00']

interface Props {
  readonly app: App
  readonly workload: Workload
  readonly onClose: () => void
}

/** Asks in which hours a workload runs, and shows the week that would come of it, before anything is done. */
export function HoursDialog({ app, workload, onClose }: Props): VNode {
  const { enabled, wake_schedule, timezone, name } = workload
  // Hours that it kept have a zone; without any, those of the reader are likely.
  const hasZone = enabled || wake_schedule !== null
  const formerZone = (hasZone && timezone) || Intl.DateTimeFormat().resolvedOptions().timeZone
  const former = wake_schedule ?? ''
  // A field that nobody edited follows the workload, which others may change meanwhile.
  const [schedule = former, setSchedule] = useState<string>()
  const [zone = formerZone, setZone] = useState<string>()
  const [told, setFault] = useState('')
  const { about, fault } = faultOf(told)
  // A field that was not edited may be inherited, or unknown here.
  const text = schedule.trim() === former ? undefined : schedule.trim()
  const place = zone.trim() === formerZone ? undefined : zone.trim()
  const body = { schedule: text, timezone: place ?? (hasZone || !text ? undefined : zone) }
  const isChanged = !enabled || (text ?? place) !== undefined
  const submit = async (event: Event) => {
    event.preventDefault()
    if (!isChanged || (await app.doing.perform(hours(workload, body, app.model), setFault))) onClose()
  }
  const field = (
    name: keyof typeof body,
    label: string,
    value: string,
    set: (value: string) => void,
    placeholder = '',
  ) => {
    const isWrong = about === name
    return html`<label class="field">
      <span>${label}</span>
      <input
        value=${value}
        placeholder=${placeholder}
        aria-invalid=${isWrong ? 'true' : 'false'}
        aria-describedby=${isWrong ? 'hours-fault' : undefined}
        spellcheck=${false}
        autocapitalize="none"
        onInput=${(event: Event) => {
          setFault('')
          set((event.target as HTMLInputElement).value)
        }}
      />
      ${isWrong && html`<p id="hours-fault" class="fault" role="alert">${fault}</p>`}
    </label>`
  }
  return html`<${Dialog} id="hours" title=${enabled ? `Hours of ${name}` : `Manage ${name}`} onClose=${onClose}>
    <form onSubmit=${submit}>
      ${field('schedule', 'It runs', schedule, setSchedule, OFTEN[0])}
      <div class="presets">
        ${OFTEN.map((each) => html`<button type="button" key=${each} onClick=${() => (setFault(''), setSchedule(each))}>${each}</button>`)}
      </div>
      ${field('timezone', 'Time zone', zone, setZone)}
      ${about === undefined && fault !== '' && html`<p class="fault" role="alert">${fault}</p>`}
      <${Preview} app=${app} workload=${workload} body=${body} onFault=${setFault} />
      <div class="buttons">
        <button type="submit" class="primary">${enabled ? 'Set hours' : 'Manage'}</button>
        <button type="button" onClick=${onClose}>Cancel</button>
      </div>
    </form>
  <//>`
}

interface PreviewProps {
  readonly app: App
  readonly workload: Workload
  readonly body: object
  readonly onFault: (text: string) => void
}

interface Outcome {
  readonly workload: Workload
  readonly plan: Plan
}

/** The week that would come: by a dry run, and a plan as if it were done. */
function Preview({ app, workload, body, onFault }: PreviewProps): VNode {
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined)
  const call = hoursCall(workload, body, app.model)
  const asked = JSON.stringify(call)
  useEffect(() => {
    let isOld = false
    const timer = setTimeout(() => {
      outcomeOf(app, workload, body, call).then(
        (found) => isOld || setOutcome(found),
        (error: unknown) => {
          if (isOld) return
          setOutcome(undefined)
          onFault(textOf(error))
        },
      )
    }, TYPING)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [asked])
  const now = Date.now()
  return html`<div class="preview" aria-live="polite">
    ${
      outcome === undefined
        ? html`<p class="quiet">The week that would come of it</p>`
        : html`<p>${outcome.workload.is_snoozed && !workload.is_snoozed ? html`<strong>It falls asleep at once.</strong>` : 'It stays as it is for now.'}</p>
            <div><${DayLetters} now=${now} /><${WeekStrip} workload=${outcome.workload} plan=${outcome.plan} now=${now} /></div>
            <${WeekTable} workload=${outcome.workload} plan=${outcome.plan} now=${now} />`
    }
  </div>`
}

async function outcomeOf(app: App, workload: Workload, body: object, call: Call): Promise<Outcome> {
  const dry = await app.doing.ask<Workload>({ ...call, path: `${call.path}?dryRun=true` })
  const asIf = new URLSearchParams({ hours: '168' })
  // Without any hours it would be the plan of what nobody manages.
  const hoursAsked = workload.enabled ? body : { ...body, timezone: dry.data.timezone }
  for (const [name, value] of Object.entries(hoursAsked))
    if (value !== undefined) asIf.set(name, String(value))
  const plan = await pagesOf<Transition>(app.doing, `${app.model.pathOf(workload)}/plan?${asIf}`)
  return { workload: dry.data, plan }
}

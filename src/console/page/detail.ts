import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { buttonsOf } from './actions.ts'
import type { App } from './app.ts'
import { History, Saved } from './history.ts'
import { HoursDialog } from './hours-dialog.ts'
import { icon } from './icons.ts'
import { isBroken, keyOf, type Workload } from './record.ts'
import { StateBadge } from './row.ts'
import { UntilDialog } from './until-dialog.ts'
import { html } from './view.ts'
import { WeekStrip, WeekTable, type WeekProps } from './week-strip.ts'
import { localised, reasonOf, shortTime, waitOf } from './words.ts'

interface Props {
  readonly app: App
  readonly workload: Workload
  readonly now: number
}

/** One workload: reason, next transitions, history, and all buttons. */
export function Detail({ app, workload, now }: Props): VNode {
  const { model, plans, doing } = app
  const key = keyOf(workload)
  const heading = useRef<HTMLHeadingElement>(null)
  const [asked, ask] = useState('')
  useEffect(() => heading.current?.focus(), [key])
  useEffect(() => plans.want(workload), [workload])
  const plan = plans.of(workload)
  const { namespace, type, name } = workload
  const busy = model.busy.has(key) ? 'true' : 'false'
  const wait = waitOf(workload, now)
  const takesUntil = workload.enabled && workload.pin_state === 'none'
  return html`<section
    class="detail"
    aria-labelledby="detail-name"
    onKeyDown=${(event: KeyboardEvent) => event.key === 'Escape' && asked === '' && app.close()}
  >
    <header>
      <div>
        <h2 id="detail-name" tabindex="-1" ref=${heading}>${name}</h2>
        <p class="quiet">${namespace} · ${type}</p>
      </div>
      <button type="button" class="plain" aria-label="Close" onClick=${() => app.close()}>
        ${icon('close')}
      </button>
    </header>
    <div class="body">
      <p><${StateBadge} workload=${workload} /></p>
      <p class="reason">${reasonOf(workload, now)}</p>
      ${wait !== undefined && html`<p>${wait}</p>`}
      <div class="buttons">
        ${buttonsOf(workload, model).map(
          (button, index) =>
            html`<button
              type="button"
              key=${button.id}
              class=${index === 0 ? 'primary' : ''}
              title=${button.hint}
              aria-disabled=${busy}
              onClick=${() => void doing.perform(button)}
            >
              ${button.label}
            </button>`,
        )}
        ${takesUntil && html`<button type="button" title="Awake or asleep until a time that you choose" aria-disabled=${busy} onClick=${() => ask('until')}>Until…</button>`}
        ${!isBroken(workload) && workload.pin_state === 'none' && html`<button type="button" title="In which hours it runs" aria-disabled=${busy} onClick=${() => ask('hours')}>${workload.enabled ? 'Hours…' : 'Manage…'}</button>`}
      </div>
      <dl class="facts">
        <div>
          <dt>Replicas</dt>
          <dd>
            ${workload.is_snoozed ? `0; ${workload.last_replicas} are kept and come back` : `${workload.current_replicas}, ${workload.ready_replicas} ready`}
          </dd>
        </div>
        <div>
          <dt>Schedule</dt>
          <dd>
            ${workload.wake_schedule ?? 'none'}${workload.wake_schedule !== null && html` <span class="quiet">${workload.timezone}</span>`}
          </dd>
        </div>
        ${
          source(workload) &&
          html`<div>
            <dt>Set by</dt>
            <dd>${source(workload)}</dd>
          </div>`
        }
      </dl>
      <${Saved} workload=${workload} now=${now} />
      ${workload.enabled && html`<${Coming} workload=${workload} plan=${plan} now=${now} />`}
      <h3>History</h3>
      <${History} workload=${workload} now=${now} />
    </div>
    ${asked === 'until' && html`<${UntilDialog} app=${app} workload=${workload} onClose=${() => ask('')} />`}
    ${asked === 'hours' && html`<${HoursDialog} app=${app} workload=${workload} onClose=${() => ask('')} />`}
  </section>`
}

/** The coming week: as a strip, in words, and its first changes with their reasons. */
function Coming({ workload, plan, now }: WeekProps): VNode {
  const strip = html`<h3>The coming week</h3>
    <${WeekStrip} workload=${workload} plan=${plan} now=${now} />`
  if (plan?.length === 0)
    return html`${strip}
      <p>${workload.is_snoozed ? 'Asleep' : 'Awake'} throughout, if nobody acts.</p>`
  return html`${strip}
    <${WeekTable} workload=${workload} plan=${plan} now=${now} />
    ${
      plan &&
      html`<h3>Next changes</h3>
        <ul class="changes">
          ${plan.slice(0, 4).map(
            ({ at, type, reason }) =>
              html`<li key=${at}>
                <strong>${type === 'wake' ? 'Wakes' : 'Falls asleep'} ${shortTime(Date.parse(at), now)}</strong>
                <span class="quiet">${localised(reason, now)}</span>
              </li>`,
          )}
        </ul>`
    }`
}

/** The source of the schedule, unless it is the workload itself. */
function source({ policy }: Workload): string {
  const from = policy.schedule.source
  return from === null || from === 'workload' || from === 'default' ? '' : from.replace('/', ' ')
}

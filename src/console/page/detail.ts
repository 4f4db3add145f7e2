import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { buttonsOf, until, type Button } from './actions.ts'
import type { App } from './app.ts'
import { History, Saved } from './history.ts'
import { HoursDialog } from './hours-dialog.ts'
import { icon } from './icons.ts'
import { Menu, type MenuItem } from './menu.ts'
import { isBroken, keyOf, type Workload } from './record.ts'
import { StateWord } from './row.ts'
import { presets, UntilDialog } from './until-dialog.ts'
import { html } from './view.ts'
import { DayLetters, WeekStrip, WeekTable } from './week-strip.ts'
import { localised, reasonOf, shortTime, waitOf } from './words.ts'

interface Props {
  readonly app: App
  readonly workload: Workload
  readonly now: number
}

/** The dialog that is open. */
type Asked = 'wake' | 'snooze' | 'hours' | undefined

/** One workload: reason, buttons, the coming week, history. */
export function Detail({ app, workload, now }: Props): VNode {
  const { model, plans } = app
  const key = keyOf(workload)
  const heading = useRef<HTMLHeadingElement>(null)
  const [asked, ask] = useState<Asked>(undefined)
  useEffect(() => heading.current?.focus(), [key])
  useEffect(() => plans.want(workload, 'its own'), [workload])
  const { cluster, namespace, type, name } = workload
  const wait = waitOf(workload, now)
  const close = () => ask(undefined)
  return html`<section
    class="detail"
    aria-labelledby="detail-name"
    onKeyDown=${(event: KeyboardEvent) => event.key === 'Escape' && asked === undefined && app.close()}
  >
    <header>
      <div>
        <h2 id="detail-name" tabindex="-1" ref=${heading}>${name}</h2>
        <p class="quiet">${[...(cluster === undefined ? [] : [cluster]), namespace, type].join(' · ')}</p>
      </div>
      <button type="button" class="plain" aria-label="Close" onClick=${() => app.close()}>
        ${icon('close')}
      </button>
    </header>
    <div class="body">
      <p><${StateWord} workload=${workload} /></p>
      <p class="reason">${reasonOf(workload, now)}</p>
      ${wait !== undefined && html`<p>${wait}</p>`}
      <${Buttons} app=${app} workload=${workload} now=${now} ask=${ask} />
      ${model.mayNot(workload) && html`<p class="quiet">${model.mayNot(workload)}</p>`}
      <${Facts} workload=${workload} />
      <${Saved} workload=${workload} now=${now} />
      ${workload.enabled && html`<${Coming} workload=${workload} plan=${plans.of(workload)} now=${now} />`}
      <h3>History</h3>
      <${History} workload=${workload} now=${now} />
    </div>
    ${(asked === 'wake' || asked === 'snooze') && html`<${UntilDialog} app=${app} workload=${workload} verb=${asked} onClose=${close} />`}
    ${asked === 'hours' && html`<${HoursDialog} app=${app} workload=${workload} onClose=${close} />`}
  </section>`
}

interface ButtonsProps extends Props {
  readonly ask: (what: Asked) => void
}

/** The likely ones as buttons, the others in a menu with a sentence each. */
function Buttons({ app, workload, now, ask }: ButtonsProps): VNode {
  const { model, doing } = app
  const buttons = buttonsOf(workload, model)
  const isBusy = model.busy.has(keyOf(workload)) || model.mayNot(workload) !== ''
  const perform = (button: Button) => void doing.perform(button)
  const plain = buttons.filter(({ id }) => !IN_MENU.has(id))
  const takesHours = !isBroken(workload) && workload.held_by !== 'pin'
  const wake = buttons.find(({ id }) => id === 'wake' || id === 'awake')
  const more: MenuItem[] = [
    ...(wake ? [{ id: 'sleep', label: 'Snooze until…', hint: 'Asleep until a time that you choose.', choose: () => ask('snooze') }] : []),
    ...(takesHours && workload.enabled ? [{ id: 'hours', label: 'Hours…', hint: 'In which hours it runs.', choose: () => ask('hours') }] : []),
    ...buttons.filter(({ id }) => IN_MENU.has(id)).map((button) => ({ id: button.id, label: button.label, hint: button.hint, choose: () => perform(button) })),
  ] // prettier-ignore
  const times: MenuItem[] = [
    ...presets(now).map(([label, at]) => ({ id: label, label: `Until ${label}`, hint: '', choose: () => void doing.perform(until('wake', at, Date.now(), workload, model)) })),
    { id: 'until', label: 'Until…', hint: 'Another time.', choose: () => ask('wake') },
  ] // prettier-ignore
  return html`<div class="buttons">
    ${plain.map((button, index) => {
      const one = html`<button
        type="button"
        key=${button.id}
        class=${index === 0 ? 'primary' : ''}
        title=${button.hint}
        aria-disabled=${isBusy ? 'true' : 'false'}
        onClick=${() => isBusy || perform(button)}
      >
        ${button.label}
      </button>`
      if (button !== wake) return one
      return html`<span class="split" key=${button.id}>${one}<${Menu} name="Awake until" items=${times} isBusy=${isBusy} /></span>`
    })}
    ${takesHours && !workload.enabled && html`<button type="button" class="primary" aria-disabled=${isBusy ? 'true' : 'false'} onClick=${() => isBusy || ask('hours')}>Manage…</button>`}
    ${more.length > 0 && html`<${Menu} items=${more} isBusy=${isBusy}>More<//>`}
  </div>`
}

/** Rarer, or not to be clicked by accident. */
const IN_MENU: ReadonlySet<string> = new Set(['keep', 'pin', 'disable'])

function Facts({ workload }: { workload: Workload }): VNode {
  const { is_snoozed, last_replicas: kept, current_replicas: current, ready_replicas: ready } = workload
  const fact = (name: string, value: VNode | string) =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`
  const from = source(workload)
  return html`<dl class="facts">
    ${fact('Replicas', is_snoozed ? `0; ${kept} are kept and come back` : `${current}, ${ready} ready`)}
    ${fact('Hours', html`${workload.wake_schedule ?? 'none'}${workload.wake_schedule !== null && html` <span class="quiet">${workload.timezone}</span>`}`)}
    ${from !== '' && fact('Set by', from)}
  </dl>`
}

/** The coming week: as a strip, and in words. */
function Coming({ workload, plan, now }: Parameters<typeof WeekStrip>[0]): VNode {
  const first = plan?.[0]
  return html`<h3>The coming week</h3>
    <div>
      <${DayLetters} now=${now} />
      <${WeekStrip} workload=${workload} plan=${plan} now=${now} />
    </div>
    ${first && html`<p><strong>${first.type === 'wake' ? 'Wakes' : 'Falls asleep'} ${shortTime(Date.parse(first.at), now)}</strong>: <span class="quiet">${localised(first.reason, now)}</span></p>`}
    <${WeekTable} workload=${workload} plan=${plan} now=${now} />`
}

/** The source of the schedule, unless it is the workload itself. */
function source({ policy }: Workload): string {
  const from = policy.schedule.source
  return from === null || from === 'workload' || from === 'default' ? '' : from.replace('/', ' ')
}

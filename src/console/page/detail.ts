import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { buttonsOf, until } from './actions.ts'
import type { App } from './app.ts'
import { History, Saved } from './history.ts'
import { HoursDialog } from './hours-dialog.ts'
import { icon } from './icons.ts'
import { Menu, type MenuItem } from './menu.ts'
import { keyOf, waitOf, type Workload } from './record.ts'
import { StateWord } from './row.ts'
import { presets, UntilDialog } from './until-dialog.ts'
import { html } from './view.ts'
import { DayLetters, WeekStrip, WeekTable } from './week-strip.ts'
import { missingPods, missingWhat, podsCommand, replicasText } from '../../words/pods.ts'
import { reasonOf } from '../../words/reason.ts'
import { hasUnknownHours, isBroken } from '../../words/state.ts'
import { capitalised } from '../../words/text.ts'
import { localised, shortTime } from '../../words/time.ts'

interface Props {
  readonly app: App
  readonly workload: Workload
  readonly now: number
}

/** The dialog that is open. */
type Asked = 'wake' | 'snooze' | 'hours' | undefined

/** One workload: reason, buttons, the coming week, history. */
export function Detail({ app, workload, now }: Props): VNode {
  const { plans } = app
  const key = keyOf(workload)
  const heading = useRef<HTMLHeadingElement>(null)
  const [asked, ask] = useState<Asked>(undefined)
  useEffect(() => heading.current?.focus(), [key])
  useEffect(() => plans.want(workload, 'its own'), [workload])
  const { cluster, namespace, type, name } = workload
  const wait = waitOf(workload, now)
  const missing = missingPods(workload)
  const asking = podsCommand(workload, cluster)
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
      ${missing !== undefined && html`<p class="missing">${capitalised(missingWhat(workload))}: ${missing}</p>`}
      ${asking !== undefined && html`<p class="quiet pods"><code>${asking}</code> says what its pods say.</p>`}
      <p class="reason">${reasonOf(workload, now)}</p>
      ${wait !== undefined && html`<p>${wait}</p>`}
      <${Buttons} app=${app} workload=${workload} now=${now} ask=${ask} />
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
  const isBusy = model.busy.has(keyOf(workload))
  const plain = buttons.filter(({ id }) => !IN_MENU.has(id))
  const takesHours = !isBroken(workload) && workload.held_by !== 'pin'
  const wake = buttons.find(({ id }) => id === 'wake' || id === 'awake')
  const mayNotChange = model.mayNot({ about: workload, need: 'change' })
  const mayNotWake = wake ? model.mayNot(wake) : ''
  const item = (id: string, label: string, hint: string, off: string, choose: () => void): MenuItem =>
    ({ id, label, hint, off, choose }) // prettier-ignore
  const more = [
    ...(wake ? [item('sleep', 'Snooze until…', 'Asleep until a time that you choose.', mayNotWake, () => ask('snooze'))] : []),
    ...(takesHours && workload.enabled ? [item('hours', 'Hours…', 'In which hours it runs.', mayNotChange, () => ask('hours'))] : []),
    ...buttons.filter(({ id }) => IN_MENU.has(id)).map((button) => item(button.id, button.label, button.hint, model.mayNot(button), () => void doing.perform(button))),
  ] // prettier-ignore
  const times = [
    ...presets(now).map(([label, at]) => item(label, `Until ${label}`, '', mayNotWake, () => void doing.perform(until('wake', at, Date.now(), workload, model)))),
    item('until', 'Until…', 'Another time.', mayNotWake, () => ask('wake')),
  ] // prettier-ignore
  const one = (label: string, hint: string, off: string, isFirst: boolean, click: () => void) =>
    html`<button
      type="button"
      key=${label}
      class=${isFirst ? 'primary' : ''}
      title=${off || hint}
      aria-disabled=${isBusy || off !== '' ? 'true' : 'false'}
      onClick=${() => isBusy || off !== '' || click()}
    >
      ${label}
    </button>`
  return html`<div class="buttons">
      ${plain.map((button, index) => {
        const shown = one(button.label, button.hint, model.mayNot(button), index === 0, () => void doing.perform(button)) // prettier-ignore
        if (button !== wake) return shown
        return html`<span class="split" key=${button.id}>${shown}<${Menu} name="Awake until" items=${times} isBusy=${isBusy} /></span>`
      })}
      ${takesHours && !workload.enabled && one('Manage…', 'In which hours it runs', mayNotChange, true, () => ask('hours'))}
      ${more.length > 0 && html`<${Menu} items=${more} isBusy=${isBusy}>More<//>`}
    </div>
    ${[...new Set([...buttons.map((button) => model.mayNot(button)), mayNotChange])]
      .filter((why) => why !== '')
      .map((why) => html`<p class="quiet" key=${why}>${why}</p>`)}`
}

/** Rarer, or not to be clicked by accident. */
const IN_MENU: ReadonlySet<string> = new Set(['keep', 'pin', 'disable'])

function Facts({ workload }: { workload: Workload }): VNode {
  const fact = (name: string, value: VNode | string) =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`
  const from = source(workload)
  const replicas = replicasText(workload)
  return html`<dl class="facts">
    ${replicas !== undefined && fact('Replicas', replicas)}
    ${fact('Hours', html`${workload.wake_schedule ?? (hasUnknownHours(workload) ? 'not known here' : 'none')}${workload.wake_schedule !== null && html` <span class="quiet">${workload.timezone}</span>`}`)}
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

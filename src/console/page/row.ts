import type { VNode } from 'preact'
import { useEffect } from 'preact/hooks'
import { buttonsOf } from './actions.ts'
import type { App } from './app.ts'
import { icon } from './icons.ts'
import { keyOf, type Workload } from './record.ts'
import { html } from './view.ts'
import { WeekStrip } from './week-strip.ts'
import { missingPods } from '../../words/pods.ts'
import { noNextText, reasonOf } from '../../words/reason.ts'
import { isTroubled, stateOf, stateText } from '../../words/state.ts'
import { shortTime } from '../../words/time.ts'

/** Milliseconds that a row is visible before its plan is read. */
const SEEN_FOR = 200

interface Props {
  readonly app: App
  readonly workload: Workload
  /** From 0. */
  readonly index: number
  readonly top: number
  /** Whether Tab reaches it: of all rows one, and the arrow keys go to the others. */
  readonly isCurrent: boolean
  readonly now: number
  readonly onFocus: () => void
}

export function Row({ app, workload, index, top, isCurrent, now, onFocus }: Props): VNode {
  const { model, plans, doing } = app
  const key = keyOf(workload)
  const isOpen = model.shown.open === key
  useEffect(() => {
    let forget: (() => void) | undefined
    const timer = setTimeout(() => (forget = plans.want(workload)), SEEN_FOR)
    return () => {
      clearTimeout(timer)
      forget?.()
    }
  }, [workload])
  const button = buttonsOf(workload, model).find(
    ({ id }) => (workload.is_snoozed ? id === 'wake' : id === 'snooze') || id === 'unpin' || id === 'enable',
  )
  const tab = isCurrent ? 0 : -1
  const { type, name } = workload
  const reason = [missingPods(workload) ?? [], reasonOf(workload, now)].flat().join('; ')
  const mayNot = button ? model.mayNot(button) : ''
  return html`<div
    class=${`row${isOpen ? ' open' : ''}`}
    role="row"
    aria-rowindex=${index + 2}
    style=${{ transform: `translateY(${top}px)` }}
    onFocusIn=${onFocus}
  >
    <div class="cell state" role="cell"><${StateWord} workload=${workload} /></div>
    <div class="cell name" role="cell">
      <button
        type="button"
        class="link"
        tabindex=${tab}
        data-index=${index}
        data-key=${key}
        aria-expanded=${isOpen ? 'true' : 'false'}
        title=${name}
        aria-label=${name}
        onClick=${() => model.show({ open: isOpen ? '' : key })}
      >
        ${partsOf(name).map((part) => html`<span key=${part}>${part}</span>`)}
      </button>
      <span class="quiet kind">${placeOf(workload, model.shown.sort !== '')}${type}</span>
    </div>
    <div class="cell why quiet" role="cell" title=${reason}>${reason}</div>
    <div class="cell count" role="cell">${replicas(workload)}</div>
    <div class="cell next" role="cell"><${Next} workload=${workload} now=${now} /></div>
    <div class="cell coming" role="cell">
      <${WeekStrip} workload=${workload} plan=${plans.of(workload)} now=${now} />
    </div>
    <div class="cell act" role="cell">
      ${
        button &&
        html`<button
          type="button"
          tabindex=${tab}
          title=${mayNot || button.hint}
          aria-disabled=${model.busy.has(key) || mayNot !== '' ? 'true' : 'false'}
          aria-label=${`${button.label}: ${name}`}
          onClick=${() => mayNot === '' && void doing.perform(button)}
        >
          ${button.label}
        </button>`
      }
    </div>
  </div>`
}

/** Its place, unless a line above says so. */
function placeOf({ cluster, namespace }: Workload, isAlone: boolean): string {
  if (!isAlone) return ''
  return `${cluster === undefined ? '' : `${cluster} · `}${namespace} · `
}

function Next({ workload, now }: { workload: Workload; now: number }): VNode {
  const { next_transition: next } = workload
  if (!next) return html`<span class="quiet">${noNextText(workload)}</span>`
  return html`<span>
    ${next.type === 'wake' ? 'wakes ' : 'sleeps '}
    <time datetime=${next.at}>${shortTime(Date.parse(next.at), now)}</time>
  </span>`
}

/** Long names are often alike at the beginning, and differ at the end: where there is no room, the middle is left out. */
function partsOf(name: string): string[] {
  return name.length > 20 ? [name.slice(0, -9), name.slice(-9)] : [name]
}

/** The state in a word with a sign, and never by colour alone; amber is trouble. */
export function StateWord({ workload }: { workload: Workload }): VNode {
  const state = stateOf(workload)
  const look = isTroubled(workload) ? 'trouble' : state
  return html`<span class=${`state-word ${look} ${workload.is_snoozed ? 'is-asleep' : 'is-awake'}`}>
    ${icon(state)}<span>${stateText(workload)}</span>
  </span>`
}

function replicas(workload: Workload): VNode {
  const { is_snoozed, current_replicas: current, last_replicas: kept, ready_replicas: ready } = workload
  if (is_snoozed)
    return html`<span title=${`It wakes to ${kept}`}>${current} <span class="quiet">of ${kept}</span></span>`
  const title = `${ready} of ${current} are ready`
  return html`<span title=${title}>
    ${ready === current ? current : html`${ready} <span class="quiet">of ${current}</span>`}
  </span>`
}

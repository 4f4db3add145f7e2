import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ApiCall } from '../../domain/requests/operations.ts'
import { request, type BulkAct } from './action.ts'
import type { Answer, Call } from './api.ts'
import { Refused } from './api.ts'
import type { App } from './app.ts'
import { Dialog } from './dialog.ts'
import { textOf } from './doing.ts'
import { ManyBefore, type Bulk } from './many.ts'
import { html } from './view.ts'
import type { Group } from './selection.ts'
import { keyOf } from './record.ts'
import { reasonOf } from '../../words/reason.ts'
import { manyOf } from '../../words/text.ts'
import { localised } from '../../words/time.ts'

interface Choice {
  readonly label: string
  readonly words: ApiCall
  readonly query?: string
}

const CHOICES: Readonly<Record<BulkAct, Choice>> = {
  wake: { label: 'Wake for 4 h', words: 'POST wake', query: 'for=4h' },
  snooze: { label: 'Snooze', words: 'POST snooze' },
  override: { label: 'Switch schedules off', words: 'POST override' },
  resume: { label: 'Resume schedules', words: 'DELETE override' },
  pin: { label: 'Pin', words: 'POST pin' },
  unpin: { label: 'Unpin', words: 'DELETE pin' },
}
/** The API's advice, which names paths, in words. */
const REFUSALS: Readonly<Record<string, string>> = {
  NOT_ENABLED: 'is not managed by Dormouse',
  PINNED: 'is pinned',
}
/** Letters of a label selector come one after the other. In milliseconds. */
const TYPING = 350
/** Nobody answered, it is too much for now, or the cluster is away: milliseconds until it is asked again, unless told. */
const ENDS_BY_ITSELF: ReadonlySet<number> = new Set([0, 429, 503])
const AGAIN = 1000
const MOST_SHOWN = 50

interface Props {
  readonly app: App
  readonly group: Pick<Group, 'cluster' | 'namespace'>
  readonly onClose: () => void
}

/** Shows the counts of a dry run on a namespace, and only then offers the change. */
export function BulkDialog({ app, group, onClose }: Props): VNode {
  const { model, doing } = app
  const { cluster, namespace } = group
  const { type } = model.shown
  const [choice, setChoice] = useState<BulkAct>('wake')
  const [labels, setLabels] = useState('')
  const [dry, setDry] = useState<Bulk | string>('')
  const chosen = CHOICES[choice]
  const call = (dryRun: boolean): Call => {
    const query = new URLSearchParams(chosen.query)
    if (type !== '') query.set('kind', model.kindOf({ type, cluster }))
    if (labels !== '') query.set('labelSelector', labels)
    if (dryRun) query.set('dryRun', 'true')
    // The namespace may come from anybody's link: unencoded, it could lead to another path, or cut off the dry run.
    const place = `${model.rootOf(group)}/namespaces/${encodeURIComponent(namespace)}`
    return request(place, chosen.words, query.toString())
  }
  const asked = JSON.stringify(call(true))

  useEffect(() => {
    let isOld = false
    setDry('')
    const told = (result: Bulk | string) => void (isOld || setDry(result))
    const ask = () =>
      doing.ask<Bulk>(JSON.parse(asked) as Call).then(
        ({ data }: Answer<Bulk>) => told(data),
        (error: unknown) => {
          if (error instanceof Refused && error.status === 401) app.askSignIn(error.message)
          told(textOf(error))
          // Asking changes nothing: it is asked again, once it may be.
          if (error instanceof Refused && ENDS_BY_ITSELF.has(error.status) && !isOld)
            timer = setTimeout(() => void ask(), error.retryAfter ?? AGAIN)
        },
      )
    let timer = setTimeout(() => void ask(), TYPING)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [asked, app.session.token])

  const ready = typeof dry === 'string' ? undefined : dry
  const canDo = ready !== undefined && ready.counts.done > 0
  function submit(event: Event): void {
    event.preventDefault()
    if (!canDo) return
    const where = cluster === undefined ? namespace : `${cluster}/${namespace}`
    void doing.perform({
      need: 'scale',
      title: `${chosen.label} in ${where}`,
      calls: [call(false)],
      many: { act: choice, cluster, namespace },
    })
    onClose()
  }
  return html`<${Dialog}
    id="bulk"
    title=${`All of ${namespace}${type === '' ? '' : `: ${model.kindOf({ type, cluster })}`}${cluster === undefined ? '' : ` in ${cluster}`}`}
    onClose=${onClose}
  >
    <form onSubmit=${submit}>
      <label class="field">
        <span>What to do</span>
        <select
          value=${choice}
          onChange=${(event: Event) => setChoice((event.target as HTMLSelectElement).value as BulkAct)}
        >
          ${Object.entries(CHOICES).map(([id, { label }]) => html`<option key=${id} value=${id} selected=${id === choice}>${label}</option>`)}
        </select>
      </label>
      <label class="field">
        <span>Only those with labels</span>
        <input
          type="text"
          value=${labels}
          placeholder="app=web,tier notin (db)"
          spellcheck=${false}
          autocapitalize="none"
          onInput=${(event: Event) => setLabels((event.target as HTMLInputElement).value)}
        />
      </label>
      <div class="dry" aria-live="polite">
        ${ready ? html`<${DryRun} bulk=${ready} ended=${new ManyBefore(model, { act: choice, cluster, namespace }).ended(ready)} />` : html`<p class=${dry === '' ? 'quiet' : 'fault'}>${dry === '' ? 'Asking what would happen…' : dry}</p>`}
      </div>
      <div class="buttons">
        <button type="submit" class="primary" aria-disabled=${canDo ? 'false' : 'true'}>
          ${ready ? `${chosen.label}: ${manyOf(ready.counts.done, 'workload')}` : chosen.label}
        </button>
        <button type="button" onClick=${onClose}>Cancel</button>
      </div>
    </form>
  <//>`
}

interface DryProps {
  readonly bulk: Bulk
  readonly ended: ReturnType<ManyBefore['ended']>
}

function DryRun({ bulk: { items, counts }, ended }: DryProps): VNode {
  const others = items.filter(({ result }) => result !== 'done')
  const leftAlone = items.filter(({ code }) => code === 'NOT_ENABLED').length
  return html`<div>
    <p class="counts">
      <span><strong>${counts.done}</strong> would change</span>
      ${ended.length > 0 && html`<span><strong>${ended.length}</strong> of them others asked for</span>`}
      <span><strong>${counts.unchanged}</strong> are so already</span>
      ${counts.left_out > 0 && html`<span><strong>${counts.left_out}</strong> kept at 0 by their owners</span>`}
      ${leftAlone > 0 && html`<span><strong>${leftAlone}</strong> are not managed</span>`}
      <span><strong>${counts.refused - leftAlone}</strong> would be refused</span>
    </p>
    ${
      ended.length > 0 &&
      html`<details>
        <summary>What others asked for, and would end</summary>
        <ul class="items">
          ${ended.slice(0, MOST_SHOWN).map(([workload]) => html`<li key=${keyOf(workload)}><strong>${workload.name}</strong> <span class="quiet">${reasonOf(workload, Date.now())}</span></li>`)}
          ${ended.length > MOST_SHOWN && html`<li class="quiet">and ${ended.length - MOST_SHOWN} more</li>`}
        </ul>
      </details>`
    }
    ${
      others.length > 0 &&
      html`<details>
        <summary>Which would not change, and why</summary>
        <ul class="items">
          ${others.slice(0, MOST_SHOWN).map(({ kind, name, code, message }) => html`<li key=${kind + name}><strong>${name}</strong> <span class="quiet">${REFUSALS[code ?? ''] ?? localised(message, Date.now())}</span></li>`)}
          ${others.length > MOST_SHOWN && html`<li class="quiet">and ${others.length - MOST_SHOWN} more</li>`}
        </ul>
      </details>`
    }
  </div>`
}

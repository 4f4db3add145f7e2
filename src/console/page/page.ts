import type { VNode } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { App } from './app.ts'
import { BulkDialog } from './bulk-dialog.ts'
import { Detail } from './detail.ts'
import { FilterBar } from './filter-bar.ts'
import { icon } from './icons.ts'
import { List } from './list.ts'
import { useModel } from './model.ts'
import { select } from './selection.ts'
import { SignInDialog } from './sign-in.ts'
import { html } from './view.ts'
import { counted, shortTime } from './words.ts'

/** Milliseconds between redraws of relative times. */
const MINUTE = 60_000

/** The whole page. */
export function Page({ app }: { app: App }): VNode {
  const { model } = app
  useModel(model)
  const [now, setNow] = useState(() => Date.now())
  const [isBulk, setBulk] = useState(false)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE)
    return () => clearInterval(timer)
  }, [])
  const selection = useMemo(
    () => select(model.records, model.shown),
    [model.records, model.version, model.shown],
  )
  const open = model.records.get(model.shown.open)
  return html`<div class=${`page${open ? ' has-detail' : ''}`}>
    <header class="top">
      <h1><span class="mark">${icon('asleep')}</span> Dormouse</h1>
      <${Status} app=${app} now=${now} />
      ${app.session.canSignOut && html`<button type="button" class="plain" onClick=${() => app.signOut()}>Sign out</button>`}
    </header>
    <${Banner} app=${app} now=${now} />
    <main>
      <div class="left">
        <${FilterBar} app=${app} selection=${selection} onBulk=${() => setBulk(true)} />
        ${
          selection.workloads.length > 0
            ? html`<${List} app=${app} workloads=${selection.workloads} now=${now} />`
            : html`<${Nothing} app=${app} />`
        }
      </div>
      ${open && html`<${Detail} app=${app} workload=${open} now=${now} />`}
    </main>
    <${Notices} app=${app} />
    ${isBulk && model.isListed && model.shown.namespace !== '' && html`<${BulkDialog} app=${app} onClose=${() => setBulk(false)} />`}
    ${model.signIn && html`<${SignInDialog} app=${app} />`}
  </div>`
}

function Status({ app: { model } }: { app: App; now: number }): VNode {
  const { state } = model.connection
  const words = { live: 'Live', connecting: 'Connecting…', away: 'Not connected' }[state]
  return html`<p class=${`status ${state}`} role="status"><span class="dot"></span>${words}</p>`
}

/** Tells that the data are outdated, and why. */
function Banner({ app: { model }, now }: { app: App; now: number }): VNode | null {
  const { state, why, since } = model.connection
  if (state !== 'away' || model.signIn) return null
  const age = since === undefined ? '' : ` What you see is from ${shortTime(since, now)}.`
  return html`<p class="banner" role="alert">${`${why.replace(/[.\s]+$/, '')}.${age}`}</p>`
}

function Nothing({ app: { model } }: { app: App }): VNode {
  const { text, namespace, type, state } = model.shown
  const filtered = [text, namespace, type, state].some((each) => each !== '')
  if (!model.isListed) {
    const words = model.connection.state === 'away' ? 'Nothing is known yet.' : 'Looking at the cluster…'
    return html`<div class="nothing"><p>${words}</p></div>`
  }
  if (filtered && model.records.size > 0)
    return html`<div class="nothing">
      <p>None of ${counted(model.records.size, 'workload')} is like that.</p>
      <button type="button" onClick=${() => model.show({ text: '', namespace: '', type: '', state: '' })}>
        Show all
      </button>
    </div>`
  return html`<div class="nothing">
    <p>There are no workloads that you may see.</p>
    <p class="quiet">
      Workloads appear here as they are created. To see those of a namespace you need the right to list them
      there.
    </p>
  </div>`
}

function Notices({ app: { model } }: { app: App }): VNode {
  return html`<div class="notices" role="log" aria-label="What happened" aria-live="polite">
    ${model.notices.map(
      ({ id, isFault, text }) =>
        html`<div key=${id} class=${`notice${isFault ? ' fault' : ''}`}>
          <p>${text}</p>
          <button type="button" class="plain" aria-label="Dismiss" onClick=${() => model.dismiss(id)}>
            ${icon('close')}
          </button>
        </div>`,
    )}
  </div>`
}

import type { VNode } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { App } from './app.ts'
import { BulkDialog } from './bulk-dialog.ts'
import { Detail } from './detail.ts'
import { FilterBar } from './filter-bar.ts'
import { icon } from './icons.ts'
import { List } from './list.ts'
import { clusterName, useModel, type About, type Model } from './model.ts'
import { Notices } from './notices.ts'
import { Nothing } from './nothing.ts'
import { type Workload } from './record.ts'
import { Savings } from './savings.ts'
import { select, type Group } from './selection.ts'
import { SignInDialog } from './sign-in.ts'
import { html } from './view.ts'
import { person } from '../../words/operation.ts'
import { reasonOf } from '../../words/reason.ts'
import { capitalised } from '../../words/text.ts'
import { isReleased } from '../../words/state.ts'
import { shortTime } from '../../words/time.ts'

/** Milliseconds between redraws of relative times. */
const MINUTE = 60_000

/** The whole page. */
export function Page({ app }: { app: App }): VNode {
  const { model } = app
  useModel(model)
  const [now, setNow] = useState(() => Date.now())
  const [bulk, askBulk] = useState<Pick<Group, 'cluster' | 'namespace'> | undefined>(undefined)
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
    <${Top} app=${app} />
    <${Banner} app=${app} now=${now} />
    <${Released} model=${model} now=${now} />
    ${model.isListed && !open && model.shown.open !== '' && html`<${Absent} app=${app} />`}
    <main>
      <div class="left">
        <${FilterBar} app=${app} selection=${selection} onBulk=${askBulk} />
        <${Savings} app=${app} />
        ${
          selection.found > 0
            ? html`<${List} app=${app} rows=${selection.rows} now=${now} onBulk=${askBulk} />`
            : html`<${Nothing} model=${model} counts=${selection.counts} />`
        }
      </div>
      ${open && html`<${Detail} app=${app} workload=${open} now=${now} />`}
    </main>
    <${Notices} app=${app} />
    ${bulk && model.isListed && html`<${BulkDialog} app=${app} group=${bulk} onClose=${() => askBulk(undefined)} />`}
    ${model.signIn && html`<${SignInDialog} app=${app} />`}
  </div>`
}

/** The owner of the page, and the cluster. */
function Top({ app }: { app: App }): VNode {
  const { user } = app.model.about
  const cluster = clusterName(app.model.about)
  return html`<header class="top">
    <h1><span class="mark">${icon('asleep')}</span> Dormouse</h1>
    ${cluster !== null && html`<p class="cluster"><span class="visually-hidden">Cluster </span>${cluster}</p>`}
    <${Status} app=${app} />
    ${user !== null && html`<p class="user quiet"><span class="visually-hidden">Signed in as </span>${person(user)}</p>`}
    ${app.session.canSignOut && html`<button type="button" class="plain" onClick=${() => app.signOut()}>Sign out</button>`}
  </header>`
}

function Status({ app: { model } }: { app: App }): VNode {
  const { state } = model.connection
  const words = { live: 'Live', connecting: 'Connecting…', away: 'Not connected' }[state]
  return html`<p class=${`status ${state}`} role="status"><span class="dot"></span>${words}</p>`
}

/** The workload that a link names, or that was open, is not in the list. */
function Absent({ app }: { app: App }): VNode {
  const place = app.model.shown.open.split('/')
  const name = place.length < 3 ? place.join('/') : `${place.at(-3)}/${place.at(-1)}`
  return html`<p class="banner absent" role="status">
    <strong>${name}</strong> is not there, or you may not see it.
    <button type="button" class="plain" onClick=${() => app.close()}>Close</button>
  </p>`
}

/** A line for each released cluster: by whom, from when on, and what ends it. */
function Released({ model, now }: { model: Model; now: number }): VNode | null {
  const by = useMemo(() => releasesIn(model.records), [model.records, model.version])
  if (model.signIn || by.size === 0) return null
  return html`<div role="status">
    ${[...by].map(
      ([cluster, workload]) =>
        html`<p class="banner" key=${cluster ?? ''}>
          ${cluster !== undefined && html`<strong>${cluster}</strong> `}${capitalised(reasonOf(workload, now))}.
          Whoever runs Dormouse ends that by <code>dormouse release --undo</code>.
        </p>`,
    )}
  </div>`
}

/** A workload that says so, by cluster. */
function releasesIn(records: Model['records']): ReadonlyMap<string | undefined, Workload> {
  const found = new Map<string | undefined, Workload>()
  for (const workload of records.values())
    if (isReleased(workload) && !found.has(workload.cluster)) found.set(workload.cluster, workload)
  return found
}

/** Tells that the data are outdated, and why. */
function Banner({ app: { model }, now }: { app: App; now: number }): VNode | null {
  const { state, why, since } = model.connection
  if (model.signIn) return null
  if (state !== 'away') return html`<${AwayClusters} clusters=${model.about.clusters} />`
  const age = since === undefined ? '' : ` What you see is from ${shortTime(since, now)}.`
  return html`<p class="banner" role="alert">${`${why.replace(/[.\s]+$/, '')}.${age}`}</p>`
}

/** Each cluster that does not answer, in a line; the others go on. */
function AwayClusters({ clusters }: Pick<About, 'clusters'>): VNode | null {
  const away = clusters.filter(({ state }) => state === 'away')
  if (away.length === 0) return null
  return html`<div role="alert">
    ${away.map(({ name, message }) => html`<p class="banner" key=${name}><strong>${name}</strong> ${message}</p>`)}
  </div>`
}

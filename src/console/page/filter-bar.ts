import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { App } from './app.ts'
import { icon } from './icons.ts'
import { FILTERS, type Filter } from './record.ts'
import type { Group, Selection } from './selection.ts'
import { html } from './view.ts'
import { manyOf } from '../../words/text.ts'

interface Props {
  readonly app: App
  readonly selection: Selection
  readonly onBulk: (group: Pick<Group, 'cluster' | 'namespace'>) => void
}

/** Search, filters, and how many there are of each. `/` goes to the search. */
export function FilterBar({ app, selection, onBulk }: Props): VNode {
  const { model } = app
  const { shown } = model
  const search = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
      if (
        event.key !== '/' ||
        isTyping ||
        event.ctrlKey ||
        event.metaKey ||
        document.querySelector('dialog[open]')
      )
        return
      event.preventDefault()
      search.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  const clusters = model.about.clusters.map(({ name }) => name)
  const select = (
    label: string,
    name: 'cluster' | 'namespace' | 'type',
    all: string,
    values: readonly string[],
  ) =>
    html`<label class=${`select ${name}s`}>
      <span class="visually-hidden">${label}</span>
      <select
        value=${shown[name]}
        onChange=${(event: Event) => model.show({ [name]: (event.target as HTMLSelectElement).value })}
      >
        <option value="" selected=${shown[name] === ''}>${all}</option>
        ${values.map((value) => html`<option key=${value} value=${value} selected=${shown[name] === value}>${value}</option>`)}
      </select>
    </label>`
  const chip = (state: Filter) =>
    html`<button
      type="button"
      key=${state}
      class="chip"
      aria-pressed=${shown.state === state ? 'true' : 'false'}
      onClick=${() => model.show({ state })}
    >
      ${FILTERS[state]} <span class="quiet">${selection.counts[state].toLocaleString('en')}</span>
    </button>`
  return html`<div class="filters">
    <div class="fields">
      <label class="search">
        <span class="visually-hidden">Search by name, namespace or reason</span>
        ${icon('search')}
        <input
          ref=${search}
          type="search"
          placeholder="Search ( / )"
          value=${shown.text}
          spellcheck=${false}
          autocapitalize="none"
          onInput=${(event: Event) => model.show({ text: (event.target as HTMLInputElement).value }, { replace: true })}
        />
      </label>
      ${clusters.length > 0 && select('Cluster', 'cluster', 'All clusters', withShown(clusters, shown.cluster))}
      ${select('Namespace', 'namespace', 'All namespaces', withShown(selection.namespaces, shown.namespace))}
      ${select('Kind', 'type', 'All kinds', withShown(selection.types, shown.type))}
      ${
        // Otherwise the line of the namespace has it.
        shown.namespace !== '' &&
        (clusters.length === 0 || shown.cluster !== '') &&
        (shown.sort !== '' || selection.found === 0) &&
        html`<button type="button" class="bulk" onClick=${() => onBulk({ cluster: shown.cluster === '' ? undefined : shown.cluster, namespace: shown.namespace })}>All of ${shown.namespace}…</button>`
      }
    </div>
    ${
      model.isListed &&
      html`<div class="chips" role="group" aria-label="State">
      ${(Object.keys(FILTERS) as Filter[])
        .filter((each) => each === 'managed' || selection.counts[each] > 0 || shown.state === each)
        .map(chip)}
    </div>`
    }
    <p class="visually-hidden" role="status">${manyOf(selection.found, 'workload')} shown</p>
  </div>`
}

/** A value of the address is shown also while nothing has it. */
function withShown(values: readonly string[], shown: string): readonly string[] {
  return shown === '' || values.includes(shown) ? values : [shown, ...values]
}

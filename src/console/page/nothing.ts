import type { VNode } from 'preact'
import type { Model } from './model.ts'
import type { Selection } from './selection.ts'
import { html } from './view.ts'
import { manyOf } from '../../words/text.ts'

interface Props {
  readonly model: Model
  readonly counts: Selection['counts']
}

/** In the place of the list where nothing is in it: why, and the first step. */
export function Nothing({ model, counts }: Props): VNode {
  const { text, cluster, namespace, type, state } = model.shown
  if (!model.isListed) {
    const words = model.connection.state === 'away' ? 'Nothing is known yet.' : 'Looking at the cluster…'
    return html`<div class="nothing"><p>${words}</p></div>`
  }
  if (model.records.size === 0)
    return html`<div class="nothing">
      <p><strong>There are no workloads that you may see.</strong></p>
      <p class="quiet">
        They appear here as they are created. To see those of a namespace you need the right to list them there.
      </p>
    </div>`
  const all = () => model.show({ text: '', cluster: '', namespace: '', type: '', state: 'all' })
  const isNarrowed = [text, cluster, namespace, type].some((each) => each !== '')
  if (state === 'managed' && counts.all > 0 && !isNarrowed)
    return html`<div class="nothing">
      <p><strong>Dormouse manages nothing here yet.</strong></p>
      <p>Let it look after one workload first: choose it, and then <em>Manage…</em>. Or type:</p>
      <pre tabindex="0">kubectl dormouse enable deploy/NAME -n NAMESPACE --schedule 8:00-18:00,Mon-Fri</pre>
      <button type="button" class="primary" onClick=${() => model.show({ state: 'unmanaged' })}>
        ${`Choose among ${manyOf(counts.all, 'workload')}`}
      </button>
    </div>`
  return html`<div class="nothing">
    <p>None of ${manyOf(model.records.size, 'workload')} is like that.</p>
    <button type="button" onClick=${all}>Show all</button>
  </div>`
}

import type { VNode } from 'preact'
import type { Group } from './selection.ts'
import { html } from './view.ts'

interface Props {
  readonly group: Group
  /** From 0. */
  readonly index: number
  readonly top: number
  readonly isCurrent: boolean
  readonly onFocus: () => void
  readonly onBulk: (group: Group) => void
}

/** The line above the workloads of a namespace: how many sleep, and what can be done to all of them. */
export function GroupRow({ group, index, top, isCurrent, onFocus, onBulk }: Props): VNode {
  const { cluster, namespace, asleep, awake, late, leftAlone } = group
  const counts = [
    ...(asleep > 0 ? [`${asleep} asleep`] : []),
    ...(awake > 0 ? [`${awake} awake`] : []),
    ...(late > 0 ? [`${late} late`] : []),
    ...(leftAlone > 0 ? [`${leftAlone} not managed`] : []),
  ]
  return html`<div
    class="row group"
    role="row"
    aria-rowindex=${index + 2}
    style=${{ transform: `translateY(${top}px)` }}
    onFocusIn=${onFocus}
  >
    <div class="cell" role="rowheader" aria-colspan="6">
      ${cluster !== undefined && html`<span class="quiet place" title=${cluster}>${cluster} / </span>`}<strong>${namespace}</strong>
      <span class="quiet"> ${counts.join(', ')}</span>
    </div>
    <div class="cell act" role="cell">
      <button type="button" tabindex=${isCurrent ? 0 : -1} data-index=${index} onClick=${() => onBulk(group)}>
        All of ${namespace}…
      </button>
    </div>
  </div>`
}

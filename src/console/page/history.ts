import type { VNode } from 'preact'
import { savedReplicaHours, type Workload } from './record.ts'
import { html } from './view.ts'
import { howOf, person, relative, shortTime } from './words.ts'

/** The operations, newest first. */
export function History({ workload, now }: { workload: Workload; now: number }): VNode {
  const operations = workload.operation_history
  if (operations.length === 0)
    return html`<p class="quiet">It was never put to sleep or woken by Dormouse.</p>`
  return html`<ol class="history">
    ${operations.map(({ type, trigger, timestamp, by, result, replicas }) => {
      const at = Date.parse(timestamp)
      const what = type === 'wake' ? `Woken to ${replicas}` : 'Put to sleep'
      return html`<li key=${timestamp + type}>
        <span><strong>${what}</strong>${by === null ? '' : html` by <strong title=${by}>${person(by)}</strong>`}</span>
        <span class="quiet">
          ${`${howOf({ trigger, result })} · `}<time datetime=${timestamp} title=${timestamp}>${shortTime(at, now)}</time>${` (${relative(at, now)})`}
        </span>
      </li>`
    })}
  </ol>`
}

/** The savings of its sleep, in a unit that needs no prices. */
export function Saved({ workload, now }: { workload: Workload; now: number }): VNode | null {
  const hours = savedReplicaHours(workload, now)
  if (hours < 0.05) return null
  const text = hours.toLocaleString('en', { maximumFractionDigits: hours < 10 ? 1 : 0 })
  return html`<p class="saved">Its sleep saved <strong>${text} replica hours</strong> in the last week.</p>`
}

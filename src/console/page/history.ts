import type { VNode } from 'preact'
import { howOf, person, whatOf } from '../../words/operation.ts'
import { followerOf } from '../../words/pods.ts'
import { hoursText, savedReplicaHours } from '../../words/savings.ts'
import { relative, shortTime } from '../../words/time.ts'
import type { Workload } from './record.ts'
import { html } from './view.ts'

/** The operations, newest first. */
export function History({ workload, now }: { workload: Workload; now: number }): VNode {
  const operations = workload.operation_history
  if (operations.length === 0)
    return html`<p class="quiet">It was never put to sleep or woken by Dormouse.</p>`
  const follower = followerOf(workload)
  return html`<ol class="history">
    ${operations.map((operation) => {
      const { type, timestamp, by } = operation
      const at = Date.parse(timestamp)
      return html`<li key=${timestamp + type}>
        <span><strong>${whatOf(operation, follower)}</strong>${by === null ? '' : html` by <strong title=${by}>${person(by)}</strong>`}</span>
        <span class="quiet">
          ${`${howOf(operation, follower)} · `}<time datetime=${timestamp} title=${timestamp}>${shortTime(at, now)}</time>${` (${relative(at, now)})`}
        </span>
      </li>`
    })}
  </ol>`
}

/** The savings of its sleep, in a unit that needs no prices. */
export function Saved({ workload, now }: { workload: Workload; now: number }): VNode | null {
  const hours = savedReplicaHours(workload, now)
  if (hours < 0.05) return null
  return html`<p class="saved">Its sleep saved <strong>${hoursText(hours)} replica hours</strong> in the last week.</p>`
}

import type { VNode } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Model } from './model.ts'
import { savedReplicaHours } from './record.ts'
import { html } from './view.ts'

/** What sleep saved, of all that is listed. */
export function Savings({ model, now }: { model: Model; now: number }): VNode | null {
  const hours = useMemo(() => {
    let sum = 0
    for (const workload of model.records.values()) sum += savedReplicaHours(workload, now)
    return sum
  }, [model.records, model.version, now])
  if (hours < 1) return null
  return html`<p class="savings quiet">
    Sleep saved <strong>${Math.round(hours).toLocaleString('en')} replica hours</strong> in the last week.
  </p>`
}

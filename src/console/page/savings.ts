import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { NamespaceRecord } from '../../domain/records/namespace-record.ts'
import type { SavedAmounts } from '../../domain/records/saved.ts'
import { BASIS, hoursText, sumOf } from '../../words/savings.ts'
import { pagesOf } from './api.ts'
import type { App } from './app.ts'
import { html } from './view.ts'

/** Milliseconds between reads of what was saved. */
const OFTEN = 300_000

/** The savings of the last week, of all workloads that may be seen: requested, and not billed. */
export function Savings({ app }: { app: App }): VNode | null {
  const { isListed } = app.model
  const [sum, setSum] = useState<SavedAmounts | undefined>(undefined)
  useEffect(() => {
    if (!isListed) return undefined
    const read = () => void savedIn(app).then(setSum, () => setSum(undefined))
    read()
    const timer = setInterval(read, OFTEN)
    return () => clearInterval(timer)
  }, [isListed])
  if (!sum || sum.replica_seconds < 3600) return null
  const [replicas, cores] = [sum.replica_seconds / 3600, sum.cpu_core_seconds / 3600]
  const hours = cores < 0.1 ? `${hoursText(replicas)} replica hours` : `${hoursText(cores)} core-hours`
  const { currency = '', amount = 0 } = sum.money ?? {}
  const money = sum.money && amount.toLocaleString('en', { style: 'currency', currency })
  return html`<p class="savings quiet">
    Sleep saved <strong>${hours}</strong>${money && html` · <strong>${money}</strong>`} in the last week: ${BASIS}.
  </p>`
}

async function savedIn({ doing, model }: App): Promise<SavedAmounts> {
  const { clusters } = model.about
  const live = clusters.filter(({ state }) => state === 'live')
  const roots = clusters.length === 0 ? [''] : live.map(({ name }) => model.rootOf({ cluster: name }))
  const read = roots.map((root) => pagesOf<NamespaceRecord>(doing, `${root}/namespaces?limit=500`))
  return sumOf((await Promise.all(read)).flat().map(({ saved }) => saved))
}

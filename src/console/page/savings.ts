import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { NamespaceRecord } from '../../domain/records/namespace-record.ts'
import type { Answer } from './api.ts'
import type { App } from './app.ts'
import { html } from './view.ts'

/** Milliseconds between reads of what was saved. */
const OFTEN = 300_000
const PAGE = 500

/** In hours; the price is undefined where there are no prices. */
interface Sum {
  readonly replicas: number
  readonly cores: number
  readonly money: string | undefined
}

/** The savings of the last week, of all workloads that may be seen: requested, and not billed. */
export function Savings({ app }: { app: App }): VNode | null {
  const { isListed } = app.model
  const [sum, setSum] = useState<Sum | undefined>(undefined)
  useEffect(() => {
    if (!isListed) return undefined
    const read = () => void sumOf(app).then(setSum, () => setSum(undefined))
    read()
    const timer = setInterval(read, OFTEN)
    return () => clearInterval(timer)
  }, [isListed])
  if (!sum || sum.replicas < 1) return null
  const hours =
    sum.cores < 0.1 ? `${rounded(sum.replicas)} replica hours` : `${rounded(sum.cores)} core-hours`
  return html`<p class="savings quiet">
    Sleep saved <strong>${hours}</strong>${sum.money !== undefined && html` · <strong>${sum.money}</strong>`} in the last week: requested, not billed.
  </p>`
}

function rounded(hours: number): string {
  return hours.toLocaleString('en', { maximumFractionDigits: hours < 10 ? 1 : 0 })
}

async function sumOf({ doing, model }: App): Promise<Sum> {
  const live = model.about.clusters.filter(({ state }) => state === 'live')
  const roots =
    model.about.clusters.length === 0 ? [''] : live.map(({ name }) => model.rootOf({ cluster: name }))
  let [replicas, cores, money] = [0, 0, 0]
  const currencies = new Set<string>()
  for (const root of roots)
    for await (const { saved } of namespacesOf(doing, root)) {
      replicas += saved.replica_seconds / 3600
      cores += saved.cpu_core_seconds / 3600
      money += saved.money?.amount ?? 0
      if (saved.money) currencies.add(saved.money.currency)
    }
  const [currency, ...others] = currencies
  // Several currencies have no sum.
  const hasSum = currency !== undefined && others.length === 0
  return { replicas, cores, money: hasSum ? inCurrency(money, currency) : undefined }
}

async function* namespacesOf(doing: App['doing'], root: string): AsyncGenerator<NamespaceRecord> {
  let token: string | null | undefined = ''
  while (typeof token === 'string') {
    const more = token === '' ? '' : `&continue=${encodeURIComponent(token)}`
    const path = `${root}/namespaces?limit=${PAGE}${more}`
    const page: Answer<NamespaceRecord[]> = await doing.ask({ method: 'GET', path })
    yield* page.data
    token = page.continue
  }
}

function inCurrency(amount: number, currency: string): string {
  return amount.toLocaleString('en', { style: 'currency', currency })
}

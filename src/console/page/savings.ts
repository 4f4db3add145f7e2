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

/** What sleep saved in the last week, of all that may be seen: of what was requested, and not billed. */
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

async function sumOf({ doing }: App): Promise<Sum> {
  let [replicas, cores, money, currency] = [0, 0, 0, '']
  let token: string | null | undefined = ''
  while (typeof token === 'string') {
    const more = token === '' ? '' : `&continue=${encodeURIComponent(token)}`
    const page: Answer<NamespaceRecord[]> = await doing.ask({
      method: 'GET',
      path: `/namespaces?limit=${PAGE}${more}`,
    })
    for (const { saved } of page.data) {
      replicas += saved.replica_seconds / 3600
      cores += saved.cpu_core_seconds / 3600
      money += saved.money?.amount ?? 0
      currency = saved.money?.currency ?? currency
    }
    token = page.continue
  }
  return { replicas, cores, money: currency === '' ? undefined : inCurrency(money, currency) }
}

function inCurrency(amount: number, currency: string): string {
  return amount.toLocaleString('en', { style: 'currency', currency })
}

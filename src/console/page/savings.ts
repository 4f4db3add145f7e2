import type { VNode } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { NamespaceRecord } from '../../domain/records/namespace-record.ts'
import type { Answer } from './api.ts'
import type { App } from './app.ts'
import { savedReplicaHours } from './record.ts'
import { html } from './view.ts'

/** Milliseconds between reads of what was saved. */
const OFTEN = 300_000
const PAGE = 500

/** Hours of cores, and their price with those of memory; the latter is undefined without prices. */
interface Sum {
  readonly cores: number
  readonly money: string | undefined
}

/** What sleep saved in the last week, of all that may be seen: always of what was requested, and not billed. */
export function Savings({ app, now }: { app: App; now: number }): VNode | null {
  const { model } = app
  const [sum, setSum] = useState<Sum | undefined>(undefined)
  useEffect(() => {
    if (!model.isListed) return undefined
    const read = () => void sumOf(app).then(setSum, () => setSum(undefined))
    read()
    const timer = setInterval(read, OFTEN)
    return () => clearInterval(timer)
  }, [model.isListed])
  const replicas = useMemo(() => {
    let hours = 0
    for (const workload of model.records.values()) hours += savedReplicaHours(workload, now)
    return hours
  }, [model.records, model.version, now])
  if (sum && sum.cores >= 0.1)
    return html`<p class="savings quiet">
      Sleep saved <strong>${rounded(sum.cores)} core-hours</strong>${sum.money !== undefined && html` · <strong>${sum.money}</strong>`} in the last week: requested, not billed.
    </p>`
  if (replicas < 1) return null
  return html`<p class="savings quiet">
    Sleep saved <strong>${rounded(replicas)} replica hours</strong> in the last week.
  </p>`
}

function rounded(hours: number): string {
  return hours.toLocaleString('en', { maximumFractionDigits: hours < 10 ? 1 : 0 })
}

async function sumOf({ doing }: App): Promise<Sum> {
  let [cores, money, currency] = [0, 0, '']
  let token: string | null | undefined = ''
  while (typeof token === 'string') {
    const more = token === '' ? '' : `&continue=${encodeURIComponent(token)}`
    const page: Answer<NamespaceRecord[]> = await doing.ask({
      method: 'GET',
      path: `/namespaces?limit=${PAGE}${more}`,
    })
    for (const { saved } of page.data) {
      cores += saved.cpu_core_seconds / 3600
      money += saved.money?.amount ?? 0
      currency = saved.money?.currency ?? currency
    }
    token = page.continue
  }
  return { cores, money: currency === '' ? undefined : inCurrency(money, currency) }
}

function inCurrency(amount: number, currency: string): string {
  return amount.toLocaleString('en', { style: 'currency', currency })
}

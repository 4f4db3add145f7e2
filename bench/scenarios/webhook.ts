import { fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { annotated } from '../../test/support/manifests.ts'
import { reviewBody, scaling } from '../../test/support/reviews.ts'
import { answerOf } from '../measure/child.ts'
import { deployments, fill, withCluster, type BenchCluster } from '../measure/cluster.ts'
import { memoryOf, resetPeak } from '../measure/process.ts'
import { RawClient, type Sent, type Told } from '../measure/raw.ts'
import { withWebhook } from '../measure/webhook.ts'
import { compared } from '../report/comparison.ts'
import type { Measured } from '../report/row.ts'
import type { Context, Found, Scenario } from '../scenario.ts'

export const webhook: Scenario = {
  name: 'webhook',
  about: 'reviews of scalings at even rates, beside an HTTPS server that answers "allowed"',
  minutes: 5,
  run: (context) => withCluster(context, (cluster) => reviews(context, cluster)),
}

const RATES = [500, 2000] as const
const WORKLOADS = 200

interface Turn {
  readonly perSecond: number
  readonly ours: Told
  readonly bare: Told
  readonly peak: number
}

async function reviews({ quick, rounds, say }: Context, cluster: BenchCluster): Promise<Found> {
  const seconds = quick ? 3 : 10
  await fill(cluster, { namespace: 'shop', count: WORKLOADS, annotations: annotated() })
  const dormouse = await withWebhook(cluster)
  const server = fork(new URL('../measure/bare-server.ts', import.meta.url))
  const port = await answerOf<number>(server)
  const ours = await RawClient.connect({ url: dormouse.webhook ?? '' })
  const bare = await RawClient.connect({ url: `https://127.0.0.1:${port}` })
  const turns: Turn[] = []
  try {
    const requests = await reviewsOf(cluster)
    for (const client of [ours, bare]) await client.send({ requests, inFlight: 8, times: 2000 })
    for (let round = 1; round <= rounds; round++) {
      say(`round ${round} of ${rounds}`)
      for (const perSecond of RATES) {
        const task = { requests, inFlight: 0, perSecond, times: seconds * perSecond }
        await resetPeak(dormouse.pid)
        const told = await ours.send(task, { allowed: Number.POSITIVE_INFINITY })
        const { peak } = await memoryOf(dormouse.pid)
        await sleep(500)
        turns.push({ perSecond, ours: told, bare: await bare.send(task), peak })
      }
    }
  } finally {
    ours.stop()
    bare.stop()
    server.disconnect()
    await dormouse.stop()
  }
  return {
    rows: RATES.flatMap((rate) =>
      rowsOf(
        turns.filter(({ perSecond }) => perSecond === rate),
        rate,
      ),
    ),
  }
}

/** For scalings of workloads as they are, so that the informer's copy answers and nothing is read live. */
async function reviewsOf({ plane }: BenchCluster): Promise<Sent[]> {
  const { items } = (await plane.admin.expect('GET', deployments('shop'))) as unknown as {
    items: { metadata: { name: string; uid: string; resourceVersion: string } }[]
  }
  return items.map(({ metadata }) => {
    const workload = { kind: 'deployments', namespace: 'shop', replicas: 3, ...metadata } as const
    const body = reviewBody(scaling(workload, 5, { uid: 'review-#index#' }))
    const headers = { 'content-type': 'application/json' }
    return { method: 'POST', path: '/webhook/scale?timeout=5s', headers, body, expect: '"allowed":true' }
  })
}

function rowsOf(turns: readonly Turn[], rate: number): Measured[] {
  const what = `${rate.toLocaleString('en')} reviews a second`
  const ours = turns.map((turn) => turn.ours)
  const both = { what, ours, name: 'bare server', theirs: turns.map(({ bare }) => bare) }
  return [
    compared(both, { what: 'p99', unit: 'ms', get: ({ p99 }) => p99, bar: { of: 'ratio', atMost: 2 } }),
    compared(both, { what: 'p50', unit: 'ms', get: ({ p50 }) => p50 }),
    {
      what: `${what}: errors`,
      figure: ours.reduce((sum, { failed }) => sum + failed, 0),
      unit: '',
      bar: { of: 'figure', atMost: 0 },
    },
    {
      what: `${what}: RSS at its peak`,
      figure: Math.max(...turns.map(({ peak }) => peak)),
      unit: 'MB',
      bar: { of: 'figure', atMost: 160 },
    },
  ]
}

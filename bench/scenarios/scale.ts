import { annotated } from '../../test/support/manifests.ts'
import { deployments, fill, namesOf, withCluster, type BenchCluster } from '../measure/cluster.ts'
import { RawClient, type Sent, type Told } from '../measure/raw.ts'
import { withWebhook } from '../measure/webhook.ts'
import { compared } from '../report/comparison.ts'
import { perSecond } from '../report/figures.ts'
import type { Bar } from '../report/row.ts'
import { inRounds, type Context, type Found, type Scenario } from '../scenario.ts'

export const scale: Scenario = {
  name: 'scale',
  about: 'scalings through the API server, with the webhook and without',
  minutes: 3,
  run: (context) => withCluster(context, (cluster) => scalings(context, cluster)),
}

/** `off` is excluded: the registration's selector keeps the API server from calling the webhook. */
const NAMESPACES = ['strangers', 'managed', 'off'] as const
type Namespace = (typeof NAMESPACES)[number]

async function scalings({ quick, rounds, say }: Context, cluster: BenchCluster): Promise<Found> {
  const count = quick ? 50 : 300
  const times = quick ? 200 : 3000
  for (const namespace of NAMESPACES) {
    const annotations = namespace === 'managed' ? annotated() : {}
    await fill(cluster, { namespace, count, annotations })
  }
  const dormouse = await withWebhook(cluster, { excludeNamespaces: ['off'] })
  const client = await RawClient.connect(cluster.admin)
  const told: Record<Namespace, Told[]> = { strangers: [], managed: [], off: [] }
  try {
    await inRounds({ rounds, say }, async (counts) => {
      for (const namespace of NAMESPACES) {
        const requests = [3, 4].flatMap((replicas) => scaledTo(namespace, count, replicas))
        const answer = await client.send({ requests, inFlight: 32, times })
        if (counts) told[namespace].push(answer)
      }
    })
  } finally {
    client.stop()
    await dormouse.stop()
  }
  const { strangers, managed, off } = told
  const rate = ({ begun, ended }: Told) => perSecond(times, ended - begun)
  const rowsOf = (whose: string, ours: readonly Told[], rateBar?: Bar, p99Bar?: Bar) => {
    const both = { what: `scalings ${whose}, 32 at once`, ours, name: 'without the webhook', theirs: off }
    return [
      compared(both, { what: 'rate', unit: 'a second', get: rate, bar: rateBar }),
      compared(both, { what: 'p99', unit: 'ms', get: ({ p99 }) => p99, bar: p99Bar }),
    ]
  }
  const bars = [
    { of: 'ratio', atLeast: 0.85 },
    { of: 'ratio', atMost: 1.5 },
  ] as const
  return {
    rows: [
      ...rowsOf('of workloads that nobody manages', strangers, ...bars),
      ...rowsOf('of managed workloads', managed),
    ],
  }
}

function scaledTo(namespace: Namespace, count: number, replicas: number): Sent[] {
  const headers = { 'content-type': 'application/merge-patch+json' }
  const body = JSON.stringify({ spec: { replicas } })
  return namesOf(count).map((name) => {
    return { method: 'PATCH', path: `${deployments(namespace)}/${name}/scale`, headers, body }
  })
}

import { annotated } from '../../test/support/manifests.ts'
import { eventually } from '../../test/support/eventually.ts'
import { deployments, fill, namesOf, withCluster, type BenchCluster } from '../measure/cluster.ts'
import { RawClient, type Sent, type Told } from '../measure/raw.ts'
import { CONFIGURATION, withWebhook } from '../measure/webhook.ts'
import { median, perSecond } from '../report/figures.ts'
import type { Bar, Measured } from '../report/row.ts'
import { inRounds, type Context, type Found, type Scenario } from '../scenario.ts'

export const scale: Scenario = {
  name: 'scale',
  about: "others' scalings and status writes, with the webhook and the chart's policies and without",
  minutes: 7,
  run: (context) => withCluster(context, (cluster) => writes(context, cluster)),
}

/** `off` is excluded from both: their selectors keep the API server from looking at its writes. */
const NAMESPACES = ['strangers', 'managed', 'off'] as const
type Namespace = (typeof NAMESPACES)[number]
const KINDS = ['scale', 'status', 'spec'] as const
type Write = (typeof KINDS)[number]

/** An answer with the milliseconds of the API server's processor time for each write. */
type Cost = Told & { readonly server: number }

async function writes({ quick, rounds, say }: Context, cluster: BenchCluster): Promise<Found> {
  const count = quick ? 50 : 300
  // Short turns, there and back, so that whatever else the machine does meets each of them.
  const times = quick ? 100 : 400
  const turns = quick ? 2 : 6
  for (const namespace of NAMESPACES) {
    const annotations = namespace === 'managed' ? annotated() : {}
    await fill(cluster, { namespace, count, annotations })
  }
  await leaveOut(cluster, 'off')
  const dormouse = await withWebhook(cluster, { excludeNamespaces: ['off'] })
  const client = await RawClient.connect(cluster.admin)
  const costs = new Map<string, Cost[]>()
  try {
    say('a namespace without a mark becomes strange after a minute')
    await eventually('the namespace to be strange', () => isLeftOut(cluster, 'strangers'), {
      timeout: 180_000,
      pause: 1000,
    })
    await inRounds({ rounds, say }, async (counts) => {
      for (const write of KINDS)
        for (const namespace of Array.from({ length: turns }, (_, at) => turned(at % 2 === 1)).flat()) {
          const requests = requestsOf(write, namespace, count)
          const before = await cluster.cpu()
          const answer = await client.send({ requests, inFlight: 32, times })
          const server = ((await cluster.cpu()) - before) / times
          const key = keyOf(write, namespace)
          if (counts) costs.set(key, [...(costs.get(key) ?? []), { ...answer, server }])
        }
    })
  } finally {
    client.stop()
    await dormouse.stop()
  }
  const rate = ({ begun, ended }: Cost) => perSecond(times, ended - begun)
  const rowsOf = (
    what: string,
    write: Write,
    namespace: Namespace,
    ...[atRate, atP99]: Bar[]
  ): Measured[] => {
    const row = (figure: string, unit: string, get: (cost: Cost) => number, bar?: Bar) => {
      const of = (where: Namespace) => median((costs.get(keyOf(write, where)) ?? []).map(get))
      const reference = { name: 'without', figure: of('off') }
      return { what: `${what}: ${figure}`, figure: of(namespace), unit, reference, ...(bar && { bar }) }
    }
    return [
      row('rate', 'a second', rate, atRate),
      row('p99', 'ms', ({ p99 }) => p99, atP99),
      row("API server's processor time for each", 'ms', ({ server }) => server),
    ]
  }
  const atLeast = (ratio: number): Bar => ({ of: 'ratio', atLeast: ratio })
  const slowest: Bar = { of: 'ratio', atMost: 1.5 }
  return {
    rows: [
      ...rowsOf('scalings in a strange namespace, 32 at once', 'scale', 'strangers', atLeast(0.9), slowest),
      ...rowsOf('scalings of managed workloads', 'scale', 'managed'),
      ...rowsOf('status writes of a strange Deployment', 'status', 'strangers', atLeast(0.95)),
      ...rowsOf('status writes of managed workloads', 'status', 'managed'),
      ...rowsOf('other writes of a strange Deployment', 'spec', 'strangers'),
      ...rowsOf('other writes of managed workloads', 'spec', 'managed'),
    ],
  }
}

const turned = (isBack: boolean) => (isBack ? NAMESPACES.toReversed() : NAMESPACES)

const keyOf = (write: Write, namespace: Namespace) => `${write} ${namespace}`

/** Keeps the chart's policies from judging the writes of a namespace. */
async function leaveOut({ plane: { admin } }: BenchCluster, namespace: string): Promise<void> {
  const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings'
  const { items = [] } = await admin.expect('GET', path)
  const expression = { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: [namespace] }
  const matchResources = { namespaceSelector: { matchExpressions: [expression] } }
  for (const { metadata } of items)
    await admin.expect('PATCH', `${path}/${metadata?.name}`, { spec: { matchResources } })
}

/** Whether the webhook leaves out the scalings of this namespace. */
async function isLeftOut({ plane: { admin } }: BenchCluster, namespace: string): Promise<boolean> {
  const { webhooks } = await admin.expect('GET', CONFIGURATION)
  const ofScalings = (webhooks as { name: string }[]).find(({ name }) => name === 'scale.dormouse.dev')
  return JSON.stringify(ofScalings).includes(`"${namespace}"`)
}

function requestsOf(write: Write, namespace: Namespace, count: number): Sent[] {
  const headers = { 'content-type': 'application/merge-patch+json' }
  const below = write === 'spec' ? '' : `/${write}`
  const bodies =
    write === 'status'
      ? ['{"status":{"observedGeneration":#index#}}']
      : [3, 4].map((replicas) => JSON.stringify({ spec: { replicas } }))
  return bodies.flatMap((body) =>
    namesOf(count).map((name) => {
      return { method: 'PATCH', path: `${deployments(namespace)}/${name}${below}`, headers, body }
    }),
  )
}

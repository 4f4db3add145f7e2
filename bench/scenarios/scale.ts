import { eventually } from '../../test/support/eventually.ts'
import { freePorts } from '../../test/control-plane/ports.ts'
import { annotated } from '../../test/support/manifests.ts'
import { deployments, fill, namesOf, withCluster, type BenchCluster } from '../measure/cluster.ts'
import { startDormouse, type Dormouse } from '../measure/dormouse.ts'
import { RawClient, type Sent, type Told } from '../measure/raw.ts'
import { median, perSecond } from '../report/figures.ts'
import type { Measured } from '../report/row.ts'
import type { Context, Found, Scenario } from '../scenario.ts'

export const scale: Scenario = {
  name: 'scale',
  about: 'scalings through the API server, with the webhook and without',
  minutes: 3,
  run: (context) => withCluster(context, (cluster) => scalings(context, cluster)),
}

/** `off` is excluded: the registration's selector keeps the API server from calling the webhook. */
const NAMESPACES = ['strangers', 'managed', 'off'] as const
type Namespace = (typeof NAMESPACES)[number]
const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/dormouse'

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
    for (let round = 0; round <= rounds; round++) {
      say(round === 0 ? 'warming up' : `round ${round} of ${rounds}`)
      for (const namespace of NAMESPACES) {
        const requests = [3, 4].flatMap((replicas) => scaledTo(namespace, count, replicas))
        const answer = await client.send({ requests, inFlight: 32, times })
        if (round > 0) told[namespace].push(answer)
      }
    }
  } finally {
    client.stop()
    await dormouse.stop()
  }
  const rows = [
    ...rowsOf('of workloads that nobody manages', told.strangers, told.off, times, true),
    ...rowsOf('of managed workloads', told.managed, told.off, times, false),
  ]
  return { rows }
}

/** Starts Dormouse and waits until the API server calls its webhook. */
export async function withWebhook(cluster: BenchCluster, settings: object = {}): Promise<Dormouse> {
  const [port] = await freePorts(1)
  const webhook = { port, url: `https://127.0.0.1:${port}` }
  const dormouse = await startDormouse({ kubeconfig: cluster.kubeconfig, settings: { webhook, ...settings } })
  await eventually('the webhook to be in force', async () => {
    const { status, body } = await cluster.plane.admin.send('GET', CONFIGURATION)
    const { webhooks = [] } = body as { webhooks?: { name: string; failurePolicy: string }[] }
    const isInForce = ({ name, failurePolicy }: { name: string; failurePolicy: string }) =>
      name === 'scale.dormouse.dev' && failurePolicy === 'Fail'
    return status === 200 && webhooks.some(isInForce)
  })
  return dormouse
}

function scaledTo(namespace: Namespace, count: number, replicas: number): Sent[] {
  const headers = { 'content-type': 'application/merge-patch+json' }
  const body = JSON.stringify({ spec: { replicas } })
  return namesOf(count).map((name) => {
    return { method: 'PATCH', path: `${deployments(namespace)}/${name}/scale`, headers, body }
  })
}

function rowsOf(
  whose: string,
  on: readonly Told[],
  off: readonly Told[],
  times: number,
  judged: boolean,
): Measured[] {
  const compared = (
    what: string,
    unit: string,
    get: (told: Told) => number,
    bar: Measured['bar'],
  ): Measured => ({
    what: `scalings ${whose}, 32 at once: ${what}`,
    figure: median(on.map(get)),
    unit,
    reference: { name: 'without the webhook', figure: median(off.map(get)) },
    ...(bar && judged ? { bar } : {}),
  })
  const rate = ({ begun, ended }: Told) => perSecond(times, ended - begun)
  return [
    compared('rate', 'a second', rate, { of: 'ratio', atLeast: 0.85 }),
    compared('p99', 'ms', ({ p99 }) => p99, { of: 'ratio', atMost: 1.5 }),
  ]
}

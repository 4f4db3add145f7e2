import { setTimeout as sleep } from 'node:timers/promises'
import { annotated } from '../../test/support/manifests.ts'
import { awakeNow } from '../../test/support/schedules.ts'
import { fill, withCluster, type BenchCluster } from '../measure/cluster.ts'
import { CountingProxy, type Traffic } from '../measure/counting-proxy.ts'
import { startDormouse } from '../measure/dormouse.ts'
import { cpuOf } from '../measure/process.ts'
import type { Measured } from '../report/row.ts'
import type { Context, Found, Scenario } from '../scenario.ts'

export const idle: Scenario = {
  name: 'idle',
  about: 'what it takes while nothing happens, with few and with many workloads',
  minutes: 11,
  run: (context) => withCluster(context, (cluster) => both(context, cluster)),
}

interface Idle {
  readonly minutes: number
  readonly traffic: Traffic
  /** Milliseconds of processor time. */
  readonly cpu: number
  readonly sockets: number
  readonly watches: number
}

async function both(context: Context, cluster: BenchCluster): Promise<Found> {
  const { quick, say } = context
  const [few = 0, managed = 0, all = 0] = quick ? [100, 500, 1000] : [1000, 5000, 20_000]
  const annotations = annotated(awakeNow())
  say(`${few} Deployments are created`)
  await fill(cluster, { namespace: 'few', count: few, annotations })
  const small = await idled(context, cluster, quick ? 1 : 3)
  say(`${all - few} more are created`)
  await fill(cluster, { namespace: 'managed', count: managed - few, annotations })
  await fill(cluster, { namespace: 'strangers', count: all - managed })
  const large = await idled(context, cluster, quick ? 1 : 5)
  const growth = [
    { chart: 'idle-bytes' as const, line: 'Dormouse', workloads: few, figure: kilobytes(small) },
    { chart: 'idle-bytes' as const, line: 'Dormouse', workloads: all, figure: kilobytes(large) },
  ]
  const of = `${managed.toLocaleString('en')} managed of ${all.toLocaleString('en')}`
  return {
    rows: rowsOf(of, large, { name: `with ${few.toLocaleString('en')}`, figure: kilobytes(small) }),
    growth,
  }
}

async function idled({ quick, say }: Context, { kubeconfig }: BenchCluster, minutes: number): Promise<Idle> {
  const proxy = await CountingProxy.start(kubeconfig)
  const dormouse = await startDormouse({ kubeconfig: proxy.kubeconfig })
  try {
    // The Lease and what follows a start settle first.
    await sleep(quick ? 10_000 : 30_000)
    say(`nothing happens for ${minutes} min`)
    proxy.forget()
    const cpu = await cpuOf(dormouse.pid)
    await sleep(minutes * 60_000)
    const { most, watches } = proxy.connections
    return { minutes, traffic: proxy.traffic, cpu: (await cpuOf(dormouse.pid)) - cpu, sockets: most, watches }
  } finally {
    await dormouse.stop()
    await proxy.stop()
  }
}

function kilobytes({ traffic, minutes }: Idle): number {
  return Number((traffic.bytes / 1000 / minutes).toPrecision(3))
}

function rowsOf(of: string, idle: Idle, reference: { name: string; figure: number }): Measured[] {
  const { minutes, traffic, cpu, sockets, watches } = idle
  const requests = Object.entries(traffic.requests)
  const count = (chosen: (named: string) => boolean) =>
    requests.filter(([named]) => chosen(named)).reduce((sum, [, times]) => sum + times, 0)
  const none = { of: 'figure', atMost: 0 } as const
  const isGet = (named: string) => named.startsWith('get ') && named !== 'get leases'
  const all = requests.map(([named, times]) => `${times} × ${named}`).join(', ')
  return [
    {
      what: `${of}: lists in ${minutes} min`,
      figure: count((named) => named.startsWith('list ')),
      unit: '',
      bar: none,
    },
    { what: `${of}: gets but the Lease's`, figure: count(isGet), unit: '', bar: none },
    { what: `${of}: requests in ${minutes} min`, figure: count(() => true), unit: '', note: all },
    {
      what: `${of}: bookmarks of the busiest kind`,
      figure: Math.max(0, ...Object.values(traffic.bookmarks)) / minutes,
      unit: 'a minute',
      bar: { of: 'figure', atMost: 2 },
    },
    {
      what: `${of}: processor`,
      figure: (cpu / (minutes * 60_000)) * 100,
      unit: '% of a core',
      bar: { of: 'figure', atMost: 0.5 },
    },
    {
      what: `${of}: bytes a minute`,
      figure: kilobytes(idle),
      unit: 'KB',
      reference,
      bar: { of: 'ratio', atMost: 1.1 },
    },
    {
      what: `${of}: sockets beside those of ${watches} watches`,
      figure: sockets - watches,
      unit: '',
      bar: { of: 'figure', atMost: 10 },
    },
  ]
}

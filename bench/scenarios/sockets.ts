import { setTimeout as sleep } from 'node:timers/promises'
import { annotated } from '../../test/support/manifests.ts'
import { comingMinute } from '../../test/support/schedules.ts'
import { fill, withCluster, type BenchCluster } from '../measure/cluster.ts'
import { CountingProxy } from '../measure/counting-proxy.ts'
import { startDormouse } from '../measure/dormouse.ts'
import { alternating } from '../measure/edges.ts'
import type { Measured } from '../report/row.ts'
import type { Context, Found, Scenario } from '../scenario.ts'

export const sockets: Scenario = {
  name: 'sockets',
  about: 'connections to the API server at rest, in waves and after them',
  minutes: 4,
  run: (context) => withCluster(context, (cluster) => counted(context, cluster)),
}

async function counted({ quick, say }: Context, cluster: BenchCluster): Promise<Found> {
  const count = quick ? 100 : 1000
  const { schedule, edges } = alternating(comingMinute(20_000 + count * 5), 1)
  await fill(cluster, { namespace: 'ours', count, annotations: annotated(schedule) })
  const proxy = await CountingProxy.start(cluster.kubeconfig)
  const dormouse = await startDormouse({ kubeconfig: proxy.kubeconfig })
  const rows: Measured[] = []
  const row = (what: string, most: number, watches: number) => {
    const bar = { of: 'figure', atMost: 10 } as const
    rows.push({
      what: `${what}, beside those of ${watches} watches`,
      figure: most - watches,
      unit: 'sockets',
      bar,
    })
  }
  try {
    await sleep(3000)
    row('at rest', proxy.connections.now, proxy.connections.watches)
    const last = edges.at(-1)?.at ?? 0
    say(`${edges.length} waves of ${count}, and half a minute after them`)
    await sleep(last + 20_000 - Date.now())
    row(`at the most in ${edges.length} waves of ${count}`, proxy.connections.most, proxy.connections.watches)
    await sleep(quick ? 20_000 : 60_000)
    row('a while later', proxy.connections.now, proxy.connections.watches)
  } finally {
    await dormouse.stop()
    await proxy.stop()
  }
  return { rows }
}

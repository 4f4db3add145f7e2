import { fork } from 'node:child_process'
import { annotated } from '../../test/support/manifests.ts'
import { awakeNow } from '../../test/support/schedules.ts'
import { answerOf } from '../measure/child.ts'
import { fill, targetOf, withCluster, type BenchCluster } from '../measure/cluster.ts'
import { startDormouse } from '../measure/dormouse.ts'
import { median } from '../report/figures.ts'
import type { Measured } from '../report/row.ts'
import type { Context, Found, Scenario } from '../scenario.ts'

export const start: Scenario = {
  name: 'start',
  about: 'from its start until it is ready, beside the same pages listed and parsed',
  minutes: 4,
  run: (context) => withCluster(context, (cluster) => started(context, cluster)),
}

interface Starts {
  readonly count: number
  readonly ours: number[]
  /** The same pages, listed and parsed by undici alone; without the start of its Node. */
  readonly raw: number[]
}

async function started(context: Context, cluster: BenchCluster): Promise<Found> {
  const [few = 0, many = 0] = context.workloads ?? (context.quick ? [100, 1000] : [100, 20_000])
  const annotations = annotated(awakeNow())
  await fill(cluster, { namespace: 'few', count: few, annotations })
  const small = await measured(context, cluster, few)
  context.say(`${many - few} more Deployments are created`)
  await fill(cluster, { namespace: 'many', count: many - few, annotations })
  const large = await measured(context, cluster, many)
  return {
    rows: [
      row(small, { bar: { of: 'figure', atMost: 700 } }),
      row(large, { bar: { of: 'ratio', atMost: 1.3 }, note: NOTE }),
    ],
  }
}

const NOTE =
  'from the start of the process until it says that it is ready; the raw list is timed from its first request on, without the start of its Node'

async function measured(
  { rounds, say }: Context,
  { kubeconfig }: BenchCluster,
  count: number,
): Promise<Starts> {
  const starts: Starts = { count, ours: [], raw: [] }
  for (let round = 1; round <= rounds; round++) {
    const dormouse = await startDormouse({ kubeconfig })
    starts.ours.push(dormouse.readyAfter)
    await dormouse.stop()
    starts.raw.push(await rawList(kubeconfig))
    say(`${count}: ready after ${starts.ours.at(-1)?.toFixed(0)} ms, raw ${starts.raw.at(-1)?.toFixed(0)} ms`)
  }
  return starts
}

async function rawList(kubeconfig: string): Promise<number> {
  const child = fork(new URL('../measure/raw-list.ts', import.meta.url))
  return answerOf<number>(child, await targetOf(kubeconfig))
}

function row({ count, ours, raw }: Starts, rest: Pick<Measured, 'bar' | 'note'>): Measured {
  const reference = { name: 'raw list', figure: median(raw) }
  const what = `${count.toLocaleString('en')}: start to ready`
  return { what, figure: median(ours), unit: 'ms', reference, ...rest }
}

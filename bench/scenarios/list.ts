import { request } from 'undici'
import { annotated } from '../../test/support/manifests.ts'
import { awakeNow } from '../../test/support/schedules.ts'
import { fill, withCluster, type BenchCluster } from '../measure/cluster.ts'
import { startDormouse, type Dormouse } from '../measure/dormouse.ts'
import { memoryOf, resetPeak } from '../measure/process.ts'
import { median, quantile } from '../report/figures.ts'
import type { Context, Found, Scenario } from '../scenario.ts'

export const list: Scenario = {
  name: 'list',
  about: 'the status of all workloads by the API, page after page',
  minutes: 1,
  run: (context) => withCluster(context, (cluster) => listed(context, cluster)),
}

async function listed({ quick, rounds, workloads, say }: Context, cluster: BenchCluster): Promise<Found> {
  const count = workloads?.[0] ?? (quick ? 500 : 5000)
  const times = 6 * rounds
  say(`${count} Deployments are created`)
  await fill(cluster, { namespace: 'ours', count, annotations: annotated(awakeNow()) })
  const dormouse = await startDormouse({ kubeconfig: cluster.kubeconfig })
  const taken: number[] = []
  try {
    // Peaks, since memory rises and falls with each collection of the whole heap, which takes a while to come.
    const peakOfAll = async () => {
      await resetPeak(dormouse.pid)
      for (let time = 0; time < times; time++) taken.push(await allPages(dormouse, count))
      return (await memoryOf(dormouse.pid)).peak
    }
    say(`${times} times all pages, to warm up`)
    const before = await peakOfAll()
    taken.length = 0
    say(`${times} times all pages`)
    const after = await peakOfAll()
    const of = count.toLocaleString('en')
    return {
      rows: [
        { what: `${of}: all pages`, figure: median(taken), unit: 'ms', bar: { of: 'figure', atMost: 250 } },
        { what: `${of}: all pages, the slowest`, figure: quantile(taken, 1), unit: 'ms' },
        {
          what: `${of}: RSS at its peak in ${times} times`,
          figure: after,
          unit: 'MB',
          reference: { name: `in the ${times} before`, figure: before },
          bar: { of: 'ratio', atMost: 1.05 },
        },
      ],
    }
  } finally {
    await dormouse.stop()
  }
}

/** Milliseconds until all pages were read and parsed. */
async function allPages({ api, tokens: [token] }: Dormouse, count: number): Promise<number> {
  const begun = performance.now()
  let [found, after] = [0, '']
  do {
    const query = new URLSearchParams({ limit: '500', ...(after === '' ? {} : { continue: after }) })
    const { statusCode, body } = await request(`${api}/api/v1/workloads?${query.toString()}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    if (statusCode !== 200) throw new Error(`the list answered ${statusCode}: ${await body.text()}`)
    const page = (await body.json()) as { data: unknown[]; continue: string | null }
    found += page.data.length
    after = page.continue ?? ''
  } while (after !== '')
  if (found !== count) throw new Error(`${found} of ${count} workloads were listed`)
  return performance.now() - begun
}

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { request } from 'undici'
import { npmPackage } from '../../packaging/client.ts'
import { PROJECT, programEnvironment } from '../../test/support/dormouse.ts'
import { annotated } from '../../test/support/manifests.ts'
import { awakeNow } from '../../test/support/schedules.ts'
import { fill, withCluster, type BenchCluster } from '../measure/cluster.ts'
import { startDormouse, type Dormouse } from '../measure/dormouse.ts'
import { memoryOf, resetPeak } from '../measure/process.ts'
import { median, quantile } from '../report/figures.ts'
import type { Context, Found, Scenario } from '../scenario.ts'

export const list: Scenario = {
  name: 'list',
  about: 'the status of all workloads by the API, page after page, and as the client prints it',
  minutes: 2,
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
    const byServer: number[] = []
    const byCluster: number[] = []
    const program = join(PROJECT, 'node_modules', '.cache', 'dormouse-bench-client')
    await npmPackage(program)
    say(`${times} times by the client, over the API and through the cluster`)
    for (let time = 0; time < times; time++) {
      const [token = ''] = dormouse.tokens
      byServer.push(await printed(program, ['--server', dormouse.api], { DORMOUSE_TOKEN: token }, count))
      byCluster.push(await printed(program, ['--kubeconfig', cluster.plane.adminKubeconfig], {}, count))
    }
    const bar = { of: 'figure', atMost: 400 } as const
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
        { what: `${of}: client, --server`, figure: median(byServer), unit: 'ms', bar },
        { what: `${of}: client, through the cluster`, figure: median(byCluster), unit: 'ms' },
      ],
    }
  } finally {
    await dormouse.stop()
  }
}

/** Milliseconds from the start of `kubectl dormouse list -A`, as it is packaged, to its end. */
async function printed(
  program: string,
  where: readonly string[],
  variables: Readonly<Record<string, string>>,
  count: number,
): Promise<number> {
  const begun = performance.now()
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(program, 'bin', 'kubectl-dormouse.js'), 'list', '-A', ...where],
    { env: { ...programEnvironment(), ...variables }, maxBuffer: 1e9 },
  )
  const took = performance.now() - begun
  const lines = stdout.trimEnd().split('\n').length
  if (lines !== count + 1) throw new Error(`the client printed ${lines} lines of ${count + 1}`)
  return took
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

import { sharedControlPlane } from '../control-plane/shared.ts'
import { around } from './around.ts'
import type { Cluster } from './cluster.ts'
import { realCluster } from './real-cluster.ts'
import { startSandboxCluster, type StartedCluster } from './sandbox-cluster.ts'

/** A cluster on which `describeOn` runs tests, and their results. */
interface Place {
  readonly name: 'sandbox' | 'real'
  readonly title: string
  readonly provide: () => Promise<Cluster | { readonly unavailable: string }>
  cluster?: Promise<Cluster | { readonly unavailable: string }>
  passed: number
  failed: number
}

let sandbox: Promise<StartedCluster> | undefined

const places: readonly Place[] = [
  {
    name: 'sandbox',
    title: 'the sandbox',
    provide: () => (sandbox ??= startSandboxCluster()),
    passed: 0,
    failed: 0,
  },
  {
    name: 'real',
    title: 'the real control plane',
    async provide() {
      const plane = await sharedControlPlane()
      if ('unavailable' in plane) return plane
      const cluster = await realCluster(plane)
      await around().settle(cluster)
      return cluster
    },
    passed: 0,
    failed: 0,
  },
]

/** The first test waits for the control plane to be built, if it is not. */
const BUILD = 30 * 60_000

/**
 * Defines tests on the real control plane; `on()` is the cluster, within hooks and tests. If it is unavailable, they
 * are skipped and the end of the run says so; with `CI` or `DORMOUSE_REQUIRE_CONTROL_PLANE` set that is a failure.
 * `DORMOUSE_ON` (`sandbox` or `real`) leaves out the tests on the other one.
 */
export function describeOn(
  title: string,
  define: (this: Mocha.Suite, on: () => Cluster) => void,
  where: 'both' | 'sandbox' | 'real' = 'real',
): void {
  const chosen = process.env['DORMOUSE_ON']
  const there = places.filter(({ name }) => [name, 'both'].includes(where) && (chosen ?? name) === name)
  for (const place of there) {
    describe(`${title} (on ${place.title})`, function () {
      let cluster: Cluster | undefined
      before(`${place.title} is there`, async function () {
        this.timeout(BUILD)
        const provided = await (place.cluster ??= place.provide())
        if ('unavailable' in provided) this.skip()
        else cluster = provided
      })
      afterEach(function () {
        if (this.currentTest?.state === 'passed') place.passed += 1
        if (this.currentTest?.state === 'failed') place.failed += 1
      })
      define.call(this, () => {
        if (!cluster) throw new TypeError(`${place.title} is there only within hooks and tests`)
        return cluster
      })
    })
  }
}

/** The same tests on the sandbox too: the core, so that a machine without Go tests something. */
export function describeOnBoth(title: string, define: (this: Mocha.Suite, on: () => Cluster) => void): void {
  describeOn(title, define, 'both')
}

/** The same, but `npm test` leaves the sandbox to `npm run test:long` where it has the real control plane. */
export function describeOnReal(title: string, define: (this: Mocha.Suite, on: () => Cluster) => void): void {
  describeOn(title, define, process.env['DORMOUSE_HAS_REAL'] === 'true' ? 'real' : 'both')
}

/** A line for each cluster that was asked for: how many tests ran there, or why none did. */
export async function whereTestsRan(): Promise<string[]> {
  const asked = places.filter(({ cluster }) => cluster !== undefined)
  const ran = await Promise.all(
    asked.map(async ({ title, cluster, passed, failed }) => {
      const provided = await cluster?.catch((error: Error) => ({ unavailable: error.message }))
      if (!provided || 'unavailable' in provided) {
        return `end to end: NOT on ${title}: ${provided?.unavailable ?? 'it was not asked for'}`
      }
      const version = provided.version === undefined ? '' : ` (${provided.version})`
      return `end to end: ${passed} passed and ${failed} failed on ${title}${version}`
    }),
  )
  return [...ran, ...around().lines]
}

export async function stopSandboxCluster(): Promise<void> {
  const started = await sandbox?.catch(() => undefined)
  sandbox = undefined
  await started?.stop()
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sharedControlPlane } from '../control-plane/shared.ts'
import { realControlPlane } from '../control-plane/build.ts'
import { bundle } from '../../build.ts'
import { moreTime, withFound, type Need } from '../suite/need.ts'
import { around } from './around.ts'
import { serveBy } from './dormouse.ts'
import { kubectl } from './kubectl.ts'
import type { Cluster } from './cluster.ts'
import { realCluster } from './real-cluster.ts'
import { startSandboxCluster, type StartedCluster } from './sandbox-cluster.ts'

/** A cluster on which `describeOn` runs tests, and their results. */
interface Place {
  readonly name: 'sandbox' | 'real'
  readonly need?: Need<unknown>
  readonly provide: () => Promise<Cluster>
  cluster?: Promise<Cluster>
  passed: number
  failed: number
}

let sandbox: Promise<StartedCluster> | undefined

const places: readonly Place[] = [
  {
    name: 'sandbox',
    provide: () => (sandbox ??= startSandboxCluster()),
    passed: 0,
    failed: 0,
  },
  {
    name: 'real',
    need: realControlPlane,
    async provide() {
      const cluster = await realCluster(await sharedControlPlane())
      await around().settle(cluster)
      return cluster
    },
    passed: 0,
    failed: 0,
  },
]

/** The cluster, within hooks and tests; `isReal` is known when the tests are defined. */
export type On = (() => Cluster) & { readonly isReal: boolean }
type Define<Found> = (this: Mocha.Suite, on: On, found: Found) => void

/**
 * Defines tests on the real control plane, on the sandbox or on both; where there is no control plane its tests are left
 * out. `beside`: what else they need, which the definition gets. `DORMOUSE_ON` (`sandbox` or `real`) leaves out those on
 * the other one.
 */
export function describeOn<Found = undefined>(
  title: string,
  define: Define<Found>,
  where: 'both' | 'sandbox' | 'real' = 'real',
  beside?: Need<Found>,
): void {
  const chosen = process.env['DORMOUSE_ON']
  for (const place of places) {
    if (![place.name, 'both'].includes(where) || (chosen ?? place.name) !== place.name) continue
    const titled = place.need ? title : `${title} (on the sandbox)`
    const describeHere = (full: string, found: Found) =>
      describe(full, function () {
        define.call(this, onFor(place), found)
      })
    const withBeside = (full: string) =>
      beside ? withFound(beside, full, describeHere) : describeHere(full, undefined as Found)
    if (place.need) withFound(place.need, titled, withBeside)
    else withBeside(titled)
  }
}

/** The core: on the sandbox, and on the real control plane where there is one. */
export function describeOnBoth(title: string, define: Define<undefined>): void {
  describeOn(title, define, 'both')
}

/** The core once more, by the program that the image runs, as `build.ts` makes it. */
export function describeOnBothAndBuilt(title: string, define: Define<undefined>): void {
  describeOnBoth(title, define)
  describeOn(
    title,
    function (on) {
      byTheBuiltProgram()
      define.call(this, on, undefined)
    },
    'sandbox',
    builtProgram,
  )
}

/** Without anything to be found: it takes the time of a suite. */
const builtProgram: Need<true> = { ...moreTime, phrase: "with the image's program" }

/** Registers the hooks by which a suite runs the image's program. */
function byTheBuiltProgram(): void {
  let folder: string
  before(async function () {
    this.timeout(120_000)
    folder = await mkdtemp(join(tmpdir(), 'dormouse-built-'))
    await bundle(folder)
    serveBy(join(folder, 'dist', 'main.js'))
  })
  after(async () => {
    serveBy()
    await rm(folder, { recursive: true, force: true })
  })
}

/** The same, of what kubectl does. */
export function describeKubectlOnBoth(title: string, define: Define<string>): void {
  describeOn(title, define, 'both', kubectl)
}

/** On the real control plane, with something else. */
export function describeOnWith<Found>(need: Need<Found>, title: string, define: Define<Found>): void {
  describeOn(title, define, 'real', need)
}

/** Registers the hooks of a suite on this cluster. */
function onFor(place: Place): On {
  let cluster: Cluster | undefined
  before(async function () {
    this.timeout(120_000)
    cluster = await (place.cluster ??= place.provide())
  })
  afterEach(function () {
    if (this.currentTest?.state === 'passed') place.passed += 1
    if (this.currentTest?.state === 'failed') place.failed += 1
  })
  const on = () => {
    if (!cluster) throw new TypeError('a cluster is there only within hooks and tests')
    return cluster
  }
  return Object.assign(on, { isReal: place.name === 'real' })
}

/** A line for each cluster that was asked for: how many tests ran there. */
export async function whereTestsRan(): Promise<string[]> {
  const ran = places.map(async ({ cluster, passed, failed }) => {
    const there = await cluster?.catch(() => undefined)
    const version = there?.version === undefined ? '' : ` (${there.version})`
    return there ? [`end to end: ${passed} passed and ${failed} failed on ${there.name}${version}`] : []
  })
  return [...(await Promise.all(ran)).flat(), ...around().lines]
}

export async function stopSandboxCluster(): Promise<void> {
  const started = await sandbox?.catch(() => undefined)
  sandbox = undefined
  await started?.stop()
}

import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { runClient } from '../../src/client/program.ts'
import { processTerminal } from '../../src/client/process-terminal.ts'
import { configurationOf } from '../../src/domain/import/configuration.ts'
import { canSleep, type ImportedObject } from '../../src/domain/import/imported-object.ts'
import { collectionOf, pathOf } from '../../src/client/import/resources.ts'
import { ASLEEP_LABEL } from '../../src/domain/workload.ts'
import type { Cluster } from '../support/cluster.ts'
import { enforced } from '../support/enforced.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { createNamespace } from '../support/served.ts'
import { expectedOf, leftBy, objectsOf, type Expected, type Tool } from '../domain/import/recording.ts'

const DAY = 24 * 3_600_000
/** A Sunday at 1:07 in UTC, within the days before. */
function sundayNight(now: number): number {
  const today = new Date(now)
  today.setUTCHours(1, 7, 0, 0)
  return (
    today.getTime() - (today.getUTCDay() === 0 && today.getTime() <= now ? 0 : today.getUTCDay() || 7) * DAY
  )
}

/** Their times end on dates, or they are of kinds that this Dormouse does not manage. */
const LEFT_OUT = /freeze|release|until|past|future|own-old/

/**
 * Defines the tests that load what a tool left asleep, import it, and see it sleep until Monday and wake then with its
 * counts.
 */
export function takenOver(on: () => Cluster, tool: Tool): void {
  const began = sundayNight(Date.now()) + 46 * 7 * DAY
  const clock = new ProgramClock()
  const config = tool === 'kube-green' ? undefined : configurationOf(leftBy(tool), began)
  enforced(on, {
    preload: clock.preload,
    certificates: { leafLifetime: '8760h', caLifetime: '87600h', renewAt: 0.9 },
    excludeNamespaces: config?.excludeNamespaces ?? [],
    settings: { timezone: 'Europe/Berlin', ...(config && { policies: config.policies }) },
  })
  const objects = objectsOf(tool).filter(({ kind }) => kind !== 'Rollout')
  const workloads = expectedOf(tool).filter(
    (each) => each.asleep && canSleep({ kind: each.kind } as ImportedObject) && !LEFT_OUT.test(each.name),
  )
  const adopted = new Set<string>()

  before('it is Sunday night', () => clock.moveTo(began - Date.now()))
  before('what it left is there', async function () {
    this.timeout(180_000)
    await defineForeign(on())
    for (const { metadata, kind } of objects)
      if (kind === 'Namespace') await createNamespace(on(), metadata.name)
    for (const each of objects) if (each.kind === 'Namespace') await annotate(each)
    await inParallel(objects.filter(isFirst), create)
    await inParallel(
      objects.filter((each) => !isFirst(each) && each.kind !== 'Namespace'),
      create,
    )
  })

  after('and goes again', async function () {
    this.timeout(240_000)
    clock.remove()
    for (const { metadata, kind } of objects)
      if (kind === 'Namespace') await on().admin.send('DELETE', `/api/v1/namespaces/${metadata.name}`)
    // The next tool's import would read what is left of them.
    await eventually(
      'the namespaces to be gone',
      async () => {
        const { items = [] } = await on().admin.expect('GET', '/api/v1/namespaces')
        return !items.some((each) =>
          objects.some(({ kind, metadata }) => kind === 'Namespace' && metadata.name === each.metadata?.name),
        )
      },
      { timeout: 180_000, pause: 500 },
    )
  })

  it('a dry run names each and changes nothing', async function () {
    this.timeout(120_000)
    const before = await marksOfAll()
    const { code, stdout, stderr } = await imported('--dry-run', '--partial')
    expect(code, stderr).to.equal(0)
    for (const each of workloads) expect(stdout).to.include(`${keyOf(each)}: `)
    expect(await marksOfAll()).to.deep.equal(before)
  })

  it('while the other tool runs nothing is changed, and the answer says how to stop it', async function () {
    this.timeout(120_000)
    const own = objects.find(({ kind, spec }) => kind === 'Deployment' && runsTool(spec))
    if (!own) return
    const { namespace = '', name } = own.metadata
    await on().kubectl('rollout', 'status', `deployment/${name}`, '-n', namespace, '--timeout=60s')
    const { code, stderr } = await imported('--partial')
    expect(code).to.equal(2)
    expect(stderr).to.include(`kubectl scale deployment ${name} -n ${namespace} --replicas 0`)
    await on().kubectl('scale', 'deployment', name, '-n', namespace, '--replicas', '0')
    await eventually('it to be gone', async () => {
      const { spec, status } = await read({ namespace, name, kind: 'Deployment' })
      return spec?.replicas === 0 && (status?.readyReplicas ?? 0) === 0
    })
  })

  it('without --partial nothing is changed while something is refused', async function () {
    this.timeout(120_000)
    const { stdout } = await imported('--dry-run')
    if (!/^refused/m.test(stdout)) return
    const { code, stderr } = await imported()
    expect(code).to.equal(1)
    expect(stderr).to.include('nothing was changed')
  })

  it('takes all over asleep: none wakes, and each keeps its count', async function () {
    this.timeout(180_000)
    const { code, stdout, stderr } = await imported('--partial')
    expect(code, stderr).to.equal(0)
    for (const each of workloads)
      if (stdout.includes(`${keyOf(each)}: adopted asleep`)) adopted.add(keyOf(each))
    expect(adopted.size).to.be.above(workloads.length / 2)
    for (const each of ofAdopted()) {
      const { labels } = (await read(each)).metadata
      expect(labels?.[ASLEEP_LABEL], keyOf(each)).to.equal(String(countOf(each)))
    }
    // Time for a wake that must not come.
    await pause(3000)
    for (const each of ofAdopted()) expect(await isAtRestNow(each), keyOf(each)).to.equal(true)
  })

  it('another time there is nothing left to adopt', async function () {
    this.timeout(120_000)
    const { code, stdout } = await imported('--partial')
    expect(stdout).to.not.include('adopted asleep')
    // Without any SleepInfo there is nothing of kube-green.
    expect(code).to.be.oneOf([0, 2])
  })

  it('on Monday morning those with hours wake, as they were before', async function () {
    this.timeout(180_000)
    // Monday, 11:00 in Berlin.
    clock.moveTo(began + DAY + 9 * 3_600_000 - Date.now())
    const awake = ofAdopted().filter((each) => !NEVER.test(each.name))
    await eventually(
      'the morning',
      async () => {
        for (const each of awake) {
          const { spec } = await read(each)
          if (each.kind === 'CronJob') expect(spec?.suspend, keyOf(each)).to.equal(false)
          else if (each.kind === 'DaemonSet')
            expect(JSON.stringify(spec), keyOf(each)).to.not.include('match-none')
          else expect(spec?.replicas, keyOf(each)).to.equal(countOf(each))
        }
        return true
      },
      { timeout: 120_000, pause: 1000 },
    )
  })

  /** Those that no schedule wakes on a Monday at 11:00 in Berlin. */
  const NEVER = /never|overnight|forced|force-down|checkout|loader|wrap-days|bare|no-zone$/

  const ofAdopted = () => workloads.filter((each) => adopted.has(keyOf(each)))
  const keyOf = ({ kind, namespace, name }: Expected) => `${kind.toLowerCase()} ${namespace}/${name}`
  const countOf = (each: Expected) => (each.lost ? 2 : (each.original?.replicas ?? 1))

  async function imported(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const [out, err]: [string[], string[]] = [[], []]
    const from = tool === 'gokubedownscaler-main' ? 'gokubedownscaler' : tool
    const terminal = processTerminal(process, 'kubectl dormouse', new AbortController().signal)
    const code = await runClient(
      ['import', '--from', from, '--kubeconfig', on().adminKubeconfig, ...args],
      '1.0.0',
      {
        ...terminal,
        clock: () => clock.now(),
        stdout: { write: (text) => out.push(text) },
        stderr: { write: (text) => err.push(text) },
      },
    )
    return { code, stdout: out.join(''), stderr: err.join('') }
  }

  async function create(object: ImportedObject): Promise<void> {
    const { kind, metadata } = object
    const path = COLLECTIONS[kind]?.(metadata.namespace ?? '') ?? collectionOf(kind, metadata.namespace)
    await on().admin.expect('POST', path, withoutOwners(object))
  }

  async function annotate({ metadata: { name, annotations } }: ImportedObject): Promise<void> {
    if (annotations) await on().kubectl('annotate', 'namespace', name, ...pairs(annotations))
  }

  async function read({
    kind,
    namespace,
    name,
  }: Pick<Expected, 'kind' | 'namespace' | 'name'>): Promise<ImportedObject> {
    const path = pathOf({ apiVersion: '', kind, metadata: { namespace, name } })
    return (await on().admin.expect('GET', path)) as unknown as ImportedObject
  }

  async function isAtRestNow(each: Expected): Promise<boolean> {
    const { spec } = await read(each)
    if (each.kind === 'CronJob') return spec?.suspend === true
    if (each.kind === 'DaemonSet')
      return spec?.template?.spec?.nodeSelector?.['dormouse.dev/snoozed'] === 'true'
    return spec?.replicas === 0
  }

  async function marksOfAll(): Promise<string[]> {
    const found = await Promise.all(workloads.map(read))
    return found.map(({ metadata, spec }) => {
      const own = Object.entries(metadata.annotations ?? {}).filter(([name]) => !BY_CONTROLLERS.test(name))
      return JSON.stringify([own, spec?.replicas, spec?.suspend])
    })
  }
}

const BY_CONTROLLERS = /^(?:deployment|deprecated)\./

const COLLECTIONS: Readonly<Record<string, (namespace: string) => string>> = {
  ConfigMap: (namespace) => `/api/v1/namespaces/${namespace}/configmaps`,
  Secret: (namespace) => `/api/v1/namespaces/${namespace}/secrets`,
}

function runsTool(spec: ImportedObject['spec']): boolean {
  const containers = spec?.template?.spec?.containers ?? []
  return containers.some(({ image = '' }) => /kube-?green|kube-?downscaler/.test(image))
}

/** What others belong to, or read. */
function isFirst({ kind }: ImportedObject): boolean {
  return kind === 'ConfigMap' || kind === 'SleepInfo'
}

function pairs(annotations: Readonly<Record<string, string>>): string[] {
  return Object.entries(annotations).map(([name, value]) => `${name}=${value}`)
}

/** An owner that is not there would be the end of it. */
function withoutOwners({ metadata, ...object }: ImportedObject): object {
  const { ownerReferences: _, ...kept } = metadata
  return { ...object, metadata: kept }
}

const FOREIGN = [
  { group: 'kube-green.com', plural: 'sleepinfos', kind: 'SleepInfo' },
  { group: 'keda.sh', plural: 'scaledobjects', kind: 'ScaledObject' },
]

/** Definitions that take anything, where there are none. */
async function defineForeign({ admin }: Cluster): Promise<void> {
  for (const { group, plural, kind } of FOREIGN) {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    await admin.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
        versions: [{ name: 'v1alpha1', served: true, storage: true, schema }],
      },
    })
    await eventually(`${plural} to be served`, async () => {
      const { status } = await admin.send('GET', `/apis/${group}/v1alpha1/${plural}`)
      return status === 200
    })
  }
}

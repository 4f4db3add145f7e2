import { expect } from 'chai'
import { carryOut, type Outcome } from '../../src/client/import/carrying-out.ts'
import { lineOf } from '../../src/client/import/text.ts'
import { toolsAmong } from '../../src/client/import/tool.ts'
import type { ClusterObjects } from '../../src/client/ports.ts'
import { processTerminal } from '../../src/client/process-terminal.ts'
import { runClient } from '../../src/client/program.ts'
import type { Terminal } from '../../src/client/terminal.ts'
import { planOfDownscaler } from '../../src/domain/import/downscaler-plan.ts'
import { nameOf, type ImportedObject, type Step } from '../../src/domain/import/imported-object.ts'
import { programOf } from '../../src/domain/import/program.ts'
import { REQUEST_ANNOTATION } from '../../src/domain/requests/annotation.ts'
import { ASLEEP_LABEL } from '../../src/domain/workload.ts'
import { Refusal } from '../../src/errors.ts'
import { aDeployment } from '../support/workloads.ts'

const NIGHT = Date.parse('2026-11-24T01:00:00Z')
const HOURS = 'Mon-Fri 08:00-18:00 Europe/Berlin'
const KEPT = 'downscaler/original-replicas'
const UPTIME = 'downscaler/uptime'

type Json = { [field: string]: unknown }
const isMap = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** RFC 7396. */
function merged(target: unknown, patch: Json): Json {
  const result: Json = { ...(isMap(target) ? target : {}) }
  for (const [name, value] of Object.entries(patch))
    if (value === null) delete result[name]
    else result[name] = isMap(value) ? merged(result[name], value) : value
  return result
}

/** A cluster in memory whose webhook takes requests away, unless a test says otherwise. */
class Objects implements ClusterObjects {
  readonly place = 'cluster dev'
  readonly objects = new Map<string, ImportedObject>()
  /** Called before each write; may throw. */
  onPatch: (name: string, dryRun: boolean) => void = () => undefined
  answers = true
  /** Kinds that it does not answer for. */
  unknown: readonly string[] = []
  /** Paths of what the person may not read. */
  unread = /^$/
  /** What was written, in order. */
  readonly writes: string[] = []
  #version = 1

  constructor(objects: readonly ImportedObject[]) {
    for (const each of objects) this.put(each)
  }

  put(object: ImportedObject): void {
    const metadata = { ...object.metadata, resourceVersion: String((this.#version += 1)) }
    this.objects.set(placeOf(object), { ...object, metadata })
  }

  at(object: ImportedObject): ImportedObject {
    const found = this.objects.get(placeOf(object))
    if (!found) throw new TypeError(`no ${nameOf(object)}`)
    return found
  }

  async get<Object>(path: string): Promise<Object | undefined> {
    if (this.unread.test(path)) throw new Refusal('FORBIDDEN', 'secrets is forbidden')
    return this.objects.get(path) as Object | undefined
  }

  async patch(path: string, body: object, dryRun: boolean) {
    const planned = this.objects.get(path)
    if (planned) this.onPatch(nameOf(planned), dryRun)
    const before = this.objects.get(path)
    if (!before) throw new Refusal('NOT_FOUND', 'gone')
    const { resourceVersion } = (body as { metadata: { resourceVersion?: string } }).metadata
    const has = (before.metadata as { resourceVersion?: string }).resourceVersion
    if (resourceVersion !== undefined && resourceVersion !== has)
      throw new Refusal('CLUSTER_REJECTED', 'the object has been modified', { details: { status: 409 } })
    const after = merged(before, body as Json) as unknown as ImportedObject
    const annotations: Record<string, string> = { ...after.metadata.annotations }
    const [, count] = /^adopt (\d+)/.exec(annotations[REQUEST_ANNOTATION] ?? '') ?? []
    const answers = this.answers && !this.unknown.includes(before.kind)
    if (answers) delete annotations[REQUEST_ANNOTATION]
    const labels = { ...after.metadata.labels, ...(answers && count && { [ASLEEP_LABEL]: count }) }
    if (!dryRun) this.writes.push(nameOf(before))
    if (!dryRun) this.put({ ...after, metadata: { ...after.metadata, annotations, labels } })
    return { annotations, warnings: [] }
  }

  async list<Listed>(path: string): Promise<Listed[]> {
    const plural = path.split('/').at(-1)
    const [, namespace] = /\/namespaces\/([^/]+)\//.exec(path) ?? []
    const all = [...this.objects.values()].filter(
      ({ kind, metadata }) =>
        PLACES[kind]?.[1] === plural && (namespace === undefined || metadata.namespace === namespace),
    )
    return structuredClone(all) as Listed[]
  }

  async remove(path: string): Promise<void> {
    this.writes.push(`${path} removed`)
    this.objects.delete(path)
  }

  async close(): Promise<void> {}
}

function placeOf({ kind, metadata: { namespace, name } }: ImportedObject): string {
  const [base, plural] = PLACES[kind] ?? ['', '']
  return `${base}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}/${name}`
}

const PLACES: Readonly<Record<string, [base: string, plural: string]>> = {
  Namespace: ['/api/v1', 'namespaces'],
  Deployment: ['/apis/apps/v1', 'deployments'],
  DaemonSet: ['/apis/apps/v1', 'daemonsets'],
  ScaledObject: ['/apis/keda.sh/v1alpha1', 'scaledobjects'],
  Rollout: ['/apis/argoproj.io/v1alpha1', 'rollouts'],
  SleepInfo: ['/apis/kube-green.com/v1alpha1', 'sleepinfos'],
  Secret: ['/api/v1', 'secrets'],
}

const shop: ImportedObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop', annotations: { [UPTIME]: HOURS } },
}

function sleeper(name: string, kept: string, more: Partial<ImportedObject['metadata']> = {}): ImportedObject {
  const metadata = { namespace: 'shop', name, annotations: { [KEPT]: kept }, ...more }
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 0 } }
}

/** A namespace as kube-green leaves it by night. */
function ofKubeGreen(namespace: string): ImportedObject[] {
  const kept = { 'Deployment.apps': { web: '{"spec":{"replicas":3}}' } }
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'kube-green.com/v1alpha1',
      kind: 'SleepInfo',
      metadata: { namespace, name: 'hours' },
      spec: { weekdays: '1-5', sleepAt: '20:00', wakeUpAt: '08:00' },
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: 'sleepinfo-hours' },
      data: { 'original-resource-info': Buffer.from(JSON.stringify(kept)).toString('base64') },
    },
    { ...sleeper('web', ''), metadata: { namespace, name: 'web' } },
  ]
}

/** What an import of GoKubeDownscaler, which has no defaults, would do with the objects as they are now. */
function planOf(all: Iterable<ImportedObject>): Step[] {
  const objects = [...all]
  return planOfDownscaler(
    {
      dialect: 'go',
      program: programOf([], {}),
      namespaces: objects.filter(({ kind }) => kind === 'Namespace'),
      objects: objects.filter(({ kind }) => kind !== 'Namespace'),
    },
    NIGHT,
  )
}

async function carriedOut(cluster: Objects, steps: readonly Step[], signal = new AbortController().signal) {
  const outcomes: Outcome[] = []
  for await (const outcome of carryOut(cluster, steps, false, signal)) outcomes.push(outcome)
  return outcomes
}

async function imported(
  cluster: Objects,
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []]
  const terminal: Terminal = {
    ...processTerminal(process, 'kubectl dormouse', new AbortController().signal),
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    clock: () => NIGHT,
    openCluster: async () => cluster,
  }
  const from = args.includes('--from') ? [] : ['--from', 'gokubedownscaler']
  const code = await runClient(['import', ...from, ...args], '1.0.0', terminal)
  return { code, out: out.join(''), err: err.join('') }
}

const verdicts = (steps: readonly Step[]) =>
  steps.map(({ object, verdict }) => `${verdict} ${nameOf(object)}`)
const annotationsAt = (cluster: Objects, object: ImportedObject) =>
  cluster.at(object).metadata.annotations ?? {}

describe('an import', () => {
  it('that was interrupted between two writes goes on where it was: hours of the Namespace are still known', async () => {
    const web = sleeper('web', '3')
    const api = sleeper('api', '2')
    const cluster = new Objects([shop, web, api])
    const first = planOf(cluster.objects.values())
    const stop = new AbortController()
    cluster.onPatch = (name, dryRun) => {
      if (name === 'deployment shop/web' && !dryRun) stop.abort()
    }
    let ended: unknown
    await carriedOut(cluster, first, stop.signal).catch((error: unknown) => (ended = error))
    expect(ended).to.equal(stop.signal.reason)
    expect(annotationsAt(cluster, web)).to.not.have.property(KEPT)
    expect(annotationsAt(cluster, api)).to.have.property(KEPT, '2')

    const again = planOf(cluster.objects.values())
    expect(verdicts(again)).to.deep.equal(['mapped namespace shop', 'mapped deployment shop/api'])
    expect((await carriedOut(cluster, again)).filter(({ why }) => why)).to.deep.equal([])
    expect(annotationsAt(cluster, api)).to.not.have.property(KEPT)
    expect(annotationsAt(cluster, shop))
      .to.include({ 'dormouse.dev/enabled': 'true' })
      .and.to.not.have.property(UPTIME)
  })

  it('in which something failed, or is refused, leaves what the next one reads', async () => {
    const web = sleeper('web', '3')
    const cluster = new Objects([shop, web])
    cluster.onPatch = (name) => {
      if (name === 'deployment shop/web') throw new Refusal('CLUSTER_REJECTED', 'no')
    }
    const outcomes = await carriedOut(cluster, planOf(cluster.objects.values()))
    expect(outcomes.map(({ why }) => why)).to.deep.equal([
      'no',
      'it is not annotated, since not all in it was taken over: what was has its hours as its own',
      'it stays, since not all was done',
    ])
    expect(annotationsAt(cluster, shop)).to.deep.equal({ [UPTIME]: HOURS })

    const odd = sleeper('odd', '2', { annotations: { [KEPT]: '2', 'downscaler/downscale-replicas': '1' } })
    const other = new Objects([shop, odd])
    const steps = planOf(other.objects.values())
    expect(verdicts(steps)).to.include('refused deployment shop/odd')
    await carriedOut(other, steps)
    expect(annotationsAt(other, shop)).to.have.property(UPTIME, HOURS)
  })

  it('takes no count away from what fell asleep since it was read', async () => {
    const web = { ...sleeper('web', '7'), spec: { replicas: 3 } }
    const cluster = new Objects([shop, web])
    const steps = planOf(cluster.objects.values())
    expect(steps.at(-1)?.says.join()).to.include('out of date')
    cluster.put(sleeper('web', '3'))
    const outcomes = await carriedOut(cluster, steps)
    expect(outcomes[0]?.why).to.match(/has changed since it was read/)
    expect(annotationsAt(cluster, web)).to.have.property(KEPT, '3')
  })

  it('takes none away from what falls asleep in the very moment of its write', async () => {
    const web = { ...sleeper('web', '7'), spec: { replicas: 3 } }
    const cluster = new Objects([shop, web])
    cluster.onPatch = (name) => {
      cluster.onPatch = () => undefined
      if (name === 'deployment shop/web') cluster.put(sleeper('web', '3'))
    }
    const steps = planOf(cluster.objects.values()).filter(({ object }) => object.kind === 'Deployment')
    const [outcome] = await carriedOut(cluster, steps)
    expect(outcome?.why).to.match(/has changed since it was read/)
    expect(annotationsAt(cluster, web)).to.have.property(KEPT, '3')
  })

  it('tries again where only a status was written meanwhile', async () => {
    const web = sleeper('web', '3')
    const cluster = new Objects([web, shop])
    let writes = 0
    cluster.onPatch = (name) => {
      if (name === 'deployment shop/web' && (writes += 1) === 2) cluster.put(cluster.at(web))
    }
    const outcomes = await carriedOut(cluster, planOf(cluster.objects.values()))
    expect(outcomes.filter(({ why }) => why)).to.deep.equal([])
    expect(annotationsAt(cluster, web)).to.not.have.property(KEPT)
  })

  it("puts all back where the webhook is gone between the dry run and the write: a DaemonSet's key, too", async () => {
    const nodeSelector = { 'downscaler/match-none': 'true', disk: 'ssd' }
    const agent: ImportedObject = {
      ...sleeper('agent', '1'),
      kind: 'DaemonSet',
      spec: { template: { spec: { nodeSelector } } },
    }
    const cluster = new Objects([shop, agent])
    cluster.onPatch = (name, dryRun) => {
      if (name === 'daemonset shop/agent' && !dryRun) cluster.answers = false
    }
    let failure: unknown
    await carriedOut(cluster, planOf(cluster.objects.values())).catch((error: unknown) => (failure = error))
    expect(failure).to.be.instanceOf(Refusal)
    expect(cluster.at(agent).spec?.template?.spec?.nodeSelector).to.deep.equal(nodeSelector)
    expect(annotationsAt(cluster, agent)).to.deep.equal({ [KEPT]: '1' })
  })

  it('leaves the pause of a workload that it could not take over: KEDA would wake it', async () => {
    const web = sleeper('web', '3')
    const scaler: ImportedObject = {
      apiVersion: 'keda.sh/v1alpha1',
      kind: 'ScaledObject',
      metadata: {
        namespace: 'shop',
        name: 'web-scaler',
        annotations: { [KEPT]: '-1', 'autoscaling.keda.sh/paused-replicas': '0' },
      },
      spec: { scaleTargetRef: { name: 'web' } },
    }
    const cluster = new Objects([shop, web, scaler])
    cluster.onPatch = (name) => {
      if (name === 'deployment shop/web') throw new Refusal('CLUSTER_REJECTED', 'pinned')
    }
    const before = cluster.at(scaler)
    await carriedOut(cluster, planOf(cluster.objects.values()))
    expect(cluster.at(scaler)).to.equal(before)
  })

  const inUse = { ...sleeper('in-use', '3'), spec: { replicas: 2 } }
  const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)

  it('adopts sleepers before all else, and annotates a Namespace once everything in it is done', async () => {
    const cluster = new Objects([shop, inUse, sleeper('web', '3'), sleeper('api', '2')])
    const { code, err } = await imported(cluster)
    expect(code, err).to.equal(0)
    const [sleepers, others] = [['deployment shop/web', 'deployment shop/api'], ['deployment shop/in-use']]
    // Each sleeper gives back what it inherits by then; the Namespace's old annotations go last.
    expect(cluster.writes).to.deep.equal([
      ...sleepers,
      ...others,
      'namespace shop',
      ...sleepers,
      'namespace shop',
    ])
  })

  it('gives each sleeper its hours in the write that adopts it: it is right at each moment, and inherits them in the end', async () => {
    const cluster = new Objects([shop, sleeper('web', '3')])
    const seen: object[] = []
    cluster.onPatch = (name) => {
      if (name === 'namespace shop') seen.push(annotationsAt(cluster, sleeper('web', '3')))
    }
    await imported(cluster)
    const own = {
      'dormouse.dev/enabled': 'true',
      'dormouse.dev/schedule': '8:00-18:00,Mon-Fri',
      'dormouse.dev/timezone': 'Europe/Berlin',
    }
    // The first is the dry run that asks whether the Namespace can be written at all.
    expect(seen.slice(1, 2)).to.deep.equal([own])
    expect(annotationsAt(cluster, sleeper('web', '3'))).to.deep.equal({})
  })

  it('counts at the end what happened and not what was planned, and ends with 1 where something failed', async () => {
    const cluster = new Objects([shop, inUse, sleeper('web', '3'), sleeper('api', '2'), sleeper('odd', 'x')])
    cluster.onPatch = (name) => {
      if (name === 'deployment shop/api') throw new Refusal('CLUSTER_REJECTED', 'no')
    }
    const { code, out, err } = await imported(cluster, '--partial')
    expect(code).to.equal(1)
    expect(out).to.include('deployment shop/api: adopted asleep, 2 kept')
    expect(lastLine(err)).to.equal('1 adopted, 1 changed, 1 left as they are, 2 failed')
    expect(err).to.not.match(/^done/m)
    expect(err).to.match(/^differs +deployment shop\/api: at 0, and not adopted; 2 replicas recorded$/m)
  })

  it('compares each count again, and says so', async () => {
    const cluster = new Objects([shop, sleeper('web', '3'), sleeper('api', '2')])
    const { code, err } = await imported(cluster)
    expect(code).to.equal(0)
    expect(err).to.include('every count is kept: 2 compared\n')
    expect(lastLine(err)).to.equal('2 adopted, 1 changed, 0 left as they are, 0 failed')
  })

  it('ends with 1 where a count that it adopted is not there in the end', async () => {
    const cluster = new Objects([shop, sleeper('web', '3')])
    cluster.onPatch = (name, dryRun) => {
      const web = cluster.at(sleeper('web', '3'))
      if (name !== 'namespace shop' || dryRun) return
      cluster.put({ ...web, metadata: { ...web.metadata, labels: { [ASLEEP_LABEL]: '1' } } })
    }
    const { code, err } = await imported(cluster)
    expect(code).to.equal(1)
    expect(err).to.match(/^differs +deployment shop\/web: asleep, 1 kept; 3 replicas recorded$/m)
  })

  it('changes nothing at all in a namespace whose Namespace the person may not write', async () => {
    const other = { ...shop, metadata: { ...shop.metadata, name: 'team' } }
    const theirs = sleeper('web', '3', { namespace: 'team' })
    const cluster = new Objects([shop, sleeper('web', '3'), other, theirs])
    cluster.onPatch = (name) => {
      if (name === 'namespace team') throw new Refusal('FORBIDDEN', 'namespaces "team" is forbidden')
    }
    const [namespaceBefore, before] = [cluster.at(other), cluster.at(theirs)]
    const { code, err } = await imported(cluster)
    expect(code).to.equal(1)
    expect(err).to.match(/deployment team\/web: its namespace is left as it is, .*"team" is forbidden/)
    expect([cluster.at(other), cluster.at(theirs)]).to.deep.equal([namespaceBefore, before])
    expect(cluster.at(sleeper('web', '3')).metadata.labels).to.deep.equal({ [ASLEEP_LABEL]: '3' })
  })

  it('leaves a namespace as it is whose Secrets the person may not read, and takes over the others', async () => {
    const all = ['shop', 'team'].flatMap(ofKubeGreen)
    const cluster = new Objects(all)
    cluster.unread = /namespaces\/team\/secrets/
    const { code, err } = await imported(cluster, '--from', 'kube-green', '--partial')
    expect(code, err).to.equal(0)
    expect(lastLine(err)).to.equal('1 adopted, 2 changed, 2 left as they are, 0 failed')
    expect(cluster.writes.some((each) => each.includes('team'))).to.equal(false)
  })

  it('says of a kind that Dormouse was not told of that it lacks there, and goes on', async () => {
    const rollout = { ...sleeper('shop', '4'), kind: 'Rollout', apiVersion: 'argoproj.io/v1alpha1' }
    const cluster = new Objects([shop, rollout, sleeper('web', '3')])
    cluster.unknown = ['Rollout']
    const { code, err } = await imported(cluster)
    expect(code).to.equal(1)
    expect(err).to.include('rollout shop/shop: Dormouse does not answer for it')
    expect(err).to.include('add rollouts.argoproj.io to its kinds')
    expect(cluster.at(rollout).metadata.annotations).to.have.property(KEPT, '4')
    expect(cluster.at(sleeper('web', '3')).metadata.labels).to.deep.equal({ [ASLEEP_LABEL]: '3' })
  })

  it('leaves a sleeper that Dormouse has put to sleep with its own count, and takes the marks away', async () => {
    const ours = sleeper('web', '7', { labels: { [ASLEEP_LABEL]: '3' } })
    const cluster = new Objects([shop, ours])
    const { code, out, err } = await imported(cluster)
    expect(code, err).to.equal(0)
    expect(out).to.include('asleep by Dormouse already, 3 kept: the 7 that the tool kept are out of date')
    expect(cluster.at(ours).metadata).to.deep.include({ labels: { [ASLEEP_LABEL]: '3' }, annotations: {} })
  })

  it('by --verify alone compares what is still recorded, says what is not any more, and changes nothing', async () => {
    const asleep = aDeployment('shop/web').withReplicas(3).enabled().snoozed({ at: NIGHT })
    const state = (text: string) =>
      asleep.remembering({ request: { text, at: NIGHT, by: 'k8s:ana' } }).annotations.state ?? ''
    const taken = (name: string, kept: string, text: string) => {
      const annotations = { 'dormouse.dev/state': state(text) }
      return {
        ...sleeper(name, ''),
        metadata: { namespace: 'shop', name, annotations, labels: { [ASLEEP_LABEL]: kept } },
      }
    }
    const good = [taken('good', '3', 'adopt 3'), taken('asked', '5', 'snooze 2h')]
    const cluster = new Objects([shop, ...good])
    const kept = await imported(cluster, '--verify')
    expect(kept.code, kept.err).to.equal(0)
    expect(kept.out).to.equal('kept          deployment shop/good: asleep, 3 kept\n')
    expect(kept.err).to.include('1 more sleep by Dormouse without a record of an import')
    for (const each of [taken('lower', '1', 'adopt 3'), sleeper('left', '4')]) cluster.put(each)
    const lost = await imported(cluster, '--verify')
    expect(lost.code).to.equal(1)
    expect(lost.out).to.match(/^differs +deployment shop\/lower: asleep, 1 kept; 3 replicas recorded$/m)
    expect(lost.out).to.match(/^differs +deployment shop\/left: at 0, and not adopted; 4 replicas recorded$/m)
    expect(cluster.writes).to.deep.equal([])
  })

  for (const [what, replicas, readyReplicas] of [
    ['runs', 1, 1],
    ['is about to run', 1, 0],
    ['has not ended', 0, 1],
  ] as const)
    it(`changes nothing while the other tool ${what}`, async () => {
      const image = 'ghcr.io/caas-team/gokubedownscaler:1.4.0'
      const tool: ImportedObject = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { namespace: 'tools', name: 'downscaler' },
        spec: { replicas, template: { spec: { containers: [{ image }] } } },
        status: { readyReplicas },
      }
      const web = sleeper('web', '3')
      const cluster = new Objects([shop, web, tool])
      const { code, err } = await imported(cluster)
      expect(code).to.equal(2)
      expect(err).to.include('kubectl scale deployment downscaler -n tools --replicas 0')
      expect(annotationsAt(cluster, web)).to.have.property(KEPT)
      cluster.put({ ...tool, spec: { ...tool.spec, replicas: 0 }, status: {} })
      expect((await imported(cluster)).code).to.equal(0)
      expect(annotationsAt(cluster, web)).to.not.have.property(KEPT)
    })

  it('finds the tool by its image, also where that comes from a mirror', () => {
    const toolOf = (image: string) => {
      const spec = { template: { spec: { containers: [{ image }] } } }
      return toolsAmong([{ ...sleeper('tool', '1'), spec }]).map(({ tool }) => tool)
    }
    for (const [image, tool] of [
      ['ghcr.io/caas-team/gokubedownscaler:1.4.0', 'gokubedownscaler'],
      ['mirror.corp:5000/caas-team-gokubedownscaler@sha256:abc', 'gokubedownscaler'],
      ['ghcr.io/caas-team/py-kube-downscaler:26.4.0', 'py-kube-downscaler'],
      ['hjacobs/kube-downscaler', 'py-kube-downscaler'],
      ['mirror.corp/ghcr_caas-team_py-kube-downscaler:26', 'py-kube-downscaler'],
      ['docker.io/kubegreen/kube-green:0.7.1', 'kube-green'],
      ['mirror.corp/kubegreen-kube-green:0.7.1', 'kube-green'],
    ] as const)
      expect(toolOf(image), image).to.deep.equal([tool])
    for (const image of ['shop/kube-green-theme:1', 'shop/notkube-green2', 'kube-downscaler/web:1'])
      expect(toolOf(image), image).to.deep.equal([])
  })

  it('says nothing of what GoKubeDownscaler left alone: it would be most of a cluster', () => {
    const plain: ImportedObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'plain' } }
    const metadata = { namespace: 'plain', name: 'dns' }
    const other: ImportedObject = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { replicas: 2 },
    }
    expect(planOf([plain, other])).to.deep.equal([])
    const asleep = { ...sleeper('lost', '2'), metadata: { ...metadata, annotations: { [KEPT]: '2' } } }
    const [step] = planOf([plain, asleep])
    expect(step?.verdict).to.equal('refused')
    expect(step?.says.join('; ')).to.match(/the tool would leave it so.*a count of 2/)
  })

  it('says of each object one line, whatever somebody wrote on it', () => {
    const odd = sleeper('web', '3\nmapped        deployment shop/other: adopted asleep, 3 kept')
    const lines = planOf([shop, odd]).map(lineOf)
    for (const line of lines) expect(line.trimEnd()).to.not.include('\n')
  })

  it('refuses a count that no workload can have', () => {
    for (const kept of ['9999999999', '1.5', '0x3', '-1', '']) {
      const step = planOf([shop, sleeper('web', kept)]).find(({ object }) => object.kind === 'Deployment')
      expect(step?.verdict, kept).to.equal('refused')
    }
  })

  it('tells of a sleeper that belongs to another object: nobody would wake it', () => {
    const owned = sleeper('owned', '4', { ownerReferences: [{ controller: true }] })
    const [step] = planOf([owned])
    expect(step?.verdict).to.equal('refused')
    expect(step?.says.join('; ')).to.match(/belongs to another object.*wake it by hand.*a count of 4/)
    expect(step?.patch).to.equal(undefined)
  })
})

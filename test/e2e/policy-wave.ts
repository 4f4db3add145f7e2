import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { NamespaceRecord } from '../../src/domain/records/namespace-record.ts'
import type { StatusRecord } from '../../src/domain/records/record.ts'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import type { Cluster, SeenRequest } from '../support/cluster.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { print, printFigures, quantile } from '../support/figures.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { ProgramClock } from '../support/program-clock.ts'
import { MINUTE } from '../support/rules.ts'
import { awakeNow, comingMinute, sleepsAt } from '../support/schedules.ts'
import { createNamespace, hasFollowed, served } from '../support/served.ts'

/** Milliseconds from the move of the clock to the edge. */
const LEAD = 2000

/** Where the workloads of a wave have their settings: on their Namespaces and in a policy, or each on itself. */
type Settings = 'inherited' | 'own'

interface Size {
  readonly namespaces: number
  readonly workloadsEach: number
  /** Whether the same waves with annotations on each workload are measured beside it: four waves, not one. */
  readonly compared: boolean
}

interface Wave {
  readonly settings: Settings
  /** From the edge to the arrival of each workload's first patch, in milliseconds, sorted. */
  readonly late: readonly number[]
  /** Workloads a second, from the first patch to the last. */
  readonly rate: number
  readonly patches: number
}

/**
 * Half of the namespaces are managed by their annotations, half by a policy. Only one namespace has pods: with
 * thousands, the controllers would be measured.
 */
export function waveByPolicy(on: () => Cluster, { namespaces, workloadsEach, compared }: Size): void {
  const all = namespaces * workloadsEach
  const run = randomBytes(3).toString('hex')
  const spaces = Array.from(
    { length: namespaces },
    (_, index) => `${index % 2 ? 'annotated' : 'policed'}-${run}-${index}`,
  )
  const byAnnotation = spaces.filter((_, index) => index % 2)
  const [withPods = ''] = byAnnotation
  const policed = (schedule: string) => ({
    newWorkloadGrace: '0s',
    policies: [{ name: 'wave', namespaces: { names: [`policed-${run}-*`] }, enabled: true, schedule }],
  })
  const clock = new ProgramClock()
  const here = served(on, policed(awakeNow()), clock.preload)
  const waves: Wave[] = []

  after('the namespaces go', async function () {
    this.timeout(5 * MINUTE)
    clock.remove()
    await inParallel(spaces, (name) => on().admin.send('DELETE', `/api/v1/namespaces/${name}`))
  })

  /** null: none. */
  const annotateNamespaces = (schedule: string | null) =>
    inParallel(byAnnotation, (name) =>
      on().admin.expect('PATCH', `/api/v1/namespaces/${name}`, {
        metadata: {
          annotations: {
            [ANNOTATION.enabled]: schedule === null ? null : 'true',
            [ANNOTATION.schedule]: schedule,
          },
        },
      }),
    )
  const annotateWorkloads = (schedule: string) =>
    inParallel(spaces, async (name) => {
      for (const { metadata } of await deploymentsOf(name))
        await on().admin.expect('PATCH', `${deployments(name)}/${metadata.name}`, {
          metadata: { annotations: annotated(schedule) },
        })
    })
  /** Whether Dormouse manages all of them, and has them in this state. */
  const managed = (state?: 'awake' | 'snoozed') => async () => {
    const counts = await inParallel(spaces, async (name) => {
      const { status, body } = await here.api.call<NamespaceRecord>('GET', `/namespaces/${name}`)
      const ofDeployments = status === 200 ? body.data.counts['deployments'] : undefined
      if (!ofDeployments) return 0
      return state === undefined ? body.data.workloads - ofDeployments.unmanaged : ofDeployments[state]
    })
    return counts.every((count) => count === workloadsEach)
  }
  const writesSince = async (since: number) =>
    (await here.cluster.requestsSince(since)).filter(
      ({ verb, url }) => ['patch', 'create', 'other'].includes(verb) && url.includes(run),
    )

  it(`${all} workloads in ${namespaces} namespaces are enrolled without a write`, async function () {
    this.timeout(15 * MINUTE)
    await inParallel(spaces, (name) => createNamespace(on(), name))
    await createWorkloads('first')
    const since = Date.now()
    await annotateNamespaces(awakeNow())
    await eventually('all to be managed', managed('awake'), { timeout: 5 * MINUTE, pause: 1000 })
    expect(await writesSince(since)).to.deep.equal([])
  })

  const order: Settings[] = compared ? ['inherited', 'own', 'own', 'inherited'] : ['inherited']
  for (const [place, settings] of order.entries())
    it(`go to sleep at the edge, settings ${settings} (${place + 1} of ${order.length})`, async function () {
      this.timeout(20 * MINUTE)
      await here.dormouse.terminate()
      await createWorkloads(`wave-${place}`)
      const since = Date.now()
      const edge = await beforeTheEdge(settings)
      await eventually('all to sleep', managed('snoozed'), { timeout: 10 * MINUTE, pause: 1000 })
      const wave = waveOf(settings, patchesOf(await writesSince(since)), edge)
      waves.push(wave)
      expect(wave.late).to.have.length(all)
      expect(wave.late[0]).to.be.at.least(0)
    })

  after('the figures', () => {
    const title = `${all} workloads in ${namespaces} namespaces fall asleep on ${on().name}, after the edge`
    const rows = waves.map(({ settings, late }) => ({ name: settings, values: late }))
    if (rows.length > 0) printFigures(title, rows)
    print(waves.map((each) => `${each.settings}: ${each.rate.toFixed(0)} a second, ${each.patches} patches`))
  })

  if (compared)
    it('are no later and no slower than with annotations of their own', () => {
      const ratio = (of: (wave: Wave) => number) => mean(waves, 'inherited', of) / mean(waves, 'own', of)
      const half = ratio(({ late }) => quantile(late, 0.5))
      const last = ratio(({ late }) => quantile(late, 1))
      const rate = ratio((wave) => wave.rate)
      const [first, second, third] = [half, last, rate].map((each) => each.toFixed(2))
      print([`inherited : own, lateness of half ${first}, of the last ${second}, rate ${third}`])
      // Other programs share the machine; what cost work for each workload and namespace would be far outside.
      for (const each of [half, last, 1 / rate]) expect(each).to.be.below(3)
      // One for each workload, but for answers that were lost on a loaded machine.
      expect(ratio(({ patches }) => patches)).to.be.within(0.9, 1.1)
    })

  it("one namespace's other schedule writes to its workloads alone", async function () {
    this.timeout(10 * MINUTE)
    const since = Date.now()
    await on().admin.expect('PATCH', `/api/v1/namespaces/${withPods}`, {
      metadata: { annotations: { [ANNOTATION.schedule]: awakeNow() } },
    })
    await eventually(
      'its workloads to wake',
      async () =>
        (await recordsOf(withPods)).every((each) => !each.is_snoozed && !each.operation_in_progress),
      { timeout: 5 * MINUTE, pause: 250 },
    )
    const all = patchesOf(await writesSince(since))
    const writes = all.filter(({ url }) => url.includes(withPods)).length
    print([`${workloadsEach} workloads under one changed Namespace: ${writes} patches`])
    // The wake, and what gives the count up once its pods are there.
    expect(writes).to.be.within(workloadsEach, 2 * workloadsEach)
    expect(all).to.have.length(writes)
  })

  /** Fresh ones in place of those that there were; resolves once the controllers have nothing left to do. */
  async function createWorkloads(prefix: string): Promise<void> {
    await inParallel(spaces, async (name) => {
      await on().admin.expect('DELETE', deployments(name))
      await eventually(`${name} to be empty`, async () => (await deploymentsOf(name)).length === 0, {
        timeout: 5 * MINUTE,
        pause: 250,
      })
      const paused = name !== withPods
      const objects = Array.from({ length: workloadsEach }, (_, index) =>
        manifest('deployments', `${prefix}-${index}`, { paused }),
      )
      await on().create(name, objects)
    })
    await eventually(
      'the controllers to rest',
      async () =>
        (await inParallel(spaces, deploymentsOf, 4))
          .flat()
          .every((each) =>
            each.metadata.namespace === withPods
              ? hasFollowed(each)
              : each.status?.observedGeneration === each.metadata.generation,
          ),
      { timeout: 10 * MINUTE, pause: 1000 },
    )
  }

  /** Starts Dormouse with settings that have an edge, and moves its clock there; returns when that is by ours. */
  async function beforeTheEdge(settings: Settings): Promise<number> {
    clock.moveTo(0)
    const edge = comingMinute(30 * MINUTE)
    const schedule = sleepsAt(edge)
    if (settings === 'own') {
      await annotateNamespaces(null)
      await annotateWorkloads(schedule)
      await here.dormouse.start({ newWorkloadGrace: '0s' })
    } else {
      await annotateNamespaces(schedule)
      await here.dormouse.start(policed(schedule))
    }
    await eventually('all to be known', managed(), { timeout: 2 * MINUTE, pause: 500 })
    clock.moveTo(edge - LEAD - Date.now())
    return edge - clock.offset
  }

  async function deploymentsOf(namespace: string): Promise<KubectlObject[]> {
    const { items = [] } = await on().admin.expect('GET', deployments(namespace))
    return items as unknown as KubectlObject[]
  }

  async function recordsOf(namespace: string): Promise<StatusRecord[]> {
    const { body } = await here.api.call<StatusRecord[]>(
      'GET',
      `/namespaces/${namespace}/deployments?limit=500`,
    )
    return body.data
  }
}

function deployments(namespace: string): string {
  return `/apis/apps/v1/namespaces/${namespace}/deployments`
}

function patchesOf(requests: readonly SeenRequest[]): SeenRequest[] {
  return requests.filter(({ verb, url }) => verb === 'patch' && url.includes('/deployments/'))
}

function waveOf(settings: Settings, patches: readonly SeenRequest[], edge: number): Wave {
  const first = new Map<string, number>()
  for (const { url, at } of patches) {
    const [path = ''] = url.split('?')
    first.set(path, Math.min(at, first.get(path) ?? at))
  }
  const late = [...first.values()].map((at) => at - edge).toSorted((a, b) => a - b)
  const seconds = ((late.at(-1) ?? 0) - (late[0] ?? 0)) / 1000
  return { settings, late, rate: (late.length - 1) / seconds, patches: patches.length }
}

function mean(waves: readonly Wave[], settings: Settings, of: (wave: Wave) => number): number {
  const values = waves.filter((wave) => wave.settings === settings).map(of)
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Rules } from '../../src/domain/deciding/rules.ts'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { StandIn } from '../keda/stand-in.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { countOf } from '../support/manifests.ts'
import { MINUTE } from '../support/rules.ts'
import { createNamespace } from '../support/served.ts'
import { manifestOf } from './kinds.ts'
import { lossesOf, raised, tooManyWrites, unexplained, unheard } from './invariants.ts'
import { addHpa, minimumsLeft } from './minimums.ts'
import { missedRuns } from './missed-runs.ts'
import { Observed } from './observed.ts'
import { ENVIRONMENT, PREFIX } from './policies.ts'
import { restOf, type Patience } from './rest.ts'
import { ACTS, type Born, type Late, type Scenario } from './scenario.ts'
import { rulesIn, type RulesInForce } from './rules-in-force.ts'
import { annotationsOf } from './settings.ts'
import { addScaler, scalersLeft } from './scalers.ts'
import { Target } from './target.ts'
import { traceOf } from './trace.ts'
import { scheduleOf } from './windows.ts'
import type { World } from './world.ts'

const REPLICAS = 3
const KEDA = 'system:serviceaccount:keda:keda-operator'
const UNMANAGED: Born = {
  kind: 'deployments',
  team: 'a',
  managed: false,
  window: null,
  scaledFrom: null,
  minimum: null,
  floor: null,
}

/** How a scenario ended. */
export interface Played {
  /** Violated invariants. */
  readonly violations: readonly string[]
  /** The actions on the workloads that a violation names, and every version of them. */
  readonly trace: readonly string[]
  /** Dormouse's writes of workloads, and the actions on them. */
  readonly writes: number
  readonly causes: number
}

/** Plays a scenario in a namespace of its own. */
export async function play(
  world: World,
  { namespace: beginning, workloads, steps }: Scenario,
  base: Rules,
  patience: Patience,
): Promise<Played> {
  const namespace = `${PREFIX}${randomBytes(4).toString('hex')}`
  const begun = Date.now()
  await createNamespace(world.cluster, namespace)
  const observed = new Observed(() => world.now)
  observed.watch(world.cluster, namespace)
  // Dormouse may have seen it as it was created, too, and be behind.
  await eventually('the Namespace to be seen', () => observed.namespaces.length > 0)
  const { environment, written } = beginning
  const metadata = {
    labels: { [ENVIRONMENT]: environment },
    ...(written && { annotations: annotationsOf(written, world.now) }),
  }
  const path = `/api/v1/namespaces/${namespace}`
  const { status } = await world.cluster.admin.send('PATCH', path, { metadata })
  // The webhook refuses unreadable values; the labels are still applied.
  if (status === 403)
    await world.cluster.admin.expect('PATCH', path, { metadata: { labels: metadata.labels } })
  else expect(status, 'of the Namespace').to.equal(200)
  const rules = rulesIn(base, observed)
  const errors = world.errors().length
  const targets = workloads.map(
    ({ kind, team }, index) =>
      new Target({ kind, namespace, name: `w${index}` }, team, world, observed, countOf(kind, REPLICAS)),
  )
  const keda = new StandIn(() => world.cluster, namespace, {
    // On a real cluster that account would need rights.
    ...(world.cluster.isReal ? {} : { as: KEDA }),
    scaled: (name, count) => targets.find(({ key }) => key.name === name)?.scaledByKeda(count),
  })
  for (const target of targets) Object.assign(target, { peers: targets, keda })
  const found: string[] = []
  let events = 0
  const check = async () => {
    found.push(...(await restOf(targets, rules, patience)))
    for (const target of targets) found.push(...checked(target, rules))
  }
  try {
    await keda.start()
    await inParallel(targets, (target, index) => born(target, workloads[index]))
    for (const step of steps) {
      if (step.type === 'deed') {
        const target = targets[step.workload]
        if (target) await ACTS[step.name]?.run(target, step.args)
        continue
      }
      if (found.length > 0) break
      if (step.type === 'rest') {
        await check()
        continue
      }
      if (step.type === 'pass') await world.pass(step.minutes * MINUTE)
      else if (step.type === 'fault') world.lay(step.which, step.fault)
      else if (step.type === 'late') await lateRequest(world, targets[step.workload], step)
      else await world.restart(step.which, step.type)
      events += 1
      for (const target of targets) target.counts.race()
    }
    if (found.length === 0) await check()
    const writes = await writesOf(world, begun)
    for (const target of targets) found.push(...tooManyWrites(target, writes.get(target.path) ?? 0, events))
    const [error] = world.errors().slice(errors)
    if (error !== undefined) found.push(`an error was logged: ${JSON.stringify(error)}`)
    const trace = targets.filter(({ title }) => found.some((each) => each.startsWith(title))).map(traceOf)
    const causes = targets.reduce((sum, { asked }) => sum + asked.length, 0)
    return {
      violations: found,
      trace,
      causes,
      writes: sumOf(targets.map(({ path }) => writes.get(path) ?? 0)),
    }
  } finally {
    await keda.stop()
    await observed.stop()
    await world.cluster.admin.send('DELETE', `/api/v1/namespaces/${namespace}`)
  }
}

/** An edge has passed, and a request comes before the controller has acted on it. */
async function lateRequest(world: World, target: Target | undefined, { minutes, action, which }: Late) {
  await world.pass(minutes * MINUTE)
  await target?.ask(which, 'POST', action)
}

async function born(
  target: Target,
  { managed, window, scaledFrom, minimum, floor }: Born = UNMANAGED,
): Promise<void> {
  const { key, team, world } = target
  const { kind, name, namespace } = key
  const annotations = {
    ...(floor === null ? {} : { [ANNOTATION.asleepReplicas]: String(floor) }),
    ...(managed ? { [ANNOTATION.enabled]: 'true' } : {}),
    ...(managed && window ? { [ANNOTATION.schedule]: scheduleOf(window, world.now) } : {}),
  }
  await world.cluster.create(namespace, [
    manifestOf(kind, name, { replicas: REPLICAS, annotations, labels: { team } }),
  ])
  if (kind === 'deployments' && scaledFrom !== null) await addScaler(target, scaledFrom)
  if (minimum !== null) await addHpa(target, minimum)
}

/** At rest. */
function checked(target: Target, rules: RulesInForce): string[] {
  const missed = missedRuns(target)
  return [
    ...missed,
    ...unexplained(target, rules),
    ...unheard(target),
    ...raised(target),
    ...scalersLeft(target),
    ...minimumsLeft(target),
    ...lossesOf(target),
  ]
}

/** Dormouse's patches since then, by path. */
async function writesOf(world: World, since: number): Promise<Map<string, number>> {
  const writes = new Map<string, number>()
  for (const { verb, url } of await world.cluster.requestsSince(since)) {
    const [path = ''] = url.split('?')
    if (verb === 'write') writes.set(path, (writes.get(path) ?? 0) + 1)
  }
  return writes
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}

import { randomBytes } from 'node:crypto'
import type { Rules } from '../../src/domain/rules.ts'
import { ANNOTATION } from '../../src/domain/workload.ts'
import { inParallel } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { MINUTE } from '../support/rules.ts'
import { createNamespace } from '../support/served.ts'
import { lossesOf, tooManyWrites, unexplained } from './invariants.ts'
import { Observed } from './observed.ts'
import { scheduleOf } from './operations.ts'
import { restOf, type Patience } from './rest.ts'
import { ACTS, type Born, type Scenario } from './scenario.ts'
import { Target } from './target.ts'
import { traceOf } from './trace.ts'
import type { World } from './world.ts'

const REPLICAS = 3
const UNMANAGED: Born = { kind: 'deployments', managed: false, window: null }

/** How a scenario ended. */
export interface Played {
  /** What must not have happened. */
  readonly violations: readonly string[]
  /** What was done to the workloads that a violation names, and every version of them. */
  readonly trace: readonly string[]
  /** Dormouse's writes of workloads, and what was done to them. */
  readonly writes: number
  readonly causes: number
}

/** Plays a scenario in a namespace of its own. */
export async function play(
  world: World,
  { workloads, steps }: Scenario,
  rules: Rules,
  patience: Patience,
): Promise<Played> {
  const namespace = `model-${randomBytes(4).toString('hex')}`
  const begun = Date.now()
  await createNamespace(world.cluster, namespace)
  const observed = new Observed(() => world.now)
  observed.watch(world.cluster, namespace)
  const errors = world.errors().length
  const targets = workloads.map(
    ({ kind }, index) => new Target({ kind, namespace, name: `w${index}` }, world, observed, REPLICAS),
  )
  for (const target of targets) target.peers = targets
  const found: string[] = []
  let events = 0
  const check = async () => {
    found.push(...(await restOf(targets, rules, patience)))
    for (const target of targets) found.push(...unexplained(target, rules), ...lossesOf(target))
  }
  try {
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
    await observed.stop()
    await world.cluster.admin.send('DELETE', `/api/v1/namespaces/${namespace}`)
  }
}

async function born({ key, world }: Target, { managed, window }: Born = UNMANAGED): Promise<void> {
  const { kind, name, namespace } = key
  const annotations = {
    ...(managed ? { [ANNOTATION.enabled]: 'true' } : {}),
    ...(managed && window ? { [ANNOTATION.schedule]: scheduleOf(window, world.now) } : {}),
  }
  await world.cluster.create(namespace, [manifest(kind, name, { replicas: REPLICAS, annotations })])
}

/** Dormouse's patches since then, by path. */
async function writesOf(world: World, since: number): Promise<Map<string, number>> {
  const writes = new Map<string, number>()
  for (const { verb, url } of await world.cluster.requestsSince(since)) {
    const [path = ''] = url.split('?')
    if (verb === 'patch') writes.set(path, (writes.get(path) ?? 0) + 1)
  }
  return writes
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0)
}

import { Controller } from '../../src/service/controller/controller.ts'
import { LastKnownMarks } from '../../src/service/controller/last-known-marks.ts'
import { Planner } from '../../src/service/controller/planner.ts'
import { Evaluations } from '../../src/service/evaluating/evaluations.ts'
import { createLogger } from '../../src/process/logger.ts'
import { Timers } from '../../src/process/timers.ts'
import { Told } from '../../test/service/controller/told.ts'
import type { WorkloadKey } from '../../src/domain/workload/workload.ts'
import { RULES } from '../../test/support/rules.ts'
import { aDeployment, type AWorkload } from '../../test/support/workloads.ts'
import { Copies } from './copies.ts'
import { evaluationsOf } from '../../test/support/evaluations.ts'

const IDLE = 100_000
const SCHEDULES = 50
const EVALUATIONS = 20_000
const WAVE = 3000
const NOW = Date.parse('2026-03-02T12:00:00Z')
const EDGE = Date.parse('2026-03-02T18:00:00Z')

const logger = createLogger('silent')
let now = NOW
const clock = () => now

/** Awake by one of the schedules, with a day's history. */
function managed(index: number): AWorkload {
  const schedule = `7:${String(index % SCHEDULES).padStart(2, '0')}-18:00,Mon-Fri`
  return aDeployment(`team-${index % 100}/app-${index}`)
    .withReplicas(3)
    .enabled()
    .scheduled(schedule)
    .snoozed({ at: NOW - 18 * 3_600_000 })
    .woken({ at: NOW - 5 * 3_600_000, trigger: 'schedule' })
}

function aController(cluster: Copies): Controller {
  const told = new Told()
  const due = (keys: Iterable<WorkloadKey>) => cluster.inputsChanged(keys)
  const evaluations = new Evaluations({ workloads: cluster, rules: RULES, clock, later, due })
  const ports = {
    workloads: cluster,
    evaluations,
    writer: cluster,
    pace,
    recorder: told,
    observer: told,
    clock,
    logger,
  }
  cluster.onChange((before, after) => evaluations.changed(before, after))
  return new Controller({ ...ports, later }, RULES, {
    concurrency: 32,
    writesPerWorkload: 20,
    excludeNamespaces: new Set(),
  })
}

/** Timers fire only when `fire` is called. */
const later = (callback: () => void) => {
  armed.add(callback)
  return () => armed.delete(callback)
}
const armed = new Set<() => void>()
function fire(): void {
  const due = [...armed]
  armed.clear()
  for (const callback of due) callback()
}
const pace = { isSlow: () => false, hasRoom: () => true, onRoom: () => {} }

function collected(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

function perSecond(times: number, work: (index: number) => void): string {
  for (let index = 0; index < times / 10; index++) work(index)
  const start = performance.now()
  for (let index = 0; index < times; index++) work(index)
  const milliseconds = performance.now() - start
  return `${Math.round((times / milliseconds) * 1000).toLocaleString('en')}/s (${((milliseconds / times) * 1000).toFixed(1)} µs)`
}

/** The longest time that nothing else could run, in milliseconds, while `work` went on. */
async function longestBlock(work: () => Promise<void>): Promise<number> {
  let longest = 0
  let last = performance.now()
  let watching = true
  const watch = () => {
    const at = performance.now()
    longest = Math.max(longest, at - last)
    last = at
    if (watching) setImmediate(watch)
  }
  setImmediate(watch)
  await work()
  watching = false
  return longest
}

const figures: Record<string, string> = {}
const plain = aDeployment()
const web = managed(1)
const planner = new Planner(
  { evaluations: evaluationsOf(RULES, clock), clock },
  RULES,
  new LastKnownMarks(RULES),
)
figures['evaluations, managed'] = perSecond(EVALUATIONS, () => planner.evaluate(web))
figures['evaluations, not managed'] = perSecond(EVALUATIONS, () => planner.evaluate(plain))

{
  const cluster = new Copies()
  for (let index = 0; index < IDLE; index++) cluster.put(managed(index))
  const before = collected()
  const controller = aController(cluster)
  const start = performance.now()
  const block = await longestBlock(() => controller.start())
  figures[`start over ${IDLE} workloads`] = `${((performance.now() - start) / 1000).toFixed(1)} s`
  figures['longest block of the event loop meanwhile'] = `${block.toFixed(0)} ms`
  const grown = collected() - before
  figures['memory per idle workload'] = globalThis.gc
    ? `${Math.round(grown / IDLE)} B`
    : 'run with --expose-gc'
  const statuses = Array.from({ length: 5000 }, (_, index) => {
    const workload = managed(index)
    return workload.with({ pods: { ...workload.pods, existing: 4 } })
  })
  figures['status updates'] = perSecond(statuses.length, (index) => cluster.put(statuses[index] ?? web))
  await controller.stop()
}

{
  armed.clear()
  const cluster = new Copies()
  cluster.delay = () => new Promise(setImmediate)
  for (let index = 0; index < WAVE; index++) cluster.put(managed(index))
  now = NOW
  const controller = aController(cluster)
  await controller.start()
  now = EDGE
  const start = performance.now()
  const block = await longestBlock(async () => {
    while (cluster.writes < WAVE) {
      fire()
      await new Promise(setImmediate)
    }
  })
  figures[`a wave of ${WAVE}, written at once`] = `${(performance.now() - start).toFixed(0)} ms`
  figures['longest block of the event loop in it'] = `${block.toFixed(0)} ms`
  await controller.stop()
}

{
  armed.clear()
  now = EDGE
  const fired: string[] = []
  const timers = new Timers((key) => void fired.push(key), clock, later)
  for (let index = 0; index < WAVE; index++) timers.set(`deployments/shop/app-${index}`, NOW + index)
  const start = performance.now()
  while (fired.length < WAVE) fire()
  figures[`firing ${WAVE} timers alone`] = `${(performance.now() - start).toFixed(1)} ms`
}

console.table(figures)

import { Controller } from '../src/controller/controller.ts'
import { Timers } from '../src/controller/timers.ts'
import { LastKnownMarks } from '../src/controller/last-known-marks.ts'
import { Reconciler } from '../src/controller/reconciler.ts'
import { createLogger } from '../src/logger.ts'
import { FakeCluster } from '../test/controller/fake-cluster.ts'
import { Told } from '../test/controller/told.ts'
import { RULES } from '../test/support/rules.ts'
import { aDeployment, type AWorkload } from '../test/support/workloads.ts'

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

function aController(cluster: FakeCluster): Controller {
  const told = new Told()
  const ports = { workloads: cluster, writer: cluster, recorder: told, observer: told, clock, logger }
  // What is armed never rings by itself.
  const later = (callback: () => void) => {
    ring = callback
    return () => {}
  }
  return new Controller({ ...ports, later }, RULES, {
    concurrency: 32,
    writesPerWorkload: 20,
    excludeNamespaces: new Set(),
  })
}
let ring = () => {}

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
const reconciler = new Reconciler({ writer: new FakeCluster(), clock, logger }, RULES, new LastKnownMarks())
figures['evaluations, managed'] = perSecond(EVALUATIONS, () => reconciler.evaluate(web))
figures['evaluations, not managed'] = perSecond(EVALUATIONS, () => reconciler.evaluate(plain))

{
  const cluster = new FakeCluster()
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
  const cluster = new FakeCluster()
  cluster.delay = () => new Promise(setImmediate)
  for (let index = 0; index < WAVE; index++) cluster.put(managed(index))
  now = NOW
  const controller = aController(cluster)
  await controller.start()
  now = EDGE
  const start = performance.now()
  const block = await longestBlock(async () => {
    while (cluster.patches.length < WAVE) {
      const due = ring
      ring = () => {}
      due()
      await new Promise(setImmediate)
    }
  })
  figures[`a wave of ${WAVE}, written at once`] = `${(performance.now() - start).toFixed(0)} ms`
  figures['longest block of the event loop in it'] = `${block.toFixed(0)} ms`
  await controller.stop()
}

{
  let due = () => {}
  const later = (callback: () => void) => {
    due = callback
    return () => {}
  }
  const timers = new Timers(
    () => {},
    () => EDGE,
    later,
  )
  for (let index = 0; index < WAVE; index++) timers.set(`deployments/shop/app-${index}`, NOW + index)
  const start = performance.now()
  while (timers.size.keys > 0) due()
  figures[`ringing ${WAVE} timers alone`] = `${(performance.now() - start).toFixed(1)} ms`
}

console.table(figures)

import { expect } from 'chai'
import { DelayingQueue, type Job } from '../../../src/service/controller/delaying-queue.ts'
import type { Due } from '../../../src/service/controller/failures.ts'
import type { Pace, Priority } from '../../../src/kubernetes/ports.ts'
import { FakeTime, settled } from '../../support/fake-time.ts'
import { at } from '../../support/rules.ts'
import { Told } from './told.ts'

export const NOON = at('Mon 12:00')

/** There is always room for a write. */
export const UNPACED: Pace = { isSlow: () => false, hasRoom: () => true, onRoom: () => {} }

interface Options {
  readonly concurrency?: number
  readonly open?: boolean
  readonly pace?: Pace
  /** Default: every backoff has its full length. */
  readonly random?: () => number
}

export const due = (priority: Priority, dueAt?: number): Due => ({ priority, dueAt })

/** A queue whose work lasts until it is said to end, and whose evaluations are noted. */
export function aQueue({ concurrency = 1, open = true, pace = UNPACED, random = () => 1 }: Options = {}) {
  const time = new FakeTime(NOON)
  const { monotonic, later } = time
  const told = new Told()
  const started: string[] = []
  const jobs: Job<Due>[] = []
  const running = new Map<string, () => void>()
  /** `web 12:00:01` for each evaluation. */
  const evaluated: string[] = []
  /** What an evaluation does beside being noted. */
  const hooks = { evaluate: (_key: string) => {} }
  const delays = new Map<string, number>()
  const queue: DelayingQueue<Due> = new DelayingQueue(
    {
      evaluate: (key) => {
        evaluated.push(`${key} ${new Date(time.clock()).toISOString().slice(11, 19)}`)
        hooks.evaluate(key)
      },
      work: (job) => {
        expect(running.has(job.key), `${job.key} is in two hands`).to.equal(false)
        started.push(`${job.key} ${job.task.priority}`)
        jobs.push(job)
        return new Promise<void>((resolve) => running.set(job.key, resolve))
      },
      delayedUntil: (key) => ((delays.get(key) ?? 0) > time.monotonic() ? delays.get(key) : undefined),
    },
    { monotonic, later, concurrency, pace, observer: told, random },
  )
  if (open) queue.open()
  const add = (key: string, priority: Priority = 'snooze', dueAt?: number) =>
    queue.add(key, due(priority, dueAt))
  const finish = async (key: string) => {
    running.get(key)?.()
    running.delete(key)
    await settled()
  }
  return { queue, time, told, started, jobs, running, evaluated, hooks, delays, add, finish }
}

import type { Priority } from '../../../src/kubernetes/ports.ts'
import { expect } from 'chai'
import fc from 'fast-check'
import { DelayingQueue, type Job } from '../../../src/service/controller/delaying-queue.ts'
import type { Due, FailureReason } from '../../../src/service/controller/failures.ts'
import { FakeTime, settled } from '../../support/fake-time.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { at, HOUR } from '../../support/rules.ts'
import { Told } from './told.ts'

const CONCURRENCY = 2
const ORDER: readonly Priority[] = ['wake', 'snooze', 'completion']
const LONGEST = { refused: 600_000, unavailable: 2000 }
const FIRST = { refused: 10_000, unavailable: 100 }

type Command =
  | { readonly type: 'add'; readonly key: string; readonly priority: Priority; readonly cameDue: boolean }
  | { readonly type: 'inputs changed'; readonly key: string }
  | { readonly type: 'succeed'; readonly key: string }
  | { readonly type: 'forget'; readonly key: string }
  | { readonly type: 'fail'; readonly key: string; readonly why: FailureReason; readonly known: boolean }
  | { readonly type: 'room'; readonly priority: Priority; readonly free: boolean }
  | { readonly type: 'pass'; readonly milliseconds: number }

const key = fc.constantFrom('a', 'b', 'c', 'd')
const priority = fc.constantFrom(...ORDER)
const COMMANDS: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ type: fc.constant('add' as const), key, priority, cameDue: fc.boolean() }),
    },
    fc.record({ type: fc.constant('inputs changed' as const), key }),
    { weight: 3, arbitrary: fc.record({ type: fc.constant('succeed' as const), key }) },
    fc.record({ type: fc.constant('forget' as const), key }),
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('fail' as const),
        key,
        why: fc.constantFrom<FailureReason>('refused', 'unavailable'),
        known: fc.boolean(),
      }),
    },
    fc.record({ type: fc.constant('room' as const), priority, free: fc.boolean() }),
    fc.record({ type: fc.constant('pass' as const), milliseconds: fc.integer({ min: 1, max: 12_000 }) }),
  ),
  { minLength: 10, maxLength: 60, size: 'max' },
)

interface Failed {
  readonly times: number
  readonly until: number
  readonly tried: Priority | undefined
}

/** The queue beside a model of it: what is due, what waits in line, what is in work, and until when nothing may be tried. */
class Modelled {
  readonly time = new FakeTime(at('Mon 12:00'))
  readonly due = new Map<string, Priority>()
  readonly line = new Map<string, Priority>()
  /** The items in work that were added again: each waits until its work has ended. */
  readonly again = new Map<string, Priority>()
  readonly work = new Map<string, { job: Job<Due>; end: () => void }>()
  readonly failures = new Map<string, Failed>()
  /** Since when an instant has made it due, for the next job. */
  readonly dueSince = new Map<string, number>()
  /** The keys in work whose inputs have changed meanwhile. */
  readonly changedInWork = new Set<string>()
  readonly room = new Set<Priority>(ORDER)
  handedOut = 0
  /** Differences from the model that were found in a place where a throw would be lost. */
  readonly violations: unknown[] = []
  #roomMade = () => {}
  readonly queue: DelayingQueue<Due> = new DelayingQueue<Due>(
    {
      evaluate: (each) => this.#evaluated(each),
      work: (job) => {
        try {
          this.#checkHandedOut(job)
        } catch (error) {
          this.violations.push(error)
        }
        return this.#begin(job)
      },
      delayedUntil: () => undefined,
    },
    {
      monotonic: this.time.monotonic,
      later: this.time.later,
      concurrency: CONCURRENCY,
      pace: {
        isSlow: () => false,
        hasRoom: (each) => this.room.has(each),
        onRoom: (listener) => {
          this.#roomMade = listener
        },
      },
      observer: new Told(),
      random: () => 1,
    },
  )

  async run(command: Command): Promise<void> {
    if (command.type === 'add')
      this.#add(command.key, command.priority, command.cameDue ? this.time.monotonic() : undefined)
    else if (command.type === 'inputs changed') this.#inputsChanged(command.key)
    else if (command.type === 'forget') this.#forget(command.key)
    else if (command.type === 'succeed') this.#end(command.key, () => this.#succeeded(command.key))
    else if (command.type === 'fail')
      this.#end(command.key, (job) => this.#failed(job, command.why, command.known))
    else if (command.type === 'room') {
      if (command.free) this.room.add(command.priority)
      else this.room.delete(command.priority)
      this.#roomMade()
    } else await this.time.pass(command.milliseconds)
    await settled()
  }

  /** Everything that is in work succeeds, and time passes, until nothing is due. */
  async end(): Promise<void> {
    for (const each of ORDER) this.room.add(each)
    this.#roomMade()
    for (let round = 0; round < 20; round++) {
      for (const each of this.work.keys()) await this.run({ type: 'succeed', key: each })
      await this.time.pass(HOUR / 6)
    }
  }

  /** As the controller: a key in work is evaluated by its worker, another at once. */
  #inputsChanged(each: string): void {
    const failed = this.failures.get(each)
    if (failed && !failed.tried) this.failures.delete(each)
    this.queue.inputsChanged(each)
    if (this.work.has(each)) this.changedInWork.add(each)
    else this.#evaluated(each, true)
  }

  #add(each: string, wanted: Priority, dueSince?: number): void {
    this.due.set(each, wanted)
    if (dueSince !== undefined && !this.dueSince.has(each)) this.dueSince.set(each, dueSince)
    if (this.#waits(each, wanted)) for (const waiting of [this.line, this.again]) waiting.delete(each)
    else if (this.work.has(each)) this.again.set(each, wanted)
    else this.#lineUp(each, wanted)
    this.queue.add(each, { priority: wanted, dueAt: undefined }, dueSince)
  }

  /** Behind the others, unless it waits with that priority already. */
  #lineUp(each: string, wanted: Priority): void {
    if (this.line.get(each) === wanted) return
    this.line.delete(each)
    this.line.set(each, wanted)
  }

  #forget(each: string): void {
    this.due.delete(each)
    this.line.delete(each)
    this.again.delete(each)
    this.failures.delete(each)
    this.dueSince.delete(each)
    this.queue.forget(each)
  }

  #waits(each: string, wanted: Priority): boolean {
    const failed = this.failures.get(each)
    return failed !== undefined && (failed.tried ?? wanted) === wanted && failed.until > this.time.monotonic()
  }

  #checkHandedOut({ key: each, task, dueSince }: Job<Due>): void {
    expect(this.work.has(each), 'in two hands').to.equal(false)
    expect(this.work.size).to.be.below(CONCURRENCY)
    expect(this.due.get(each), 'handed out what is due').to.equal(task.priority)
    expect(dueSince, 'due since').to.equal(this.dueSince.get(each))
    expect(this.room.has(task.priority), 'room').to.equal(true)
    // A key that is blocked is evaluated no more, but what waits in line already goes on.
    const known = this.failures.get(each)?.tried !== undefined
    expect(known && this.#waits(each, task.priority), 'in backoff').to.equal(false)
    const [first] = [...this.line].find(([, before]) => before === task.priority) ?? [each]
    expect(first, 'the oldest first').to.equal(each)
    this.line.delete(each)
    for (const [other, before] of this.line) {
      const overtaken = ORDER.indexOf(before) < ORDER.indexOf(task.priority) && this.room.has(before)
      expect(overtaken, `${other} ${before} before ${task.priority}`).to.equal(false)
    }
  }

  #begin(job: Job<Due>): Promise<void> {
    this.handedOut++
    this.due.delete(job.key)
    this.changedInWork.delete(job.key)
    this.dueSince.delete(job.key)
    return new Promise((end) => this.work.set(job.key, { job, end }))
  }

  #end(each: string, how: (job: Job<Due>) => void): void {
    const inWork = this.work.get(each)
    if (!inWork) return
    how(inWork.job)
    this.#evaluated(each, true)
    inWork.end()
    this.work.delete(each)
    const again = this.again.get(each)
    this.again.delete(each)
    if (again) this.#lineUp(each, again)
  }

  #succeeded(each: string): void {
    this.failures.delete(each)
    this.queue.succeeded(each)
  }

  #failed({ key: each, task, dueSince }: Job<Due>, why: FailureReason, known: boolean): void {
    const before = this.failures.get(each)
    const same = before && (!known || (before.tried ?? task.priority) === task.priority)
    const times = same ? before.times + 1 : 1
    const now = this.time.monotonic()
    const mayBeOver = !known && this.changedInWork.has(each)
    const until = mayBeOver ? now : now + Math.min(LONGEST[why], FIRST[why] * 2 ** (times - 1))
    this.failures.set(each, { times, until, tried: known ? task.priority : undefined })
    if (dueSince !== undefined) this.dueSince.set(each, dueSince)
    this.queue.failed(each, why, known ? task : undefined)
    if (!this.due.has(each)) this.due.set(each, task.priority)
  }

  /** As the controller: what is due is added again, what is not is forgotten. */
  #evaluated(each: string, byItself = false): void {
    const failed = this.failures.get(each)
    const ended = failed !== undefined && failed.until <= this.time.monotonic()
    expect(ended || byItself, 'evaluated before its time').to.equal(true)
    expect(byItself || !this.work.has(each), 'evaluated while in work').to.equal(true)
    if (this.queue.isBlocked(each)) return
    const wanted = this.due.get(each)
    if (wanted) this.#add(each, wanted)
    else this.#forget(each)
  }
}

describe('the delaying queue, whatever happens in whatever order,', () => {
  it('loses no key, hands none out twice or too early, and the most urgent and oldest first', async function () {
    this.timeout(300_000)
    const runs = propertyRuns(400)
    let handedOut = 0
    await fc.assert(
      fc.asyncProperty(COMMANDS, async (commands) => {
        const model = new Modelled()
        model.queue.open()
        for (const command of commands) await model.run(command)
        await model.end()
        expect(model.violations.map(String)).to.deep.equal([])
        expect([...model.due.keys()], 'lost').to.deep.equal([])
        expect([model.work.size, model.time.armed, model.queue.size]).to.deep.equal([0, 0, 0])
        handedOut += model.handedOut
      }),
      runs,
    )
    expect(handedOut).to.be.above(2 * runs.numRuns)
  })
})

import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import type { Namespace } from '../domain/policy/inheritance.ts'
import type { Runnable } from '../runnable.ts'
import type { Prepared, Webhook } from './prepare.ts'

/** A message to the thread, which takes over the body's memory. The thread sends one message once it is ready, then one Prepared for each task. */
export interface LargeTask {
  readonly webhook: Webhook
  readonly body: Uint8Array
  /** That of the object under review: the thread knows none by itself. */
  readonly namespace?: Namespace | undefined
}

interface Job extends LargeTask {
  readonly gone: AbortSignal
  readonly resolve: (prepared: Prepared) => void
  readonly reject: (error: Error) => void
}

/** Milliseconds: the API server gives up after 3 s. */
const LONGEST = 2500
/** Milliseconds without work after which the thread is ended, which frees its memory. */
const IDLE = 60_000

/**
 * Prepares large reviews in one thread, one at a time and the smallest first, so that no body blocks the event loop or
 * takes more memory than the thread may have. The thread starts with the first of them, and ends when none came for a
 * minute: most clusters never send any, and an idle thread keeps some 23 MiB.
 */
export class LargeReviews implements Runnable {
  readonly name = 'large reviews'
  readonly #startThread: () => Worker
  readonly #idleAfter: number
  readonly #jobs: Job[] = []
  #thread: Worker | undefined
  #ready: Promise<unknown> = Promise.resolve()
  #busy = false
  #outdated = false
  #stopped = false
  #idle: NodeJS.Timeout | undefined
  #ended: Promise<unknown> = Promise.resolve()

  /** `idleAfter`: milliseconds without work after which the thread is ended. */
  constructor(startThread: () => Worker, idleAfter = IDLE) {
    this.#startThread = startThread
    this.#idleAfter = idleAfter
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#idle)
    for (const { reject } of this.#jobs.splice(0)) reject(new Error('Dormouse is stopping'))
    this.#end()
    await this.#ended
  }

  /** The next review gets a new thread: what the thread was started with has changed. */
  renew(): void {
    if (this.#busy) this.#outdated = true
    else this.#end()
  }

  /** `gone`: nobody waits for the answer any more. Rejects when the thread dies of the review; the next one gets a new thread. */
  prepare(webhook: Webhook, body: Uint8Array, gone: AbortSignal, namespace?: Namespace): Promise<Prepared> {
    return new Promise((resolve, reject) => {
      this.#jobs.push({ webhook, body, namespace, gone, resolve, reject })
      void this.#work()
    })
  }

  async #work(): Promise<void> {
    if (this.#busy) return
    this.#busy = true
    clearTimeout(this.#idle)
    for (let job = this.#next(); job; job = this.#next()) {
      try {
        job.resolve(await this.#run(job))
      } catch (error) {
        job.reject(error as Error)
      }
    }
    this.#busy = false
    if (this.#outdated) this.#end()
    this.#outdated = false
    if (!this.#stopped) this.#idle = setTimeout(() => this.#end(), this.#idleAfter).unref()
  }

  /** Forgets the thread first: a review that comes while it ends gets a new one. */
  #end(): void {
    const thread = this.#thread
    this.#thread = undefined
    if (thread) this.#ended = thread.terminate()
  }

  #next(): Job | undefined {
    let next: Job | undefined
    for (const job of this.#jobs.splice(0)) {
      if (job.gone.aborted) job.reject(new Error('the client has gone'))
      else this.#jobs.push(job)
    }
    for (const job of this.#jobs) if (!next || job.body.length < next.body.length) next = job
    if (next) this.#jobs.splice(this.#jobs.indexOf(next), 1)
    return next
  }

  async #run({ webhook, body, namespace, gone }: Job): Promise<Prepared> {
    const thread = this.#running()
    await this.#ready
    // While the thread started: then the body may have been dropped, too.
    if (gone.aborted) throw new Error('the client has gone')
    const timer = setTimeout(() => void thread.terminate(), LONGEST)
    try {
      const task: LargeTask = { webhook, body, namespace }
      thread.postMessage(task, [body.buffer as ArrayBuffer])
      return (await answerOf(thread)) as Prepared
    } finally {
      clearTimeout(timer)
    }
  }

  #running(): Worker {
    if (this.#thread) return this.#thread
    const thread = this.#startThread()
    thread.unref()
    this.#thread = thread
    this.#ready = answerOf(thread)
    this.#ready.catch(() => {})
    thread.once('exit', () => {
      if (this.#thread === thread) this.#thread = undefined
    })
    // `answerOf` rejects when the thread ends: this keeps the error from ending the process.
    thread.on('error', () => undefined)
    return thread
  }
}

/** The thread's next message. Rejects when the thread ends first. */
async function answerOf(thread: Worker): Promise<unknown> {
  const ended = new AbortController()
  const end = once(thread, 'exit', { signal: ended.signal }).then(() => {
    throw new Error('the thread of large reviews ended')
  })
  try {
    const [message] = (await Promise.race([once(thread, 'message', { signal: ended.signal }), end])) as [
      unknown,
    ]
    return message
  } finally {
    ended.abort()
    end.catch(() => {})
  }
}

import { fork, type ChildProcess } from 'node:child_process'
import { answerOf } from './child.ts'

/** The server of a raw client. */
export interface Target {
  readonly url: string
  /** PEM; absent: no certificate is verified. */
  readonly ca?: string | undefined
  readonly token?: string | undefined
  /** 32 by default. */
  readonly connections?: number
  /** A path that it keeps a watch of. */
  readonly watch?: string
}

/** A request; `#index#` in its body becomes the number of requests sent before it. */
export interface Sent {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** A text that the answer must contain. */
  readonly expect?: string
}

export interface Task {
  readonly requests: readonly Sent[]
  readonly inFlight: number
  /** Sent at an even rate instead, however many are in flight. */
  readonly perSecond?: number
  /** How many are sent, from the first again after the last; all once by default. */
  readonly times?: number
}

/** Times in milliseconds: since the epoch, of an answer, of processor time. */
export interface Told {
  readonly begun: number
  readonly ended: number
  readonly p50: number
  readonly p99: number
  readonly failed: number
  readonly failure?: string | undefined
  readonly cpu: number
}

/** An undici loop in a process of its own, so that its cost is measured separately. */
export class RawClient {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  static async connect(target: Target): Promise<RawClient> {
    const child = fork(new URL('raw-client.ts', import.meta.url), { serialization: 'advanced' })
    const client = new RawClient(child)
    await client.#ask(target)
    return client
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** @throws Error with the first failure, unless some are `allowed` */
  async send(task: Task, { allowed = 0 } = {}): Promise<Told> {
    const told = await this.#ask(task)
    if (!told) throw new TypeError('nothing was sent')
    if (told.failed > allowed) throw new Error(`${told.failed} requests failed: ${told.failure}`)
    return told
  }

  stop(): void {
    this.#child.disconnect()
  }

  async #ask(message: Target | Task): Promise<Told | undefined> {
    const { told, error } = await answerOf<{ told?: Told; error?: string }>(this.#child, message)
    if (error !== undefined) throw new Error(error)
    return told
  }
}

/** Connects, sends, and ends. */
export async function sendOnce(target: Target, task: Task): Promise<Told> {
  const client = await RawClient.connect(target)
  try {
    return await client.send(task)
  } finally {
    client.stop()
  }
}

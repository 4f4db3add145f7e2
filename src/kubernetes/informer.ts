import { delay as systemDelay, type Delay } from '../process/delay.ts'
import type { Logger } from '../process/logger.ts'
import type { Runnable } from '../process/runnable.ts'
import { inTurns } from '../process/turns.ts'
import type { KubernetesObject } from './api-object.ts'
import type { ClusterRefusal } from './failures.ts'
import { Listeners } from './listeners.ts'
import { Reflector, type Progress, type ReflectorOptions } from './reflector.ts'

export interface InformerOptions<Kind> extends Pick<
  ReflectorOptions<KubernetesObject>,
  'client' | 'silence' | 'watchSeconds' | 'pageSize' | 'standstill'
> {
  readonly observer: { listenerFailed(): void; watchRestarted?(kind: Kind, reason: string): void }
  readonly logger: Logger
  readonly delay?: Delay
}

/** A collection to keep: where it is, and what trims and stores its objects. */
type Row<Watched> = Pick<ReflectorOptions<Watched>, 'collection' | 'sink' | 'longestRetry'>

/** Called for one change; `before` undefined: added; `after` undefined: deleted. */
export type ChangeListener<Copy> = (before: Copy | undefined, after: Copy | undefined) => void

/**
 * Trimmed copies of some collections, kept current by list and watch. Listeners are called synchronously and in order;
 * one that throws is logged and counted, and stops nothing.
 */
export abstract class Informer<
  Kind extends string,
  Copy extends { readonly namespace?: string; readonly name: string },
> implements Runnable {
  abstract readonly name: string
  /** Resolved once others may rely on the copies, as far as the cluster shows them. */
  protected readonly ready = Promise.withResolvers<void>()
  readonly #options: InformerOptions<Kind>
  readonly #reflectors = new Map<Kind, Reflector<never>>()
  readonly #changes: Listeners<Parameters<ChangeListener<Copy>>>
  readonly #connections: Listeners<[connected: boolean, kind: Kind]>
  readonly #restores: Listeners<[kind: Kind]>
  readonly #failures: Listeners<[kind: Kind, error: unknown, times: number]>
  readonly #stopped = new AbortController()
  readonly #runs: Promise<void>[] = []

  constructor(options: InformerOptions<Kind>) {
    const { observer, logger } = options
    this.#options = options
    this.#changes = new Listeners(observer, logger)
    this.#connections = new Listeners(observer, logger)
    this.#restores = new Listeners(observer, logger)
    this.#failures = new Listeners(observer, logger)
  }

  /** Resolves when `ready`; rejects when stopped before. */
  async start(): Promise<void> {
    const { signal } = this.#stopped
    signal.addEventListener('abort', () => this.ready.reject(signal.reason), { once: true })
    this.begin(signal)
    await this.ready.promise
  }

  /** Ends all watches; resolves when all their sockets and timers are closed. */
  async stop(): Promise<void> {
    this.#stopped.abort()
    await Promise.all(this.#runs)
  }

  /** Called for each change; with (copy, copy) if only the meaning of the copy has changed. */
  onChange(listener: ChangeListener<Copy>): void {
    this.#changes.add(listener)
  }

  /** Called when the watch of a kind breaks or is connected again. */
  onConnection(listener: (connected: boolean, kind: Kind) => void): void {
    this.#connections.add(listener)
  }

  /**
   * Called when a list has proved that the cluster was restored from a backup: all copies of the kind are correct again,
   * and its watch is not connected yet.
   */
  onRestored(listener: (kind: Kind) => void): void {
    this.#restores.add(listener)
  }

  /** Called when a list or watch of a kind failed, so many `times` in a row; it is retried all the same. */
  onFailure(listener: (kind: Kind, error: unknown, times: number) => void): void {
    this.#failures.add(listener)
  }

  /** Replaces every watch: a call could not reach the cluster, and a watch may be the last to notice. */
  suspect(error: ClusterRefusal): void {
    for (const reflector of this.#reflectors.values()) reflector.suspect(error)
  }

  /** Begins to `follow` collections. */
  protected abstract begin(signal: AbortSignal): void

  /** A list of the kind is complete. */
  protected listed?(kind: Kind): void

  /** Keeps the row's copies current until the signal is aborted; resolves when that has ended. */
  protected async follow<Watched extends KubernetesObject>(
    kind: Kind,
    row: Row<Watched>,
    signal: AbortSignal = this.#stopped.signal,
  ): Promise<void> {
    if (signal.aborted) return
    const { delay = systemDelay, ...options } = this.#options
    const reflector = new Reflector<Watched>({ ...options, delay, ...row }, this.#progressOf(kind))
    this.#reflectors.set(kind, reflector)
    const run = reflector.run(signal)
    this.untilStopped(run)
    await run
    if (!this.#stopped.signal.aborted) this.#reflectors.delete(kind)
  }

  /** `stop` waits for it. */
  protected untilStopped(run: Promise<void>): void {
    this.#runs.push(run)
  }

  /** Whether our copies of this kind are complete and current: it was listed, and its watch is connected. */
  protected isCurrent(kind: Kind): boolean {
    return this.#reflectors.get(kind)?.connected === true
  }

  /** Calls the listeners. */
  protected tell(before: Copy | undefined, after: Copy | undefined): void {
    const { namespace, name } = after ?? before ?? {}
    this.#changes.notify({ informer: this.name, namespace, name }, before, after)
  }

  /** Calls the listeners with (copy, copy) for each key that has one, in turns of the event loop. */
  protected tellAgain<Key>(keys: Iterable<Key>, copyOf: (key: Key) => Copy | undefined): void {
    const tell = (key: Key) => {
      const copy = copyOf(key)
      if (copy) this.tell(copy, copy)
    }
    void inTurns(keys, tell, this.#stopped.signal)
  }

  #progressOf(kind: Kind): Progress {
    return {
      listed: () => this.listed?.(kind),
      restored: () => this.#restores.notify({ kind }, kind),
      connected: (connected) => this.#connections.notify({ kind }, connected, kind),
      restarted: (reason) => this.#options.observer.watchRestarted?.(kind, reason),
      failed: (times, error) => this.#failures.notify({ kind }, kind, error, times),
    }
  }
}

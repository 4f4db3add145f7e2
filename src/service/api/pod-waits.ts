import { endingOf } from '../../domain/deciding/history.ts'
import { stateOf } from '../../domain/workload/reading.ts'
import { operationInProgress } from '../../domain/workload/state.ts'
import { isOlder, keyOf, type Workload, type WorkloadKey } from '../../domain/workload/workload.ts'
import { Refusal } from '../../process/errors.ts'
import { subjectKey } from '../auth/caller.ts'
import type { ApiContext } from './context.ts'
import { Places, WAITS } from './places.ts'
import type { ApiDeps } from './ports.ts'

/** The requests that wait for pods. */
export interface PodWaits {
  /** Gives the request a place among those that wait; false: none is free, so answer at once. */
  enter(ctx: ApiContext): boolean
  /**
   * Resolves with the newest copy once the pods have followed `written`, or after `timeout` ms, or when `signal` aborts
   * because the client disconnected, or when the service stops.
   *
   *     const newest = podWaits.enter(ctx) ? await podWaits.followed(written, 60_000, signal) : written
   *
   * @throws Refusal NOT_FOUND: the workload was deleted meanwhile
   */
  followed(written: Workload, timeout: number, signal: AbortSignal): Promise<Workload>
  /** Ends all waits, present and future ones. */
  close(): void
  /** Aborted once it was closed: the service stops. */
  readonly closed: AbortSignal
}

type Listener = (after: Workload | undefined) => void

/** Waits for changes that the informer reports; nothing is polled. */
export function createPodWaits({
  workloads,
  clock,
  rules,
}: Pick<ApiDeps, 'workloads' | 'clock' | 'rules'>): PodWaits {
  const listeners = new Map<string, Set<Listener>>()
  const places = new Places(WAITS)
  const closing = new AbortController()

  workloads.onChange((before, after) => {
    const key = after ?? before
    if (key) for (const listener of listeners.get(keyOf(key)) ?? []) listener(after)
  })

  function listen(key: WorkloadKey, listener: Listener): () => void {
    const name = keyOf(key)
    const those = listeners.get(name) ?? new Set()
    listeners.set(name, those.add(listener))
    return () => {
      those.delete(listener)
      if (those.size === 0) listeners.delete(name)
    }
  }

  /** As `operation_in_progress` in the record. */
  function isInProgress(workload: Workload): boolean {
    const state = stateOf(workload, rules)
    if (!state || !operationInProgress(state)) return false
    return endingOf(state, workload, clock(), rules.policy) === undefined
  }

  function followed(written: Workload, timeout: number, signal: AbortSignal): Promise<Workload> {
    const { promise, resolve, reject } = Promise.withResolvers<Workload>()
    let newest = written
    const check = (workload: Workload | undefined): void => {
      // the informer may still hold copies from before the write
      if (workload && isOlder(workload, written)) return
      if (!workload || workload.uid !== written.uid) return reject(deleted(written))
      newest = workload
      if (!isInProgress(workload)) resolve(workload)
    }
    const end = () => resolve(newest)
    const timer = setTimeout(end, timeout)
    const ends = AbortSignal.any([signal, closing.signal])
    ends.addEventListener('abort', end)
    const forget = listen(written, check)
    check(written)
    const copy = workloads.get(written)
    if (copy) check(copy)
    if (ends.aborted) end()
    return promise.finally(() => {
      forget()
      ends.removeEventListener('abort', end)
      clearTimeout(timer)
    })
  }

  return {
    enter: (ctx) => places.enter(ctx, subjectKey(ctx.state.caller)),
    followed,
    close: () => closing.abort(),
    closed: closing.signal,
  }
}

function deleted({ namespace, kind, name }: WorkloadKey): Refusal {
  return new Refusal('NOT_FOUND', `${kind} ${namespace}/${name} was deleted while its pods were awaited`)
}

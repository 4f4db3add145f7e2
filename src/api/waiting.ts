import { hasFollowed } from '../domain/history.ts'
import { stateOf } from '../domain/reading.ts'
import { operationInProgress } from '../domain/state.ts'
import { keyOf, type Workload, type WorkloadKey } from '../domain/workload.ts'
import { Refusal } from '../errors.ts'
import type { Workloads } from './ports.ts'

const MAX_WAITERS = 1000
/** So that one subject cannot take all places. */
const MAX_WAITERS_OF_SUBJECT = 100

/** A place among those who wait for pods; taken before the write, so that a full house changes nothing. */
export interface Place {
  /**
   * Resolves with the newest copy once the pods have followed `written`, or `timeout` ms have passed, or
   * the client or the service has gone.
   * @throws Refusal NOT_FOUND: the workload was deleted meanwhile
   */
  followed(written: Workload, timeout: number, signal: AbortSignal): Promise<Workload>
  release(): void
}

export interface WaitingRoom {
  /** @throws Refusal RATE_LIMITED: too many wait already */
  reserve(subject: string): Place
  /** Answers all who wait, now and from now on. */
  close(): void
}

type Listener = (after: Workload | undefined) => void

/** Waits on the informer's changes; nothing is polled. */
export function createWaitingRoom(workloads: Workloads): WaitingRoom {
  const listeners = new Map<string, Set<Listener>>()
  const waiting = new Map<string, number>()
  const closing = new AbortController()
  let total = 0

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

  function followed(written: Workload, timeout: number, signal: AbortSignal): Promise<Workload> {
    const { promise, resolve, reject } = Promise.withResolvers<Workload>()
    let newest = written
    const look = (workload: Workload | undefined): void => {
      if (workload && isOlder(workload, written)) return
      if (!workload || workload.uid !== written.uid) return reject(deleted(written))
      newest = workload
      if (!isInProgress(workload)) resolve(workload)
    }
    const end = () => resolve(newest)
    const timer = setTimeout(end, timeout)
    const ends = AbortSignal.any([signal, closing.signal])
    ends.addEventListener('abort', end)
    const forget = listen(written, look)
    look(written)
    const copy = workloads.get(written)
    if (copy) look(copy)
    if (ends.aborted) end()
    return promise.finally(() => {
      forget()
      ends.removeEventListener('abort', end)
      clearTimeout(timer)
    })
  }

  return {
    reserve(subject) {
      const own = waiting.get(subject) ?? 0
      if (total >= MAX_WAITERS || own >= MAX_WAITERS_OF_SUBJECT) {
        throw new Refusal('RATE_LIMITED', 'too many requests are waiting for pods: send it without wait', {
          retryAfter: 1,
        })
      }
      total += 1
      waiting.set(subject, own + 1)
      return {
        followed,
        release() {
          total -= 1
          const left = (waiting.get(subject) ?? 0) - 1
          if (left > 0) waiting.set(subject, left)
          else waiting.delete(subject)
        },
      }
    },
    close: () => closing.abort(),
  }
}

/** The informer may still show what was there before the write. */
function isOlder(workload: Workload, written: Workload): boolean {
  if (workload.uid !== written.uid) return workload.createdAt < written.createdAt
  if (workload.generation < written.generation) return true
  return (stateOf(workload)?.counter ?? Infinity) < (stateOf(written)?.counter ?? 0)
}

function isInProgress(workload: Workload): boolean {
  const state = stateOf(workload)
  const operation = state && operationInProgress(state)
  return operation !== undefined && !hasFollowed(operation, workload)
}

function deleted({ namespace, kind, name }: WorkloadKey): Refusal {
  return new Refusal('NOT_FOUND', `${kind} ${namespace}/${name} was deleted while its pods were awaited`)
}

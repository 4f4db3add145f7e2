import { LRUCache } from 'lru-cache'
import {
  changeBack,
  changed,
  goesToSleep,
  hasChanged,
  hasChangedMarks,
  isEmpty,
  type Change,
} from '../domain/workload/change.ts'
import { differingAnnotations } from '../domain/workload/marks.ts'
import { statusPatch } from '../domain/deciding/missed-runs.ts'
import type { PatchOperation } from '../domain/json-patch.ts'
import { jsonPatch } from '../domain/workload/patch.ts'
import { isUnmarkedSleep } from '../domain/workload/reading.ts'
import { keyOf, type Workload, type WorkloadKey } from '../domain/workload/workload.ts'
import { Refusal } from '../process/errors.ts'
import type { PatchAnswer, WorkloadObject } from './api-object.ts'
import { delay, retryDelay, type Delay } from '../process/delay.ts'
import { ChangeSender, type WriteCalls } from './change-sender.ts'
import type { PatchOptions, WriteLimits } from './client.ts'
import type { Delivered } from './delivered.ts'
import { ClusterRefusal, isOfWebhook, onStatus } from './failures.ts'
import {
  conflict,
  doesNotApply,
  neverApplies,
  notReady,
  notUndone,
  rewritten,
  webhookFailed,
} from './patch-refusals.ts'
import type { Copies, LiveReader, WriteOptions, WritePriority, Writer, Written } from './ports.ts'
import { trim, trimMetadata, type ConfiguredFields } from './trim.ts'

/** Calls that the patcher needs; `KubernetesClient` has them. */
export interface WorkloadCalls extends WriteCalls {
  get(key: WorkloadKey, signal?: AbortSignal): Promise<WorkloadObject>
}

/** The copies that the patcher plans on; `WorkloadInformer` has them. */
export interface WorkloadCopy extends Copies {
  /** A call could not reach the API server: test the watches. */
  suspect(error: ClusterRefusal): void
  /** Stores the result of a patch. */
  applied(workload: Workload): void
}

/** The limits on writes; `WriteGate` applies them. */
export interface Gate {
  run<T>(
    priority: WritePriority,
    task: (limit: number | undefined) => Promise<T>,
    turn: { key: string; signal?: AbortSignal | undefined },
  ): Promise<T>
}

interface Options {
  calls: WorkloadCalls
  copy: WorkloadCopy
  gate: Gate
  fields?: ConfiguredFields
  /** The whole objects of workloads at rest; absent: each write is a patch. */
  delivered?: Pick<Delivered, 'of'> | undefined
  delay?: Delay
}

type Turn = Pick<WriteOptions, 'signal' | 'cut'> & { readonly priority: WritePriority }

/** The outcome of a write that was sent; any other refusal is thrown. */
type Sent =
  | { readonly type: 'written'; readonly answer: PatchAnswer }
  /** It did not apply: its precondition failed. */
  | { readonly type: 'stale' }
  /** 409: other clients' writes overtook each of the API server's own retries. */
  | { readonly type: 'overtaken' }
  /** No answer came, so it may have been applied. `hung`: the cluster itself is not slow. */
  | { readonly type: 'lost' | 'hung'; readonly error: ClusterRefusal }

const ATTEMPTS = 5
/** How many undone sleeps are remembered; a workload beyond that may be put to sleep and undone once more. */
const UNDONE_KEPT = 10_000
/** A starting API server answers these to everybody: it knows neither accounts nor roles yet. */
const FORBIDS: ReadonlySet<number> = new Set([401, 403])

/**
 * Plans on a copy and sends one write, with everything that the plan depends on as its precondition: a patch that tests it, or
 * the whole object, which others must not have changed at all.
 */
export class WorkloadPatcher implements Writer, LiveReader {
  readonly #calls: WorkloadCalls
  readonly #copy: WorkloadCopy
  readonly #gate: Gate
  readonly #fields: ConfiguredFields | undefined
  readonly #delay: Delay
  readonly #sender: ChangeSender
  /** By uid: workloads whose sleep was undone because an admission webhook dropped our marks. */
  readonly #undone = new LRUCache<string, true>({ max: UNDONE_KEPT })

  constructor({ calls, copy, gate, fields, delivered, delay: wait = delay }: Options) {
    this.#sender = new ChangeSender(calls, delivered)
    this.#fields = fields
    this.#calls = calls
    this.#copy = copy
    this.#gate = gate
    this.#delay = wait
  }

  /**
   * Reads the live workload; undefined: it does not exist.
   * @throws Refusal CLUSTER_UNAVAILABLE, CLUSTER_REJECTED
   */
  async read(key: WorkloadKey, signal?: AbortSignal): Promise<Workload | undefined> {
    const object = await this.#calls.get(key, signal).catch(onStatus([404], undefined))
    return object && trim(key.kind, object, undefined, this.#fields)
  }

  /**
   * Plans on a cached copy and sends the change. When its precondition fails, it reads the live object and plans again,
   * at most five times. Such a read also detects a patch whose answer was lost, so none is applied twice.
   * @throws Refusal NOT_FOUND, CONFLICT, CLUSTER_REJECTED, CLUSTER_UNAVAILABLE; errors of `plan`; the signal's reason
   */
  async write<P extends { change: Change | undefined }>(
    key: WorkloadKey,
    plan: (workload: Workload) => P,
    options: WriteOptions,
  ): Promise<Written<P>> {
    const cached = options.from ?? this.#copy.get(key)
    let workload = cached ?? (await this.#readLive(key, options.signal))
    let live = cached === undefined
    for (let attempt = 1; ;) {
      const planned = ask(plan, workload, options.verify === true && !live)
      if (planned === undefined) {
        workload = await this.#readLive(key, options.signal)
        live = true
        continue
      }
      const { change } = planned
      if (change === undefined || isEmpty(change)) return { plan: planned, workload, wrote: false }

      if (this.#undone.has(workload.uid) && goesToSleep(workload, change))
        await this.#rehearse(key, workload, change, options)
      const inStatus = statusPatch(workload, change)
      // First, so that nothing is lost if this process ends in between: the rest is planned again.
      const first = inStatus.length > 0 ? await this.#sendStatus(key, inStatus, options) : undefined
      const sent =
        first && first.type !== 'written'
          ? first
          : await this.#sendWrite(workload, change, options, !live && !first)
      if (sent.type === 'written') {
        const written = this.#afterWrite(workload, change, sent.answer)
        if (!hasChangedMarks(written, workload, change)) {
          if (goesToSleep(workload, change)) await this.#undo(key, workload, written, options)
          throw rewritten(key)
        }
        this.#copy.applied(written)
        return { plan: planned, workload: written, wrote: true }
      }
      if (attempt === ATTEMPTS && sent.type !== 'hung')
        throw sent.type === 'lost' ? sent.error : conflict(key, ATTEMPTS)
      await this.#delay(retryDelay(attempt, 20, 300), options.signal)
      const before = workload
      workload = await this.#readLive(key, options.signal)
      live = true
      const mayBeApplied = sent.type === 'lost' || sent.type === 'hung'
      if (mayBeApplied && carries(workload, before, change)) {
        this.#copy.applied(workload)
        return { plan: planned, workload, wrote: true }
      }
      if (mayBeApplied && sleepsUnmarked(workload, before, change)) {
        await this.#undo(key, before, workload, options)
        throw rewritten(key)
      }
      if (sent.type === 'hung') throw webhookFailed(key, sent.error)
      // The patch did not apply although nothing that it tests has changed: it never will.
      if (
        sent.type === 'stale' &&
        attempt > 1 &&
        equal(jsonPatch(workload, change), jsonPatch(before, change))
      ) {
        throw neverApplies(key)
      }
      attempt++
    }
  }

  /**
   * Undoes a write that put a workload to sleep if an admission webhook dropped its marks: they were the only record of
   * its count. A count that somebody has set since is left alone.
   */
  async #undo(key: WorkloadKey, before: Workload, written: Workload, options: WriteOptions): Promise<void> {
    this.#undone.set(before.uid, true)
    const priority = options.priority === 'request' ? 'request' : 'follow-up'
    let found = written
    // Not `signal`: waiting may be cancelled, but not this undo.
    const turn = { priority, ...(options.cut && { cut: options.cut }) } as const
    for (let attempt = 1; ; attempt++) {
      try {
        const change = changeBack(found, withChangesOfOthers(before, written, found))
        const sent = await this.#sendPatch(found, change, turn)
        if (sent.type === 'written') return this.#copy.applied(this.#afterWrite(found, change, sent.answer))
        found = await this.#readLive(key, options.cut)
        if (!isStillUnmarked(found, written)) return
      } catch (error) {
        if (attempt === ATTEMPTS) throw notUndone(key, before, error)
      }
      if (attempt === ATTEMPTS) throw notUndone(key, before, undefined)
      await this.#delay(retryDelay(attempt, 20, 300), options.cut)
    }
  }

  /** Sends the write as a dry run first: the last one of this workload had to be undone. @throws Refusal */
  async #rehearse(
    key: WorkloadKey,
    workload: Workload,
    change: Change,
    options: WriteOptions,
  ): Promise<void> {
    const sent = await this.#sendPatch(workload, change, options, { dryRun: true })
    if (sent.type !== 'written') return
    const written = this.#afterWrite(workload, change, sent.answer)
    if (!hasChangedMarks(written, workload, change)) throw rewritten(key)
    this.#undone.delete(workload.uid)
  }

  /** The workload after a patch. The answer may be its metadata alone; then the rest follows from the change. */
  #afterWrite(sentFor: Workload, change: Change, answer: PatchAnswer): Workload {
    const { kind } = sentFor
    if (answer.kind !== 'PartialObjectMetadata' && answer.spec !== undefined)
      return trim(kind, answer, undefined, this.#fields)
    const sleeping = this.#fields?.get(kind)
    return { ...changed(sentFor, change), ...trimMetadata(kind, answer.metadata, undefined, sleeping) }
  }

  async #readLive(key: WorkloadKey, signal: AbortSignal | undefined): Promise<Workload> {
    const object = await this.#answered(key, () => this.#calls.get(key, signal))
    return trim(key.kind, object, undefined, this.#fields)
  }

  async #answered<T>({ kind }: WorkloadKey, call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ClusterRefusal)) throw error
      if (error.noAnswer === 'unreachable') this.#copy.suspect(error)
      throw FORBIDS.has(error.status) && !this.#copy.isConnected(kind) ? notReady(error) : error
    }
  }

  #sendStatus(key: WorkloadKey, operations: readonly PatchOperation[], turn: Turn): Promise<Sent> {
    return this.#send(key, turn, (limits) =>
      this.#calls.patch(key, operations, { ...limits, subresource: 'status' }),
    )
  }

  /** `isAsDelivered`: it is the copy, and nothing was written since. */
  #sendWrite(workload: Workload, change: Change, turn: Turn, isAsDelivered: boolean): Promise<Sent> {
    if (!isAsDelivered) return this.#sendPatch(workload, change, turn)
    return this.#send(workload, turn, (limits) => this.#sender.whole(workload, change, limits))
  }

  #sendPatch(workload: Workload, change: Change, turn: Turn, how: PatchOptions = {}): Promise<Sent> {
    return this.#send(workload, turn, (limits) => this.#sender.patch(workload, change, { ...limits, ...how }))
  }

  async #send(
    key: WorkloadKey,
    options: Turn,
    call: (limits: WriteLimits) => Promise<PatchAnswer>,
  ): Promise<Sent> {
    try {
      const { cut: signal } = options
      const send = (timeout: number | undefined) => this.#answered(key, () => call({ signal, timeout }))
      const turn = { key: keyOf(key), signal: options.signal }
      return { type: 'written', answer: await this.#gate.run(options.priority, send, turn) }
    } catch (error) {
      if (!(error instanceof ClusterRefusal)) throw error
      if (error.noAnswer === 'cut') return { type: 'lost', error }
      if (error.noAnswer === 'hung') return { type: 'hung', error }
      if (isOfWebhook(error)) throw webhookFailed(key, error)
      if (error.status === 409) return { type: 'overtaken' }
      if (doesNotApply(error)) return { type: 'stale' }
      throw error
    }
  }
}

/**
 * Whether the live object is as the change would have made it: then the patch whose answer was lost was applied. The
 * state's counter and times make a coincidence impossible.
 */
function carries(live: Workload, sentFor: Workload, change: Change): boolean {
  return (
    live.uid === sentFor.uid &&
    live.resourceVersion !== sentFor.resourceVersion &&
    hasChanged(live, sentFor, change)
  )
}

/** Whether a patch whose answer was lost has put the workload to sleep without the marks that keep its count. */
function sleepsUnmarked(live: Workload, before: Workload, change: Change): boolean {
  if (live.uid !== before.uid || !goesToSleep(before, change) || hasChangedMarks(live, before, change))
    return false
  return change.snoozeKey === undefined
    ? live.replicas === change.replicas && isUnmarkedSleep(live, before.replicas)
    : live.snoozeKey === change.snoozeKey
}

/** `before` with the annotations that others have changed between our write and now. */
function withChangesOfOthers(before: Workload, written: Workload, now: Workload): Workload {
  const theirs = differingAnnotations(written, now).map((name) => [name, now.annotations[name]] as const)
  return { ...before, annotations: { ...before.annotations, ...Object.fromEntries(theirs) } }
}

/** Whether nobody has changed the count since, or written a state that keeps it. */
function isStillUnmarked(live: Workload, { uid, replicas, snoozeKey, annotations }: Workload): boolean {
  return (
    live.uid === uid &&
    live.replicas === replicas &&
    live.snoozeKey === snoozeKey &&
    live.annotations.state === annotations.state
  )
}

/** undefined: the plan refuses or changes nothing on the copy, so it has to be verified by a live read. */
function ask<P extends { change: Change | undefined }>(
  plan: (workload: Workload) => P,
  workload: Workload,
  verify: boolean,
): P | undefined {
  try {
    const planned = plan(workload)
    const nothing = planned.change === undefined || isEmpty(planned.change)
    return nothing && verify ? undefined : planned
  } catch (error) {
    if (verify && error instanceof Refusal) return undefined
    throw error
  }
}

function equal(a: readonly PatchOperation[], b: readonly PatchOperation[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

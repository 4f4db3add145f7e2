import type * as Api from '../api/ports.ts'
import type * as Controller from '../controller/ports.ts'
import { hasChangedMarks } from '../domain/change.ts'
import { isEmpty, jsonPatch, type Change, type PatchOperation } from '../domain/patch.ts'
import type { Kind, Workload, WorkloadKey } from '../domain/workload.ts'
import { Refusal } from '../errors.ts'
import type * as Webhook from '../webhook/ports.ts'
import type { PatchAnswer, WorkloadObject } from './api-object.ts'
import { delay, retryDelay, type Delay } from './delay.ts'
import { ClusterRefusal } from './failures.ts'
import { trim } from './trim.ts'
import type { Priority } from './write-gate.ts'
import { afterWrite, carries } from './written.ts'

/** What the patcher needs of `KubernetesClient`. */
export interface WorkloadCalls {
  get(key: WorkloadKey, signal?: AbortSignal): Promise<WorkloadObject>
  patch(key: WorkloadKey, operations: readonly PatchOperation[], signal?: AbortSignal): Promise<PatchAnswer>
}

/** What the patcher needs of `WorkloadInformer`. */
export interface WorkloadCopy {
  /** Whether it is current: the watch of the kind stands. */
  isConnected(kind: Kind): boolean
  /** A call found nobody there. */
  suspect(error: ClusterRefusal): void
  get(key: WorkloadKey): Workload | undefined
  applied(workload: Workload): void
}

/** What the patcher needs of `WriteGate`. */
export interface Gate {
  run<T>(priority: Priority, task: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

export interface WriteOptions {
  readonly priority: Priority
  /** The copy to decide on first, instead of the informer's. */
  readonly from?: Workload
  /** Decide on a live read from the start. */
  readonly fresh?: boolean
  /** A plan that refuses or changes nothing on a cached copy is asked again on a live read. */
  readonly verify?: boolean
  /** Ends waiting and reading; a patch that was sent is seen through. */
  readonly signal?: AbortSignal
  /** Cuts a patch that was sent: whether it was carried out, nobody knows then. */
  readonly cut?: AbortSignal
}

export interface Written<P> {
  readonly plan: P
  readonly workload: Workload
  readonly wrote: boolean
}

interface Options {
  calls: WorkloadCalls
  copy: WorkloadCopy
  gate: Gate
  delay?: Delay
}

/** How a patch went that may be tried again, or did not need to. */
type Outcome =
  | { readonly type: 'written'; readonly answer: PatchAnswer }
  /** It did not apply: its precondition failed. */
  | { readonly type: 'stale' }
  /** The cluster's own retries were all overtaken by other writes. */
  | { readonly type: 'overtaken' }
  /** Whether it was carried out, nobody knows. */
  | { readonly type: 'lost'; readonly error: ClusterRefusal }

const ATTEMPTS = 5
/** What an API server answers to everybody while it starts and knows neither accounts nor roles yet. */
const FORBIDS: ReadonlySet<number> = new Set([401, 403])
const NOT_READY_RETRY_S = 1
/** What the API server says, with 422 and no causes, of a JSON Patch that does not apply: a failed `test`. */
const PATCH_DOES_NOT_APPLY = 'the server rejected our request due to an error in our request'

/** Decides and writes in one patch whose precondition is what the decision rests on (design, section 2). */
export class WorkloadPatcher implements Controller.Writer, Api.Writer, Webhook.LiveReader {
  readonly #calls: WorkloadCalls
  readonly #copy: WorkloadCopy
  readonly #gate: Gate
  readonly #delay: Delay

  constructor({ calls, copy, gate, delay: wait = delay }: Options) {
    this.#calls = calls
    this.#copy = copy
    this.#gate = gate
    this.#delay = wait
  }

  /** The live workload; undefined: it does not exist. Throws CLUSTER_UNAVAILABLE, CLUSTER_REJECTED. */
  async read(key: WorkloadKey, signal?: AbortSignal): Promise<Workload | undefined> {
    try {
      return trim(key.kind, await this.#calls.get(key, signal))
    } catch (error) {
      if (error instanceof Refusal && error.code === 'NOT_FOUND') return undefined
      throw error
    }
  }

  /**
   * Asks `plan` for a change and sends it; when its precondition fails, reads the live object and asks
   * anew, at most five times. The change that was lost on the way is found again by such a read, so it
   * is never made twice. Throws NOT_FOUND, CONFLICT, CLUSTER_REJECTED, CLUSTER_UNAVAILABLE, what `plan`
   * throws, and the signal's reason.
   */
  async write<P extends { change: Change | undefined }>(
    key: WorkloadKey,
    plan: (workload: Workload) => P,
    options: WriteOptions,
  ): Promise<Written<P>> {
    const cached = options.fresh === true ? undefined : (options.from ?? this.#copy.get(key))
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

      const operations = jsonPatch(workload, change)
      const outcome = await this.#send(key, operations, options)
      if (outcome.type === 'written') {
        const written = afterWrite(workload, change, key.kind, outcome.answer)
        if (!hasChangedMarks(written, workload, change)) throw rewritten(key)
        this.#copy.applied(written)
        return { plan: planned, workload: written, wrote: true }
      }
      if (attempt === ATTEMPTS) throw outcome.type === 'lost' ? outcome.error : conflict(key)
      await this.#delay(retryDelay(attempt, 20, 300), options.signal)
      const before = workload
      workload = await this.#readLive(key, options.signal)
      live = true
      if (outcome.type === 'lost' && carries(workload, before, change)) {
        this.#copy.applied(workload)
        return { plan: planned, workload, wrote: true }
      }
      // Nothing that the patch rests on has changed, yet it did not apply, and it never will.
      if (outcome.type === 'stale' && attempt > 1 && equal(jsonPatch(workload, change), operations)) {
        throw neverApplies(key)
      }
      attempt++
    }
  }

  async #readLive(key: WorkloadKey, signal: AbortSignal | undefined): Promise<Workload> {
    return trim(key.kind, await this.#answered(key, () => this.#calls.get(key, signal)))
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

  async #send(key: WorkloadKey, operations: PatchOperation[], options: WriteOptions): Promise<Outcome> {
    try {
      const send = () => this.#answered(key, () => this.#calls.patch(key, operations, options.cut))
      return { type: 'written', answer: await this.#gate.run(options.priority, send, options.signal) }
    } catch (error) {
      if (!(error instanceof ClusterRefusal)) throw error
      if (error.noAnswer === 'cut') return { type: 'lost', error }
      if (error.status === 409) return { type: 'overtaken' }
      if (doesNotApply(error)) return { type: 'stale' }
      throw error
    }
  }
}

/** undefined: not to be believed before a live read. */
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

function doesNotApply({ status, details }: ClusterRefusal): boolean {
  return status === 422 && details.message === PATCH_DOES_NOT_APPLY
}

function equal(a: readonly PatchOperation[], b: readonly PatchOperation[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function rewritten({ kind, namespace, name }: WorkloadKey): Refusal {
  const message =
    `${kind} ${namespace}/${name}: an admission webhook changed Dormouse's own marks as they were written; ` +
    'do all replicas run as one account, and does no other webhook touch dormouse.dev/ annotations?'
  return new Refusal('CLUSTER_REJECTED', message)
}

function conflict({ kind, namespace, name }: WorkloadKey): Refusal {
  const message = `${kind} ${namespace}/${name} was changed by others each time; try again`
  return new Refusal('CONFLICT', message, { details: { attempts: ATTEMPTS } })
}

/** Forbidden while the watches are refused as well: that is no word about this workload. */
function notReady(cause: ClusterRefusal): ClusterRefusal {
  const { message, status, details } = cause
  const options = { status, details, cause, retryAfter: NOT_READY_RETRY_S }
  return new ClusterRefusal('CLUSTER_UNAVAILABLE', `${message}; the cluster is not ready`, options)
}

function neverApplies({ kind, namespace, name }: WorkloadKey): Refusal {
  const message = `the cluster does not take our patch of ${kind} ${namespace}/${name} as it stands`
  return new Refusal('CLUSTER_REJECTED', message, { details: { status: 422, message: PATCH_DOES_NOT_APPLY } })
}

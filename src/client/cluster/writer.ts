import type { Clock } from '../../process/clock.ts'
import { OPERATIONS, type Request } from '../../domain/requests/operations.ts'
import {
  formatRequest,
  REQUEST_ANNOTATION,
  verbOf,
  type WrittenRequest,
} from '../../domain/requests/annotation.ts'
import { releasedText } from '../../domain/deciding/released.ts'
import { SETTING_NAMES } from '../../domain/inheritable.ts'
import {
  ANNOTATION,
  ASLEEP_LABEL,
  CLIENT_MANAGER,
  nameOf,
  type Workload,
  type WorkloadKey,
} from '../../domain/workload/workload.ts'
import { Refusal } from '../../process/errors.ts'
import type { WorkloadObject } from '../../kubernetes/api-object.ts'
import { ClusterRefusal, isOfWebhook } from '../../kubernetes/failures.ts'
import type { Answer } from '../ports.ts'
import { retriedOverRate } from './pace.ts'
import type { ClusterReader } from './reader.ts'
import { RELEASE_ENDS } from './service-notes.ts'

/** Milliseconds within which a request without an answer may be repeated with the same text. */
const PATIENCE = 60_000

type Annotations = Readonly<Record<string, string | null>>

/** The object after a write, with the warnings of the answer. */
export interface Written extends Pick<Answer, 'messages' | 'becomes' | 'wasSo'> {
  readonly object: WorkloadObject
}

/** Whether the request sets annotations of its own, which people also write by hand. */
export function isSetting({ action }: Request): boolean {
  return verbOf(action) === undefined
}

/** Whether it was in the state that the request leads to. */
function wasSo({ labels }: Workload, { action }: Request): Pick<Answer, 'wasSo'> {
  const { moves } = OPERATIONS[action]
  if (moves !== 'awake' && moves !== 'asleep') return {}
  return { wasSo: (labels?.[ASLEEP_LABEL] !== undefined) === (moves === 'asleep') }
}

const BECOMES = { snooze: 'asleep', wake: 'awake', none: undefined } as const

/** Writes one patch of annotations with the person's own rights; Dormouse's webhook completes it in the same write. */
export class ClusterWriter {
  readonly #reader: ClusterReader
  readonly #clock: Clock

  constructor(reader: ClusterReader, clock: Clock) {
    this.#reader = reader
    this.#clock = clock
  }

  /** @throws Refusal, also where nobody has answered the request */
  async request(key: WorkloadKey, request: Request, dryRun: boolean): Promise<Written> {
    const [read, excluded] = await Promise.allSettled([
      this.#reader.read(key),
      this.#reader.refuseExcluded(key.namespace),
    ])
    // An exclusion says more than a missing object.
    if (excluded.status === 'rejected') throw excluded.reason
    if (read.status === 'rejected') throw read.reason
    const { workload, object } = read.value
    if (workload.owner && key.kind === 'replicasets') {
      const { refuseOwned } = await import('../../domain/requests/refusals.ts')
      refuseOwned(workload)
    }
    if (isSetting(request)) return this.#set(workload, object, request, dryRun)
    return { ...(await this.#ask(key, { request, at: this.#clock() }, dryRun)), ...wasSo(workload, request) }
  }

  async #set(
    workload: Workload,
    object: WorkloadObject,
    request: Request,
    dryRun: boolean,
  ): Promise<Written> {
    const { settings, message, becomes, isUnreadable } = await this.#planned(workload, request, dryRun)
    if (isUnreadable) return { ...(await this.#repair(workload, request, dryRun)), ...becomes }
    if (Object.keys(settings).length === 0) return { object, messages: [message] }
    const { object: written, messages } = await this.#patch(workload, settings, dryRun)
    return { object: written, messages: [message, ...messages], ...becomes }
  }

  async #planned(workload: Workload, request: Request, dryRun: boolean) {
    const [{ planRequest }, { readWorkload }, { Unreadable }, rules] = await Promise.all([
      import('../../domain/requests/request.ts'),
      import('../../domain/workload/reading.ts'),
      import('../../domain/workload/state-codec.ts'),
      this.#reader.rules(),
      this.#reader.namespace(workload.namespace),
    ])
    const plan = planRequest(workload, request, 'k8s:you', this.#clock(), rules)
    const becomes = BECOMES[plan.decision.action]
    return {
      settings: changedSettings(workload, plan.after),
      message: dryRun ? plan.rehearsed : plan.deferred,
      becomes: becomes === undefined ? {} : { becomes },
      isUnreadable: readWorkload(workload, rules) instanceof Unreadable,
    }
  }

  /** Only the webhook can write the state. The settings, if any, follow in a second write. */
  async #repair(key: Workload, request: Request, dryRun: boolean): Promise<Written> {
    const repaired = await this.#ask(key, { request: { action: 'repair' }, at: this.#clock() }, dryRun)
    const workload = await this.#reader.trimmed(key.kind, repaired.object)
    const { settings, message } = await this.#planned(workload, request, dryRun)
    if (Object.keys(settings).length === 0) return repaired
    const messages = [...repaired.messages, message]
    if (dryRun) return { ...repaired, messages }
    const written = await this.#patch(key, settings, false)
    return { object: written.object, messages: [...messages, ...written.messages] }
  }

  async #ask(key: WorkloadKey, asked: WrittenRequest, dryRun: boolean): Promise<Written> {
    const text = formatRequest(asked)
    const written = await this.#patch(key, { [REQUEST_ANNOTATION]: text }, dryRun)
    if (written.object.metadata.annotations?.[REQUEST_ANNOTATION] !== text) return written
    if (!dryRun) await this.#takeBack(key, text)
    throw await this.#unanswered(key, written.messages)
  }

  /** Removes an annotation that nobody handled, so that it is not carried out much later. */
  async #takeBack(key: WorkloadKey, text: string): Promise<void> {
    const path = `/metadata/annotations/${REQUEST_ANNOTATION.replace('/', '~1')}`
    const body = [
      { op: 'test', path, value: text },
      { op: 'remove', path },
    ]
    await this.#send(key, body, 'application/json-patch+json', false).catch((error: unknown) => {
      // Somebody removed it meanwhile, which is all that was needed.
      if (!(error instanceof ClusterRefusal) || error.status !== 422) throw error
    })
  }

  async #unanswered(key: WorkloadKey, warnings: readonly string[]): Promise<Refusal> {
    const { service } = await this.#reader.settled()
    const version = service.version === undefined ? '' : ` ${service.version}`
    const says = (why: string, advice: string) =>
      new Refusal(
        'CLUSTER_UNAVAILABLE',
        `Dormouse does not answer, so ${nameOf(key)} was left as it is: ${why}; ${advice}`,
      )
    if (service.released) return says(releasedText(service.released), RELEASE_ENDS)
    if (warnings.some((text) => text.startsWith('Dormouse:')))
      return says(
        `the Dormouse${version} of this cluster is too old for requests by annotation`,
        'have it updated, or use --server with a token of it',
      )
    if (service.isKnown)
      return says(
        `the cluster does not reach the webhook of Dormouse${version}`,
        'ask whoever runs it, or use --server with a token of it',
      )
    if (this.#reader.seesMarks)
      return says(
        'the cluster does not reach its webhook, or that leaves this namespace out',
        'ask whoever runs it, or use --server with a token of it',
      )
    return says(
      'it seems that it is not installed in this cluster, or that its webhook leaves this namespace out',
      'look at kubectl config current-context, or ask whoever runs the cluster',
    )
  }

  async #patch(key: WorkloadKey, annotations: Annotations, dryRun: boolean): Promise<Written> {
    const body = { metadata: { annotations } }
    try {
      return await this.#send(key, body, 'application/merge-patch+json', dryRun)
    } catch (error) {
      // The answer was lost: the same text with the same time is the same request.
      if (!(error instanceof ClusterRefusal) || error.noAnswer !== 'cut') throw error
      return this.#send(key, body, 'application/merge-patch+json', dryRun)
    }
  }

  async #send(key: WorkloadKey, body: unknown, contentType: string, dryRun: boolean): Promise<Written> {
    const { kind, namespace, name } = key
    const { path } = await this.#reader.collection(kind, namespace)
    const call = {
      method: 'PATCH',
      verb: 'patch',
      resource: kind,
      path: `${path}/${encodeURIComponent(name)}?fieldManager=${CLIENT_MANAGER}${dryRun ? '&dryRun=All' : ''}`,
      contentType,
      body,
      timeout: PATIENCE,
    } as const
    try {
      const { answer, warnings } = await retriedOverRate(() => this.#reader.client.answered(call))
      return { object: answer, messages: warnings }
    } catch (error) {
      // A held workload is written by the webhook or not at all.
      if (isOfOurWebhook(error)) throw await this.#unanswered(key, [])
      throw error
    }
  }
}

function isOfOurWebhook(error: unknown): boolean {
  return error instanceof ClusterRefusal && isOfWebhook(error) && OURS.test(String(error.details['message']))
}

const OURS = /\bfailed calling webhook "[^"]+\.dormouse\.dev"/

function changedSettings(before: Workload, after: Workload): Annotations {
  const changed: Record<string, string | null> = {}
  for (const name of SETTING_NAMES) {
    const [was, is] = [before.annotations[name], after.annotations[name]]
    if (was !== is) changed[ANNOTATION[name]] = is ?? null
  }
  return changed
}

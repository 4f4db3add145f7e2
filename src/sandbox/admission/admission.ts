import { randomUUID } from 'node:crypto'
import { answerOf, denied, reviewOf } from './admission-review.ts'
import type { AdmissionAnswer, AdmissionAttributes } from './admission-review.ts'
import { applyJsonPatch } from '../store/patch.ts'
import type { KubeObject } from '../store/object.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { served } from '../store/resources.ts'
import { StatusError } from '../store/status.ts'
import { asObject } from '../store/validation.ts'
import { WebhookClient, WebhookFailure } from './webhook-client.ts'
import { webhooksOf } from '../store/webhook-configuration.ts'
import type { Webhook } from '../store/webhook-configuration.ts'
import { concerns } from './webhook-rules.ts'

const CONFIGURATIONS = served('admissionregistration.k8s.io', 'mutatingwebhookconfigurations').store
const NAMESPACES = served('', 'namespaces').store
const SCALE = { ...served('apps', 'deployments'), group: 'autoscaling', kind: 'Scale' }

/**
 * Calls mutating admission webhooks as a kube-apiserver does: one after the other, in the order of their
 * configurations' names, each with the object that the one before returned. reinvocationPolicy is left out, and of
 * matchConditions all but those that divide writes between two webhooks.
 */
export class Admission {
  readonly #store: ObjectStore
  readonly #onIgnored: (failure: Error) => void
  readonly #client = new WebhookClient()
  #known: Webhook[] | undefined

  /** `onIgnored` receives the failures that a failurePolicy of Ignore hides from the client. */
  constructor(store: ObjectStore, onIgnored: (failure: Error) => void) {
    this.#store = store
    this.#onIgnored = onIgnored
    store.subscribe((change) => {
      if (change.store === CONFIGURATIONS) this.#known = undefined
    })
  }

  /**
   * The object as the webhooks leave it: the same one if none changed it.
   * @throws StatusError a webhook's denial; 500 if a webhook fails whose failurePolicy is Fail
   */
  async admit(write: AdmissionAttributes, warn: (text: string) => void): Promise<KubeObject> {
    const labelsOf = (namespace: string) =>
      this.#store.get(NAMESPACES, undefined, namespace)?.metadata.labels ?? {}
    let { object } = write
    for (const webhook of this.#webhooks()) {
      const current = { ...write, object }
      if (!concerns(webhook, current, labelsOf)) continue
      const answer = await this.#call(webhook, current)
      if (!answer) continue
      for (const warning of answer.warnings) warn(warning)
      if (!answer.allowed) throw denied(webhook.name, answer.status)
      if (answer.patch !== undefined) object = patched(webhook, current, answer.patch)
    }
    return object
  }

  async close(): Promise<void> {
    await this.#client.close()
  }

  #webhooks(): Webhook[] {
    return (this.#known ??= this.#store.list(CONFIGURATIONS).flatMap(webhooksOf))
  }

  async #call(webhook: Webhook, write: AdmissionAttributes): Promise<AdmissionAnswer | undefined> {
    const uid = randomUUID()
    try {
      return answerOf(webhook.name, uid, await this.#client.post(webhook, reviewOf(uid, write)))
    } catch (error) {
      if (!(error instanceof WebhookFailure)) throw error
      if (webhook.failurePolicy === 'Fail') throw internal(error.message)
      this.#onIgnored(error)
      return undefined
    }
  }
}

const internal = (why: string) => new StatusError(500, `Internal error occurred: ${why}`)

function patched({ name }: Webhook, write: AdmissionAttributes, patch: unknown): KubeObject {
  const { object, resource, subresource } = write
  try {
    return asObject(subresource === 'scale' ? SCALE : resource, applyJsonPatch(object, patch))
  } catch (error) {
    if (error instanceof StatusError) throw internal(`the patch of webhook "${name}": ${error.message}`)
    throw error
  }
}

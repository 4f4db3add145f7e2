import { isDeepStrictEqual } from 'node:util'
import { FIELD_MANAGER } from '../domain/workload.ts'
import type { Logger } from '../logger.ts'
import type { Runnable } from '../runnable.ts'
import type { KubernetesObject, OwnerReference } from './api-object.ts'
import type { KubernetesClient } from './client.ts'
import { delay as systemDelay, retryDelay, type Delay } from './delay.ts'
import { ClusterRefusal } from './failures.ts'
import {
  CONFIGURATION_NAME,
  isTrusted,
  wantedWebhooks,
  type MutatingWebhook,
  type WebhookSettings,
} from './mutating-webhooks.ts'
import { watchObject, type ObjectReference } from './single-object.ts'
import { TokenBucket } from '../token-bucket.ts'
import type { ProbeResult } from './webhook-probe.ts'
import { WebhookProof, type Probing } from './webhook-proof.ts'

export interface WebhookRegistrationOptions extends WebhookSettings {
  readonly client: Pick<KubernetesClient, 'call' | 'listPage' | 'watch'>
  readonly logger: Logger
  /** Every CA to trust, PEM; undefined: the configuration's own bundle is left as it is. */
  readonly caBundle: () => string | undefined
  /** Returns how to stop listening. */
  readonly onCaBundle: (listener: () => void) => () => void
  /** Told of the bundle each time that the configuration is seen to have it. */
  readonly onPublished: (caBundle: string) => void
  /** The Namespace that the configuration goes with; undefined: Dormouse runs outside. */
  readonly ownNamespace: string | undefined
  /** One try to reach the webhook through the API server. */
  readonly probe: (signal: AbortSignal) => Promise<ProbeResult>
  /** Told whether API servers were seen to reach the webhook, each time that this turns, and why not. */
  readonly onProof: (proven: boolean, why: string, configuration: ConfigurationReference) => void
  /** To be told of each new certificate that we serve by; returns how to stop listening. */
  readonly onServed: (listener: () => void) => () => void
  readonly probing?: Probing | undefined
  readonly delay?: Delay
}

/** The configuration, as Events refer to it. */
export interface ConfigurationReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
}

interface Configuration extends KubernetesObject {
  readonly webhooks?: readonly MutatingWebhook[]
}

interface Operation {
  readonly op: 'add' | 'replace'
  readonly path: string
  readonly value: unknown
}

const REFERENCE: ObjectReference = {
  resource: 'mutatingwebhookconfigurations',
  path: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  name: CONFIGURATION_NAME,
}
/** At once, unless somebody else keeps putting it wrong. */
const WRITES_PER_SECOND = 1
const WRITE_BURST = 20

/**
 * Keeps the MutatingWebhookConfiguration `dormouse` right: only the leader runs it. With a `url` it makes
 * the configuration itself, and anew when it is gone; inside a cluster the chart brings it, and what is not
 * there stays so. The scale webhook turns to Fail once the API server trusts us, was seen to reach us and,
 * inside, once the configuration would go with our Namespace; and back when it reaches us no more.
 */
export class WebhookRegistration implements Runnable {
  readonly name = 'webhook registration'
  readonly #options: WebhookRegistrationOptions
  readonly #delay: Delay
  readonly #bucket = new TokenBucket(WRITES_PER_SECOND, WRITE_BURST)
  /** As last told by the watch; `known` is false until it has said anything. */
  #seen: { readonly known: boolean; readonly object: Configuration | undefined } = {
    known: false,
    object: undefined,
  }
  #life: AbortController | undefined
  #ended: Promise<unknown> = Promise.resolve()
  #wake: () => void = () => {}
  #dirty = false
  #proof: WebhookProof | undefined
  /** The bundle that the proof was last begun with. */
  #probedWith: string | undefined

  constructor(options: WebhookRegistrationOptions) {
    this.#options = options
    this.#delay = options.delay ?? systemDelay
  }

  /** Resolves at once: a configuration that cannot be written keeps nothing else from its work. */
  async start(): Promise<void> {
    const life = new AbortController()
    const { signal } = life
    this.#life = life
    this.#seen = { known: false, object: undefined }
    const { client, logger, onCaBundle, onServed } = this.#options
    const proof = this.#newProof()
    const forget = [
      onCaBundle(() => this.#poke()),
      onServed(() => {
        if (proof.hasBegun) proof.begin()
      }),
    ]
    signal.addEventListener('abort', () => {
      for (const each of forget) each()
      this.#poke()
    })
    const watching = watchObject<Configuration>(
      { client, logger, reference: REFERENCE, delay: this.#delay },
      (object) => {
        this.#seen = { known: true, object }
        this.#poke()
      },
      signal,
    )
    this.#ended = Promise.all([watching, this.#keepRight(signal)])
  }

  /** Resolves when nothing of it is in flight any more. */
  async stop(): Promise<void> {
    this.#life?.abort()
    await Promise.all([this.#ended, this.#proof?.stop()])
  }

  #poke(): void {
    this.#dirty = true
    this.#wake()
  }

  async #keepRight(signal: AbortSignal): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      if (!this.#dirty) await new Promise<void>((resolve) => (this.#wake = resolve))
      this.#dirty = false
      if (signal.aborted || !this.#seen.known) continue
      try {
        await this.#putRight(signal)
        failures = 0
      } catch (err) {
        if (signal.aborted) return
        failures++
        this.#options.logger.warn({ err }, 'the webhook configuration could not be put right')
        await this.#delay(retryDelay(failures, 200, 30_000), signal).catch(() => {})
        this.#dirty = true
      }
    }
  }

  async #putRight(signal: AbortSignal): Promise<void> {
    const { object } = this.#seen
    const { url, logger, caBundle, onPublished, ownNamespace } = this.#options
    if (!object) {
      if (url !== null) return this.#create(signal)
      logger.warn(`there is no MutatingWebhookConfiguration ${CONFIGURATION_NAME}: the chart brings it`)
      return
    }
    if (object.metadata.deletionTimestamp !== undefined) return
    const present = object.webhooks ?? []
    const bundle = caBundle()
    const trusted = isTrusted(present, bundle)
    if (trusted && bundle !== undefined) onPublished(bundle)
    const tied = ownNamespace === undefined || isOwned(object, ownNamespace)
    const standing = { isTied: trusted && tied, proof: this.#proof?.state ?? 'unknown' }
    const changes = differences(object, wantedWebhooks(this.#options, bundle, present, standing))
    if (changes.length === 0 && tied) return this.#probe(bundle)
    const owner = ownNamespace === undefined ? undefined : await this.#owner(ownNamespace, signal)
    if (owner === 'going') {
      logger.info(
        { namespace: ownNamespace },
        'the Namespace is going: the webhook configuration is left alone',
      )
      return
    }
    await this.#patch(object, [...changes, ...owned(object, owner)], signal)
  }

  /** The configuration is right: whether it works is to be seen, and again when it has another bundle. */
  #probe(bundle: string | undefined): void {
    if (this.#proof?.hasBegun && this.#probedWith === bundle) return
    this.#probedWith = bundle
    this.#proof?.begin()
  }

  #newProof(): WebhookProof {
    const { probe, probing, logger, onProof } = this.#options
    this.#proof = new WebhookProof({
      probe,
      isInForce: () =>
        this.#seen.object?.webhooks?.some(({ failurePolicy }) => failurePolicy === 'Fail') === true,
      onChange: (proof, why) => {
        if (this.#seen.object) onProof(proof === 'proven', why, referenceTo(this.#seen.object))
        this.#poke()
      },
      logger,
      probing,
    })
    return this.#proof
  }

  async #create(signal: AbortSignal): Promise<void> {
    const { ownNamespace } = this.#options
    const owner = ownNamespace === undefined ? undefined : await this.#owner(ownNamespace, signal)
    if (owner === 'going') return
    await this.#paced(signal)
    const metadata = {
      name: CONFIGURATION_NAME,
      labels: { 'app.kubernetes.io/managed-by': FIELD_MANAGER },
      ...(owner && { ownerReferences: [owner] }),
    }
    const body = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata,
      webhooks: wantedWebhooks(this.#options, this.#options.caBundle(), [], {
        isTied: false,
        proof: this.#proof?.state ?? 'unknown',
      }),
    }
    const written = await this.#write('POST', 'create', `${REFERENCE.path}?${MANAGED}`, body, signal)
    if (written) this.#options.logger.info('the webhook configuration was created')
  }

  async #patch(object: Configuration, changes: readonly Operation[], signal: AbortSignal): Promise<void> {
    await this.#paced(signal)
    const { resourceVersion } = object.metadata
    const same: Operation = { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion }
    const path = `${REFERENCE.path}/${CONFIGURATION_NAME}?${MANAGED}`
    const written = await this.#write('PATCH', 'patch', path, [same, ...changes], signal)
    const what = changes.map(({ path }) => path)
    if (written) this.#options.logger.info({ changed: what }, 'the webhook configuration was put right')
  }

  /** Whether it was written: somebody else's write in between is no failure, the watch tells of it, and that is judged. */
  async #write(
    method: 'POST' | 'PATCH',
    verb: string,
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<boolean> {
    const contentType = method === 'PATCH' ? 'application/json-patch+json' : 'application/json'
    const { resource } = REFERENCE
    try {
      await this.#options.client.call({ method, verb, resource, path, contentType, body, signal })
      return true
    } catch (error) {
      if (error instanceof ClusterRefusal && [404, 409].includes(error.status)) return false
      throw error
    }
  }

  async #paced(signal: AbortSignal): Promise<void> {
    for (;;) {
      const wait = this.#bucket.wait(performance.now())
      if (wait === 0) break
      await this.#delay(wait, signal)
    }
    this.#bucket.take()
  }

  async #owner(namespace: string, signal: AbortSignal): Promise<OwnerReference | 'going'> {
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}`
    try {
      const { metadata } = await this.#options.client.call<KubernetesObject>({
        method: 'GET',
        verb: 'get',
        resource: 'namespaces',
        path,
        signal,
      })
      if (metadata.deletionTimestamp !== undefined) return 'going'
      return { apiVersion: 'v1', kind: 'Namespace', name: namespace, uid: metadata.uid }
    } catch (error) {
      if (error instanceof ClusterRefusal && error.code === 'NOT_FOUND') return 'going'
      throw error
    }
  }
}

/** Deletes the configuration, if it is there. @throws ClusterRefusal */
export async function deleteWebhookConfiguration(client: Pick<KubernetesClient, 'call'>): Promise<void> {
  const path = `${REFERENCE.path}/${CONFIGURATION_NAME}`
  try {
    await client.call({ method: 'DELETE', verb: 'delete', resource: REFERENCE.resource, path })
  } catch (error) {
    if (!(error instanceof ClusterRefusal && error.code === 'NOT_FOUND')) throw error
  }
}

const MANAGED = `fieldManager=${FIELD_MANAGER}`

function differences({ webhooks }: Configuration, wanted: readonly MutatingWebhook[]): Operation[] {
  return isDeepStrictEqual(webhooks, wanted) ? [] : [{ op: 'add', path: '/webhooks', value: wanted }]
}

function referenceTo({ metadata }: Configuration): ConfigurationReference {
  const { name, uid, resourceVersion } = metadata
  const apiVersion = 'admissionregistration.k8s.io/v1'
  return { apiVersion, kind: 'MutatingWebhookConfiguration', name, uid, resourceVersion }
}

function isOwned({ metadata }: Configuration, namespace: string): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind, name }) => kind === 'Namespace' && name === namespace)
}

/** Also replaces the reference to a Namespace of the same name that is no more. */
function owned({ metadata }: Configuration, owner: OwnerReference | undefined): Operation[] {
  const present = metadata.ownerReferences ?? []
  if (!owner || present.some(({ uid }) => uid === owner.uid)) return []
  const others = present.filter(({ kind, name }) => kind !== owner.kind || name !== owner.name)
  return [{ op: 'add', path: '/metadata/ownerReferences', value: [...others, owner] }]
}

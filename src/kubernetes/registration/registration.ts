import { isDeepStrictEqual } from 'node:util'
import type { Logger } from '../../process/logger.ts'
import type { Runnable } from '../../process/runnable.ts'
import type { OwnerReference } from '../api-object.ts'
import type { KubernetesClient } from '../client.ts'
import { delay as systemDelay, retryDelay, type Delay } from '../delay.ts'
import type { EventSubject } from '../ports.ts'
import { watchObject } from '../single-object.ts'
import {
  CONFIGURATION,
  ConfigurationWriter,
  isOwned,
  namespaceOwner,
  ownerChanges,
  subjectOf,
  webhookChanges,
  type Configuration,
} from './configuration.ts'
import { OverwriteBackoff, changeOf } from './overwrite-backoff.ts'
import { writtenScope } from './held-scope.ts'
import type { HeldWorkloads } from './held-workloads.ts'
import type { ProbeResult } from './probe.ts'
import { WebhookProof, type Probing } from './proof.ts'
import {
  desiredWebhooks,
  heldScaleOf,
  ignoredWhereAsked,
  isTrusted,
  sameButPolicy,
  type MutatingWebhook,
  type Standing,
  type WebhookSettings,
} from './webhooks.ts'

export interface WebhookRegistrationOptions extends WebhookSettings {
  readonly client: Pick<KubernetesClient, 'call' | 'listPage' | 'watch'>
  readonly logger: Logger
  /** Whether the configuration may be written at this very moment; default: always. */
  readonly mayWrite?: () => boolean
  /** Every CA to trust, PEM; undefined: leave the configuration's own bundle as it is. */
  readonly caBundle: () => string | undefined
  /** Calls the listener when the bundle changes; returns the function that removes it. */
  readonly onCaBundle: (listener: () => void) => () => void
  /** Called with the bundle each time that the configuration is observed to have it. */
  readonly onPublished: (caBundle: string) => void
  /** The Namespace that owns the configuration; undefined: Dormouse runs outside of the cluster. */
  readonly ownNamespace: string | undefined
  /** The workloads whose scaling needs our answer. */
  readonly held: Pick<HeldWorkloads, 'scope' | 'onChange'>
  /** Probes the webhook once through the API server. */
  readonly probe: (signal: AbortSignal) => Promise<ProbeResult>
  /** Called each time that the proof changes: whether the API servers reach the webhook, and if not, why. */
  readonly onProof: (proven: boolean, why: string, on: EventSubject) => void
  /**
   * Called when somebody keeps overwriting the configuration: with their change (`is pointed at …`) and the
   * milliseconds until we restore it.
   */
  readonly onOverwritten?: (change: string, pause: number, on: EventSubject) => void
  /** Calls the listener at each new serving certificate; returns the function that removes it. */
  readonly onServed: (listener: () => void) => () => void
  readonly probing?: Probing | undefined
  readonly delay?: Delay
}

/**
 * Keeps the MutatingWebhookConfiguration `dormouse` as desired; only the leader runs it. With a `url` it creates the
 * configuration, and again when it is deleted. Inside a cluster the chart creates it, and a missing one stays missing.
 * The webhooks of held workloads turn to Fail once the API server trusts us, has been proven to reach us and, inside,
 * once our Namespace owns the configuration; and back to Ignore when it no longer reaches us. It runs once.
 */
export class WebhookRegistration implements Runnable {
  readonly name = 'webhook registration'
  readonly #options: WebhookRegistrationOptions
  readonly #delay: Delay
  readonly #writer: ConfigurationWriter
  readonly #proof: WebhookProof
  readonly #life = new AbortController()
  /** The configuration by the latest event of the watch; undefined before the first. */
  #seen: { readonly object: Configuration | undefined } | undefined
  /** The configuration before it was deleted. */
  #latest: Configuration | undefined
  #ended: Promise<unknown> = Promise.resolve()
  #wake: () => void = () => {}
  #dirty = false
  #isPoked = false
  /** The bundle of the latest proof. */
  #probedWith: string | undefined
  /** The webhooks as we last wrote them; undefined once somebody's change of them was handled. */
  #written: readonly MutatingWebhook[] | undefined
  /**
   * The version that our latest write replaced, until the watch has its result. ABSENT: we created the configuration.
   */
  #writtenOver: string | undefined
  #overwrites = new OverwriteBackoff()
  /** Whether it waits before it restores the configuration. */
  #isPaused = false

  constructor(options: WebhookRegistrationOptions) {
    this.#options = options
    this.#delay = options.delay ?? systemDelay
    this.#writer = new ConfigurationWriter(options.client, this.#delay)
    const { probe, probing, logger, onProof } = options
    this.#proof = new WebhookProof({
      probe,
      isInForce: () =>
        this.#seen?.object?.webhooks?.some(({ failurePolicy }) => failurePolicy === 'Fail') === true,
      onChange: (proof, why) => {
        if (this.#seen?.object) onProof(proof === 'proven', why, subjectOf(this.#seen.object))
        this.#poke()
      },
      logger,
      probing,
    })
  }

  /** Resolves at once: a configuration that cannot be written does not delay the leader's other parts. */
  async start(): Promise<void> {
    const { signal } = this.#life
    const { client, logger, onCaBundle, onServed, held } = this.#options
    const unsubscribe = [
      onCaBundle(() => this.#poke()),
      held.onChange(() => this.#pokeSoon(signal)),
      onServed(() => {
        if (this.#proof.hasBegun) this.#proof.begin()
      }),
    ]
    signal.addEventListener('abort', () => {
      for (const each of unsubscribe) each()
      this.#poke()
    })
    const watching = watchObject<Configuration>(
      { client, logger, reference: CONFIGURATION, delay: this.#delay },
      (object) => {
        this.#seen = { object }
        this.#latest = object ?? this.#latest
        if (!object || versionOf(object) !== this.#writtenOver) this.#writtenOver = undefined
        this.#poke()
      },
      signal,
    )
    this.#ended = Promise.all([watching, this.#run(signal)])
  }

  /** Resolves when no call is in flight. */
  async stop(): Promise<void> {
    this.#life.abort()
    await Promise.all([this.#ended, this.#proof.stop()])
  }

  #poke(): void {
    this.#dirty = true
    this.#wake()
  }

  /** Pins and overrides come in bursts: changes within a moment are one write. */
  #pokeSoon(signal: AbortSignal): void {
    if (this.#isPoked) return
    this.#isPoked = true
    const poke = () => {
      this.#isPoked = false
      this.#poke()
    }
    void this.#delay(SOON, signal).then(poke, poke)
  }

  async #run(signal: AbortSignal): Promise<void> {
    let failures = 0
    while (!signal.aborted) {
      if (!this.#dirty) await new Promise<void>((resolve) => (this.#wake = resolve))
      this.#dirty = false
      if (signal.aborted || !this.#seen) continue
      try {
        await this.#reconcile(this.#seen.object, signal)
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

  async #reconcile(object: Configuration | undefined, signal: AbortSignal): Promise<void> {
    const { url, logger, caBundle, onPublished, ownNamespace, mayWrite = () => true } = this.#options
    if (!mayWrite() || this.#writtenOver === versionOf(object)) return
    if (!object) {
      if (url !== null) return this.#create(signal)
      logger.warn(`there is no MutatingWebhookConfiguration ${CONFIGURATION.name}: the chart brings it`)
      return
    }
    if (object.metadata.deletionTimestamp !== undefined) return
    const present = object.webhooks ?? []
    const bundle = caBundle()
    const trusted = isTrusted(present, bundle)
    if (trusted && bundle !== undefined) onPublished(bundle)
    const tied = ownNamespace === undefined || isOwned(object, ownNamespace)
    const desired = desiredWebhooks(this.#options, bundle, present, this.#standing(trusted && tied, present))
    const changes = webhookChanges(object, desired)
    if (changes.length === 0 && tied) return this.#probe(bundle)
    const isUndone = !tied || !isDeepStrictEqual(present, this.#written)
    if (this.#isPaused || (isUndone && this.#pauses(object, desired, signal)))
      return this.#ignoreAtOnce(object, desired, signal)
    const owner = await this.#owner(signal)
    if (owner === 'going') {
      logger.info(
        { namespace: ownNamespace },
        'the Namespace is going: the webhook configuration is left alone',
      )
      return
    }
    const all = [...changes, ...ownerChanges(object, owner)]
    if (!(await this.#writer.patch(object, all, signal))) return
    this.#writtenOver = versionOf(object)
    this.#written = desired
    logger.info({ changed: all.map(({ path }) => path) }, 'the webhook configuration was put right')
  }

  /**
   * Starts a pause if somebody keeps overwriting what we wrote and `desired` still asks for it; true: it has started.
   * `object`: undefined if they deleted it.
   */
  #pauses(
    object: Configuration | undefined,
    desired: readonly MutatingWebhook[],
    signal: AbortSignal,
  ): boolean {
    if (!this.#written || !this.#latest || !sameButPolicy(this.#written, desired)) return false
    const pause = this.#overwrites.overwritten(performance.now())
    if (pause === 0) return false
    this.#options.onOverwritten?.(changeOf(object, desired), pause, subjectOf(this.#latest))
    this.#written = undefined
    this.#isPaused = true
    const ended = () => {
      if (signal.aborted) return
      this.#isPaused = false
      this.#poke()
    }
    void this.#delay(pause, signal).then(ended, ended)
    return true
  }

  /** Applies even during a pause: no scaling may fail because our answer is missing. */
  async #ignoreAtOnce(
    object: Configuration,
    desired: readonly MutatingWebhook[],
    signal: AbortSignal,
  ): Promise<void> {
    const ignoring = ignoredWhereAsked(object.webhooks ?? [], desired)
    const changes = webhookChanges(object, ignoring)
    if (changes.length === 0 || !(await this.#writer.patch(object, changes, signal))) return
    this.#writtenOver = versionOf(object)
    this.#options.logger.info('the webhook is not reached, so scaling does not wait for it any more')
  }

  /** Starts a proof for a configuration that is as desired, and another when its bundle has changed. */
  #probe(bundle: string | undefined): void {
    if (this.#proof.hasBegun && this.#probedWith === bundle) return
    this.#probedWith = bundle
    this.#proof.begin()
  }

  async #create(signal: AbortSignal): Promise<void> {
    if (this.#isPaused) return
    const owner = await this.#owner(signal)
    if (owner === 'going') return
    const webhooks = desiredWebhooks(this.#options, this.#options.caBundle(), [], this.#standing(false, []))
    if (this.#pauses(undefined, webhooks, signal)) return
    if (!(await this.#writer.create(webhooks, owner, signal))) return
    this.#writtenOver = ABSENT
    this.#written = webhooks
    this.#options.logger.info('the webhook configuration was created')
  }

  #standing(isTied: boolean, present: readonly MutatingWebhook[]): Standing {
    const held = this.#options.held.scope(writtenScope(heldScaleOf(present)))
    return { isTied, proof: this.#proof.state, held }
  }

  async #owner(signal: AbortSignal): Promise<OwnerReference | 'going' | undefined> {
    const { client, ownNamespace } = this.#options
    return ownNamespace === undefined ? undefined : namespaceOwner(client, ownNamespace, signal)
  }
}

const ABSENT = ''
/** Milliseconds; including the write itself, a pin is listed within a second. */
const SOON = 250

function versionOf(object: Configuration | undefined): string {
  return object?.metadata.resourceVersion ?? ABSENT
}

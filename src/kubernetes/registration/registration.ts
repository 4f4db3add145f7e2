import { isDeepStrictEqual } from 'node:util'
import { systemLater, type Later, type Monotonic } from '../../process/clock.ts'
import { Companions } from '../../process/companions.ts'
import { delay as systemDelay, retryDelay, type Delay } from '../../process/delay.ts'
import type { Logger } from '../../process/logger.ts'
import type { Runnable } from '../../process/runnable.ts'
import type { OwnerReference } from '../api-object.ts'
import type { KubernetesClient } from '../client.ts'
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
import { writtenScope } from './held-scope.ts'
import type { HeldWorkloads } from './held-workloads.ts'
import { OwnWrites } from './own-writes.ts'
import type { ProbeResult } from './probe.ts'
import type { StrangeNamespaces } from './strange-namespaces.ts'
import { WebhookProof, type Probing, type Proof } from './proof.ts'
import {
  desiredWebhooks,
  heldScaleOf,
  ignoredWhereAsked,
  isTrusted,
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
  /** The namespaces whose scalings need no review; default: none. */
  readonly strange?: Pick<StrangeNamespaces, 'names' | 'onChange'>
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
  readonly later?: Later
  readonly monotonic?: Monotonic
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
  readonly #loop: Companions
  readonly #writer: ConfigurationWriter
  readonly #own: OwnWrites
  readonly #proof: WebhookProof
  readonly #life = new AbortController()
  /** The configuration by the latest event of the watch; undefined before the first. */
  #seen: { readonly object: Configuration | undefined } | undefined
  #watching: Promise<void> | undefined
  /** The bundle of the latest proof. */
  #probedWith: string | undefined

  constructor(options: WebhookRegistrationOptions) {
    const { client, logger, delay = systemDelay, later = systemLater } = options
    this.#options = options
    this.#loop = new Companions({
      name: this.name,
      reconcile: (_, signal) => this.#reconcile(signal),
      failed: (err, _, times) => {
        logger.warn({ err }, 'the webhook configuration could not be put right')
        return retryDelay(times, 200, 30_000)
      },
      mayWrite: options.mayWrite,
      later,
      monotonic: options.monotonic,
    })
    this.#writer = new ConfigurationWriter(client, delay)
    this.#own = new OwnWrites({
      paused: (...overwritten) => options.onOverwritten?.(...overwritten),
      pauseEnded: () => this.#loop.changed(),
      later,
    })
    const { probe, probing } = options
    this.#proof = new WebhookProof({
      probe,
      isInForce: () => this.#isInForce(),
      onChange: (...proof) => this.#proven(...proof),
      logger,
      probing,
    })
  }

  /** Resolves at once: a configuration that cannot be written does not delay the leader's other parts. */
  async start(): Promise<void> {
    const { signal } = this.#life
    const { client, logger, delay, onCaBundle, onServed, held, strange } = this.#options
    await this.#loop.start()
    const unsubscribe = [
      onCaBundle(() => this.#loop.changed()),
      // Pins and overrides come in bursts: changes within a moment are one write.
      held.onChange(() => this.#loop.changed(undefined, SOON)),
      strange?.onChange((isUrgent) => this.#loop.changed(undefined, isUrgent ? 0 : SOON)),
      onServed(() => {
        if (this.#proof.hasBegun) this.#proof.begin()
      }),
    ]
    signal.addEventListener('abort', () => {
      for (const each of unsubscribe) each?.()
    })
    this.#watching = watchObject<Configuration>(
      { client, logger, reference: CONFIGURATION, ...(delay && { delay }) },
      (object) => {
        this.#seen = { object }
        this.#own.seen(object)
        this.#loop.changed()
      },
      signal,
    )
  }

  /** Resolves when no call is in flight. */
  async stop(): Promise<void> {
    this.#life.abort()
    await Promise.all([this.#watching, this.#loop.stop(), this.#proof.stop()])
    // A write in flight may have begun a pause.
    this.#own.stop()
  }

  async #reconcile(signal: AbortSignal): Promise<undefined> {
    if (!this.#seen || this.#own.areOnTheirWay(this.#seen.object)) return
    const { object } = this.#seen
    if (object) await this.#putRight(object, signal)
    else if (this.#options.url !== null) await this.#create(signal)
    else this.#options.logger.warn(NOT_THERE)
  }

  async #putRight(object: Configuration, signal: AbortSignal): Promise<void> {
    if (object.metadata.deletionTimestamp !== undefined) return
    const { logger, caBundle, onPublished, ownNamespace } = this.#options
    const present = object.webhooks ?? []
    const bundle = caBundle()
    const isTied = ownNamespace === undefined || isOwned(object, ownNamespace)
    const trusted = isTrusted(present, bundle)
    if (trusted && bundle !== undefined) onPublished(bundle)
    const desired = desiredWebhooks(
      this.#options,
      bundle,
      present,
      this.#standing(trusted && isTied, present),
    )
    const changes = webhookChanges(object, desired)
    if (changes.length === 0 && isTied) return this.#probe(bundle)
    if (await this.#writer.turn(signal)) return this.#reconcile(signal)

    const isUndone = !isTied || !isDeepStrictEqual(present, this.#own.written)
    if (this.#own.arePaused || (isUndone && this.#own.pauseIfUndone(object, desired)))
      return this.#ignoreAtOnce(object, desired, signal)
    const owner = await this.#owner(signal)
    if (owner === 'going') return logger.info({ namespace: ownNamespace }, GOING)
    const all = [...changes, ...ownerChanges(object, owner)]
    if (!(await this.#writer.patch(object, all, signal))) return
    this.#own.wrote(object, desired)
    logger.info({ changed: all.map(({ path }) => path) }, 'the webhook configuration was put right')
  }

  async #create(signal: AbortSignal): Promise<void> {
    if (this.#own.arePaused) return
    const owner = await this.#owner(signal)
    if (owner === 'going') return
    const desired = desiredWebhooks(this.#options, this.#options.caBundle(), [], this.#standing(false, []))
    if (this.#own.pauseIfUndone(undefined, desired)) return
    if (!(await this.#writer.create(desired, owner, signal))) return
    this.#own.wrote(undefined, desired)
    this.#options.logger.info('the webhook configuration was created')
  }

  /** Applies even during a pause: no scaling may fail because our answer is missing. */
  async #ignoreAtOnce(
    object: Configuration,
    desired: readonly MutatingWebhook[],
    signal: AbortSignal,
  ): Promise<void> {
    const changes = webhookChanges(object, ignoredWhereAsked(object.webhooks ?? [], desired))
    if (changes.length === 0 || !(await this.#writer.patch(object, changes, signal))) return
    this.#own.wrote(object, undefined)
    this.#options.logger.info('the webhook is not reached, so scaling does not wait for it any more')
  }

  #standing(isTied: boolean, present: readonly MutatingWebhook[]): Standing {
    const { held, strange } = this.#options
    const scope = held.scope(writtenScope(heldScaleOf(present)))
    return { isTied, proof: this.#proof.state, held: scope, strange: strange?.names ?? [] }
  }

  async #owner(signal: AbortSignal): Promise<OwnerReference | 'going' | undefined> {
    const { client, ownNamespace } = this.#options
    return ownNamespace === undefined ? undefined : namespaceOwner(client, ownNamespace, signal)
  }

  /** Starts a proof for a configuration that is as desired, and another when its bundle has changed. */
  #probe(bundle: string | undefined): void {
    if (this.#proof.hasBegun && this.#probedWith === bundle) return
    this.#probedWith = bundle
    this.#proof.begin()
  }

  #isInForce(): boolean {
    return this.#seen?.object?.webhooks?.some(({ failurePolicy }) => failurePolicy === 'Fail') === true
  }

  #proven(proof: Proof, why: string): void {
    if (this.#seen?.object) this.#options.onProof(proof === 'proven', why, subjectOf(this.#seen.object))
    this.#loop.changed()
  }
}

/** Milliseconds; including the write itself, a pin is listed within a second. */
const SOON = 250
const NOT_THERE = `there is no MutatingWebhookConfiguration ${CONFIGURATION.name}: the chart brings it`
const GOING = 'the Namespace is going: the webhook configuration is left alone'

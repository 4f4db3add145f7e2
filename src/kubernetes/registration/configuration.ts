import { isDeepStrictEqual } from 'node:util'
import { FIELD_MANAGER } from '../../domain/workload/workload.ts'
import { TokenBucket } from '../../process/token-bucket.ts'
import type { KubernetesObject, OwnerReference } from '../api-object.ts'
import type { KubernetesClient } from '../client.ts'
import type { Delay } from '../../process/delay.ts'
import { onStatus } from '../failures.ts'
import type { EventSubject } from '../ports.ts'
import type { ObjectReference } from '../single-object.ts'
import { urlOf, type MutatingWebhook } from './webhooks.ts'

/** The MutatingWebhookConfiguration `dormouse`. */
export interface Configuration extends KubernetesObject {
  readonly webhooks?: readonly MutatingWebhook[]
}

/** An operation of a JSON Patch. */
interface Operation {
  readonly op: 'add' | 'replace'
  readonly path: string
  readonly value: unknown
}

const TYPE = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration' } as const
export const CONFIGURATION: ObjectReference = {
  resource: 'mutatingwebhookconfigurations',
  path: '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  name: 'dormouse',
}
const MANAGED = `fieldManager=${FIELD_MANAGER}`
/** A burst of writes goes out at once; the rate limits a fight with another writer who keeps undoing them. */
const WRITES_PER_SECOND = 1
const WRITE_BURST = 20

/** Writes the configuration, at a limited rate. Throws `ClusterRefusal` and the signal's reason. */
export class ConfigurationWriter {
  readonly #client: Pick<KubernetesClient, 'call'>
  readonly #delay: Delay
  readonly #bucket = new TokenBucket(WRITES_PER_SECOND, WRITE_BURST)

  constructor(client: Pick<KubernetesClient, 'call'>, delay: Delay) {
    this.#client = client
    this.#delay = delay
  }

  /** Waits for the turn of the next write. Whether it had to: what was to be written may have changed meanwhile. */
  async turn(signal: AbortSignal): Promise<boolean> {
    for (let waited = false; ; waited = true) {
      const wait = this.#bucket.wait(performance.now())
      if (wait === 0) return waited
      await this.#delay(wait, signal)
    }
  }

  /** False: it exists already; somebody else created it first. */
  async create(
    webhooks: readonly MutatingWebhook[],
    owner: OwnerReference | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    const metadata = {
      name: CONFIGURATION.name,
      labels: { 'app.kubernetes.io/managed-by': FIELD_MANAGER },
      ...(owner && { ownerReferences: [owner] }),
    }
    return this.#write('POST', '', { ...TYPE, metadata, webhooks }, signal)
  }

  /** False: it was changed or deleted meanwhile. */
  async patch(
    { metadata: { resourceVersion } }: Configuration,
    changes: readonly Operation[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const same: Operation = { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion }
    return this.#write('PATCH', `/${CONFIGURATION.name}`, [same, ...changes], signal)
  }

  /** False on 404 and 409: the watch then delivers the other writer's version. */
  async #write(
    method: 'POST' | 'PATCH',
    below: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<boolean> {
    const contentType = method === 'PATCH' ? 'application/json-patch+json' : 'application/json'
    const { resource } = CONFIGURATION
    const path = `${CONFIGURATION.path}${below}?${MANAGED}`
    await this.turn(signal)
    this.#bucket.take()
    const written = this.#client.call({ method, resource, path, contentType, body, signal }).then(() => true)
    return written.catch(onStatus([404, 409], false))
  }
}

/**
 * The signs that the configuration belongs to another Dormouse: `belongs to the Namespace staging`,
 * `points at https://else`; undefined: it is ours, or nobody's. @throws ClusterRefusal
 */
export async function otherDormouse(
  client: Pick<KubernetesClient, 'call'>,
  ours: { readonly namespace: string | undefined; readonly url: string | null },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { resource, name } = CONFIGURATION
  // The role has no `get`.
  const path = `${CONFIGURATION.path}?fieldSelector=metadata.name%3D${name}`
  const call = { method: 'GET', verb: 'list', resource, path, signal } as const
  const { items } = await client.call<{ items: readonly Configuration[] }>(call)
  const present = items.find(({ metadata }) => metadata.name === name)
  const owner = present?.metadata.ownerReferences?.find(({ kind }) => kind === 'Namespace')?.name
  if (owner !== undefined) return owner === ours.namespace ? undefined : `belongs to the Namespace ${owner}`
  const url = urlOf(present?.webhooks ?? [])
  return url === undefined || url === ours.url?.replace(/\/+$/, '') ? undefined : `points at ${url}`
}

/** Deletes the configuration, if it exists. @throws ClusterRefusal */
export async function deleteWebhookConfiguration(client: Pick<KubernetesClient, 'call'>): Promise<void> {
  const path = `${CONFIGURATION.path}/${CONFIGURATION.name}`
  const call = { method: 'DELETE', resource: CONFIGURATION.resource, path } as const
  await client.call(call).catch(onStatus([404], undefined))
}

/**
 * The owner reference to a Namespace, so that the configuration is deleted with it; `going`: the Namespace is being
 * deleted, or is deleted. @throws ClusterRefusal
 */
export async function namespaceOwner(
  client: Pick<KubernetesClient, 'call'>,
  namespace: string,
  signal: AbortSignal,
): Promise<OwnerReference | 'going'> {
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}`
  const call = { method: 'GET', resource: 'namespaces', path, signal } as const
  const found = await client.call<KubernetesObject>(call).catch(onStatus([404], undefined))
  if (!found || found.metadata.deletionTimestamp !== undefined) return 'going'
  return { apiVersion: 'v1', kind: 'Namespace', name: namespace, uid: found.metadata.uid }
}

export function isOwned({ metadata }: Configuration, namespace: string): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind, name }) => kind === 'Namespace' && name === namespace)
}

/** The operations that set the desired webhooks; empty if they are equal. */
export function webhookChanges(
  { webhooks }: Configuration,
  desired: readonly MutatingWebhook[],
): readonly Operation[] {
  return isDeepStrictEqual(webhooks, desired) ? [] : [{ op: 'add', path: '/webhooks', value: desired }]
}

/** The operations that add the owner, in place of a deleted Namespace of the same name. */
export function ownerChanges(
  { metadata }: Configuration,
  owner: OwnerReference | undefined,
): readonly Operation[] {
  const present = metadata.ownerReferences ?? []
  if (!owner || present.some(({ uid }) => uid === owner.uid)) return []
  const others = present.filter(({ kind, name }) => kind !== owner.kind || name !== owner.name)
  return [{ op: 'add', path: '/metadata/ownerReferences', value: [...others, owner] }]
}

/** The configuration, for Events on it. */
export function subjectOf({ metadata }: Configuration): EventSubject {
  const { name, uid, resourceVersion } = metadata
  return { namespace: 'default', name, uid, resourceVersion, reference: { ...TYPE, name } }
}

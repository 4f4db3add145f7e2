import type { PatchOperation } from '../domain/json-patch.ts'
import { apiVersionOf, isBuiltIn, resourceOf, type ConfiguredKind } from '../domain/kinds.ts'
import { FIELD_MANAGER, type BuiltInKind, type WorkloadKey } from '../domain/workload/workload.ts'
import { ApiCalls, describe, type ApiCallsOptions, type Call } from './api-calls.ts'
import type { ObjectList, PatchAnswer, Read, WatchEvent, WorkloadObject } from './api-object.ts'
import { ClusterRefusal, unanswered } from './failures.ts'
import type { HttpResponse } from './exchange.ts'
import { listedObjects } from './list-stream.ts'
import { readReplicaSet } from './owned-replica-set.ts'
import { watchEvents } from './watch-stream.ts'

/**
 * The objects of a list or watch: `deployments` at `/apis/apps/v1/deployments`, perhaps only those that a selector
 * matches.
 */
export interface Collection {
  readonly resource: string
  readonly path: string
  readonly fieldSelector?: string
  readonly labelSelector?: string
  /** Only the metadata of its objects (`PartialObjectMetadata`). */
  readonly metadataOnly?: boolean
  /** Called before each list to find the path, which `path` then returns. */
  readonly discover?: (signal: AbortSignal) => Promise<void>
  /** Reads one object's JSON, and may leave out what its sink does not need; default: `JSON.parse`. */
  readonly read?: (text: string) => unknown
}

export interface WriteLimits {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the answer must be there; undefined: as for any call. */
  readonly timeout?: number | undefined
}

export interface PatchOptions extends WriteLimits {
  readonly subresource?: 'status' | undefined
  /** The server stores nothing; it answers as if it had. */
  readonly dryRun?: boolean | undefined
}

interface WatchOptions {
  readonly resourceVersion: string
  /** When the server is to end it. */
  readonly timeoutSeconds: number
  /** Milliseconds without anything after which the events throw. */
  readonly silence: number
  readonly signal: AbortSignal
}

const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1, application/json'
/**
 * The path at which the cluster serves a configured kind: `/apis/argoproj.io/v1alpha1`. `left`: where it does so no more, so it is
 * looked for again.
 */
type Locate = (
  kind: ConfiguredKind,
  signal: AbortSignal | undefined,
  left: string | undefined,
) => Promise<string>

const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json'

/**
 * Calls to the API server. They throw `ClusterRefusal`: CLUSTER_UNAVAILABLE (no answer, 5xx, and 429 after retries;
 * `retryAfter` in seconds), NOT_FOUND (404), CLUSTER_REJECTED (other 4xx; details `{status, message, reason}`). An
 * aborted signal throws its own reason.
 */
export class KubernetesClient {
  readonly #calls: ApiCalls
  readonly #locate: Locate | undefined

  /** `locate`: where the cluster serves a configured kind. */
  constructor({ locate, ...options }: ApiCallsOptions & { locate?: Locate }) {
    this.#locate = locate
    this.#calls = new ApiCalls(options)
  }

  async get(key: WorkloadKey, signal?: AbortSignal): Promise<WorkloadObject> {
    return this.#at(key, signal, (path) => this.call({ method: 'GET', resource: key.kind, path, signal }))
  }

  /**
   * One page; `continueToken` is the `metadata.continue` of the page before, empty for the first. It and each part of
   * it may take three times as long as other calls, all of it together twelve times, and it is never retried here.
   * `signal` also ends its objects.
   */
  async listPage<Listed>(
    collection: Collection,
    limit: number,
    continueToken: string,
    signal: AbortSignal,
  ): Promise<ObjectList<Listed>> {
    if (continueToken === '') await collection.discover?.(signal)
    const { resource, path, fieldSelector, labelSelector, metadataOnly, read } = collection
    const query = queryOf({ limit, continue: continueToken || undefined, fieldSelector, labelSelector })
    const timeout = this.#calls.timeout * 3
    const accept = metadataOnly === true ? { accept: METADATA_LIST } : {}
    const call: Call = { method: 'GET', verb: 'list', resource, path: `${path}?${query}`, timeout, ...accept }
    const late = new AbortController()
    const { body } = await this.#calls.stream(call, timeout, AbortSignal.any([signal, late.signal]))
    const bounded = endingWithin(timeout * 4, body, late)
    return listedObjects(explained(describe(call), bounded, signal), read as Read<Listed> | undefined)
  }

  /** Resolves once the watch is connected; its events end when the server ends it. Never retried here. */
  async watch<Watched>(
    { resource, path, fieldSelector, labelSelector, metadataOnly, read }: Collection,
    { resourceVersion, timeoutSeconds, silence, signal }: WatchOptions,
  ): Promise<AsyncIterable<WatchEvent<Watched>>> {
    const query = queryOf({
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion,
      timeoutSeconds,
      fieldSelector,
      labelSelector,
    })
    const accept = metadataOnly === true ? { accept: METADATA_ONLY } : {}
    const call: Call = { method: 'GET', verb: 'watch', resource, path: `${path}?${query}`, ...accept }
    const { body } = await this.#calls.stream(call, silence, signal)
    return watchEvents(explained(describe(call), body, signal), read as Read<Watched> | undefined)
  }

  /** Sends one JSON Patch, of the status if named, under our field manager; the answer holds the metadata at least. */
  async patch(
    key: WorkloadKey,
    operations: readonly PatchOperation[],
    { subresource, dryRun, ...limits }: PatchOptions = {},
  ): Promise<PatchAnswer> {
    const within = subresource ? `/${subresource}` : ''
    const query = dryRun === true ? '&dryRun=All' : ''
    const call = { method: 'PATCH', contentType: 'application/json-patch+json', body: operations } as const
    return this.#write(key, call, limits, within, query)
  }

  /**
   * Replaces the object by this one if it still has its uid and resourceVersion (else 409), under our field manager; the
   * answer holds the metadata at least.
   */
  async replace(key: WorkloadKey, object: WorkloadObject, limits: WriteLimits): Promise<PatchAnswer> {
    return this.#write(key, { method: 'PUT', body: object }, limits)
  }

  #write(
    key: WorkloadKey,
    call: Pick<Call, 'method' | 'contentType' | 'body'>,
    { signal, timeout }: WriteLimits,
    within = '',
    query = '',
  ): Promise<PatchAnswer> {
    return this.#at(key, signal, (path) =>
      this.call({
        ...call,
        resource: key.kind,
        path: `${path}${within}?fieldManager=${FIELD_MANAGER}${query}`,
        accept: METADATA_ONLY,
        signal,
        timeout,
      }),
    )
  }

  /**
   * Calls a workload's path; once more where its definition has moved to another version: then nothing is served at
   * the old one, and nothing was carried out.
   */
  async #at<Answer>(
    key: WorkloadKey,
    signal: AbortSignal | undefined,
    send: (path: string) => Promise<Answer>,
  ): Promise<Answer> {
    const { kind } = key
    const within = pathWithin(key)
    if (isBuiltIn(kind)) return send(`/apis/${apiVersionOf(kind)}${within}`)
    const base = await this.#locate?.(kind, signal, undefined)
    try {
      return await send(`${base}${within}`)
    } catch (error) {
      if (!(error instanceof ClusterRefusal) || !error.isUnserved) throw error
      const moved = await this.#locate?.(kind, signal, base)
      if (moved === base) throw error
      return send(`${moved}${within}`)
    }
  }

  /** Any call; the type of the answer is not checked. */
  async call<Answer>(call: Call): Promise<Answer> {
    return JSON.parse((await this.#calls.answer(call)).text)
  }

  /** As `call` of a workload, with the warnings of the API server and its admission webhooks. */
  async answered(call: Call): Promise<{ answer: WorkloadObject; warnings: string[] }> {
    const { text, headers } = await this.#calls.answer(call)
    return { answer: JSON.parse(text), warnings: warningsOf(headers) }
  }
}

/** @throws TypeError without a name: the path would be the collection's, and a GET would list the whole cluster */
function pathWithin({ kind, namespace, name }: WorkloadKey): string {
  for (const part of [namespace, name])
    if (part === '' || part === '.' || part === '..')
      throw new TypeError(`${kind} '${namespace}/${name}' is not the name of a workload`)
  const { resource } = resourceOf(kind)
  return `/namespaces/${encodeURIComponent(namespace)}/${resource}/${encodeURIComponent(name)}`
}

/** The body, aborted by `late` so many milliseconds after reading began: a body that trickles is never silent. */
async function* endingWithin(
  milliseconds: number,
  body: AsyncIterable<Buffer>,
  late: AbortController,
): AsyncGenerator<Buffer> {
  const giveUp = () => late.abort(new DOMException('the page did not end', 'TimeoutError'))
  // A page that is not read to its end must not keep the process alive.
  const timer = setTimeout(giveUp, milliseconds).unref()
  try {
    yield* body
  } catch (error) {
    throw late.signal.aborted ? late.signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}

/** The body, with errors that name the call: the signal's reason, or a refusal because the body stopped. */
async function* explained(
  what: string,
  body: AsyncIterable<Buffer>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  try {
    yield* body
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw unanswered(what, error)
  }
}

/** All workloads of one kind. */
export function workloadsOf(kind: BuiltInKind): Collection {
  const collection = { resource: kind, path: `/apis/${apiVersionOf(kind)}/${kind}` }
  return kind === 'replicasets' ? { ...collection, read: readReplicaSet } : collection
}

/** All Namespaces, without spec and status. */
export const NAMESPACES: Collection = {
  resource: 'namespaces',
  path: '/api/v1/namespaces',
  metadataOnly: true,
}

function queryOf(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) query.set(name, String(value))
  }
  return query.toString()
}

/** A quoted string of RFC 9110, section 5.6.4. */
const WARNING = /\b299 \S+ "((?:[^"\\]|\\.)*)"/g

/** The texts of an answer's `Warning` headers with code 299 (RFC 7234, section 5.5): admission webhooks cause them. */
function warningsOf(headers: HttpResponse['headers']): string[] {
  return [headers['warning'] ?? []]
    .flat()
    .flatMap((header) => Array.from(header.matchAll(WARNING), ([, text = '']) => text))
    .map((text) => text.replaceAll(/\\(.)/g, '$1'))
}

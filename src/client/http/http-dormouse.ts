import { KINDS, TYPE_OF, isBuiltIn, typeOf, isKind } from '../../domain/kinds.ts'
import type { NamespaceRecord } from '../../domain/records/namespace-record.ts'
import type { Hours } from '../../domain/requests/as-if.ts'
import type { StatusRecord, TransitionRecord } from '../../domain/records/record.ts'
import { callOf } from '../../domain/requests/call.ts'
import type { Request } from '../../domain/requests/operations.ts'
import type { Kind, WorkloadKey } from '../../domain/workload/workload.ts'
import { Refusal, UsageError } from '../../process/errors.ts'
import { inOrder } from '../order.ts'
import type { Answer, Dormouse, Found, Seen, Selection, Whoami } from '../ports.ts'
import { HttpCalls, type HttpCall, type Transport } from './calls.ts'
import { followStream, type ListStream, pollList } from './list-changes.ts'

const PAGE = 500

interface Options {
  /** `https://dormouse.example`, below which its API is. */
  readonly place: string
  readonly transport: Transport
  readonly warn: (text: string) => void
  /** Ends reads; a request finishes. */
  readonly signal: AbortSignal
}

/** `GET /api/v1`, as far as it is read here; a former release has less. */
interface Index extends Partial<Whoami> {
  readonly kinds?: readonly string[]
}

/** Dormouse over its HTTP API, for CI and for people without a kubeconfig. */
export class HttpDormouse implements Dormouse {
  readonly place: string
  readonly defaultNamespace = 'default'
  readonly notes: readonly string[] = []
  /** The service knows all. */
  readonly unknowns: readonly string[] = []
  readonly #calls: HttpCalls
  readonly #warn: Options['warn']
  #kinds: Promise<readonly Kind[]> | undefined

  constructor({ place, transport, warn, signal }: Options) {
    this.place = place
    this.#warn = warn
    this.#calls = new HttpCalls(`${place}/api/v1`, transport, signal)
  }

  async whoami(): Promise<Whoami> {
    const { cluster = null, user = null } = await this.#index()
    return { cluster, user }
  }

  /** The API does not tell its version. */
  async serviceVersion(): Promise<undefined> {}

  kinds(): Promise<readonly Kind[]> {
    return (this.#kinds ??= this.#readKinds())
  }

  async #readKinds(): Promise<readonly Kind[]> {
    const { kinds } = await this.#index()
    return kinds?.filter(isKind) ?? KINDS
  }

  async #index(): Promise<Index> {
    const { data } = await this.#calls.send<Index>({ method: 'GET', path: '' })
    return data
  }

  async namespaces(): Promise<readonly string[]> {
    const found = await this.#pages<{ name: string }>('/namespaces', { limit: PAGE })
    return found.map(({ name }) => name)
  }

  /** The API shows none of which the caller may see nothing. */
  async hasNamespace(): Promise<undefined> {}

  async list({ namespace, kind, labelSelector, name }: Selection): Promise<readonly Found[]> {
    if (name !== undefined && kind !== undefined && namespace !== undefined)
      return [await this.get({ kind, namespace, name })]
    const records = await this.#pages<StatusRecord>('/workloads', {
      namespace,
      kind,
      labelSelector,
      limit: PAGE,
    })
    const kinds = await this.#kindsOf(records)
    const found = records.flatMap((record) => {
      const of = kinds.get(record.type)
      return of === undefined ? [] : [{ kind: of, record }]
    })
    return inOrder(found)
  }

  async summaries({ namespace, ...narrowed }: Selection): Promise<readonly NamespaceRecord[]> {
    if (namespace === undefined)
      return this.#pages<NamespaceRecord>('/namespaces', { ...narrowed, limit: PAGE })
    const path = `/namespaces/${encodeURIComponent(namespace)}`
    const { data } = await this.#calls.send<NamespaceRecord>({ method: 'GET', path, query: narrowed })
    return [data]
  }

  /** The kinds of these types; asks for configured kinds only if there are any. */
  async #kindsOf(records: readonly StatusRecord[]): Promise<ReadonlyMap<string, Kind>> {
    const builtIn = new Map<string, Kind>(KINDS.map((kind) => [TYPE_OF[kind], kind]))
    if (records.every(({ type }) => builtIn.has(type))) return builtIn
    const configured = (await this.kinds()).filter((kind) => !isBuiltIn(kind))
    return new Map([...configured.map((kind): [string, Kind] => [typeOf(kind), kind]), ...builtIn])
  }

  async #pages<Item>(path: string, query: NonNullable<HttpCall['query']>): Promise<Item[]> {
    const items: Item[] = []
    let token: string | undefined
    do {
      const page = await this.#calls.send<Item[]>({
        method: 'GET',
        path,
        query: { ...query, continue: token },
      })
      items.push(...page.data)
      token = page.continue ?? undefined
    } while (token !== undefined)
    return items
  }

  async get(key: WorkloadKey): Promise<Found> {
    const { data } = await this.#calls.send<StatusRecord>({ method: 'GET', path: pathOf(key) })
    return { kind: key.kind, record: data }
  }

  /** The service has no right to read pods. */
  async podTrouble(): Promise<undefined> {}

  async plan(key: WorkloadKey, hours: number, asIf?: Hours): Promise<readonly TransitionRecord[]> {
    return await this.#pages<TransitionRecord>(`${pathOf(key)}/plan`, { hours, ...asIf })
  }

  async request(key: WorkloadKey, request: Request, dryRun: boolean): Promise<Answer> {
    const asked = callOf(request)
    if (!asked)
      throw new UsageError(
        `${request.action} is no operation of the API: leave --server out to ask through the cluster`,
      )
    const { query, path, ...call } = asked
    const dry = dryRun ? { dryRun: true } : {}
    const { message, data } = await this.#calls.send<StatusRecord>({
      ...call,
      path: `${pathOf(key)}${path}`,
      query: { ...query, ...dry },
    })
    const said = message.replace(/^dry run, nothing was changed: /, '')
    return { messages: [said], after: async () => ({ kind: key.kind, record: data }) }
  }

  async *watch(selection: Selection, signal: AbortSignal): AsyncGenerator<Seen> {
    if (selection.name === undefined) yield* followStream(this.#stream(selection), signal)
    else yield* pollList(() => this.#present(selection), this.#warn, signal)
  }

  #stream({ namespace, kind, labelSelector }: Selection): ListStream {
    const call = { path: '/workloads', query: { namespace, kind, labelSelector, watch: true } }
    return {
      open: (signal) => this.#calls.stream(call, signal),
      found: async (record) => {
        const kind = (await this.#kindsOf([record])).get(record.type)
        return kind && { kind, record }
      },
      warn: this.#warn,
    }
  }

  /** A deleted workload is no failure. */
  async #present(selection: Selection): Promise<readonly Found[]> {
    try {
      return await this.list(selection)
    } catch (error) {
      if (error instanceof Refusal && error.code === 'NOT_FOUND') return []
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#calls.close()
  }
}

function pathOf({ namespace, kind, name }: WorkloadKey): string {
  return `/namespaces/${encodeURIComponent(namespace)}/${kind}/${encodeURIComponent(name)}`
}

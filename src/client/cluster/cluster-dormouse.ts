import type { Hours } from '../../domain/requests/as-if.ts'
import type { Clock } from '../../process/clock.ts'
import type { NamespaceRecord } from '../../domain/records/namespace-record.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import type { StatusRecord, TransitionRecord } from '../../domain/records/record.ts'
import type { Request } from '../../domain/requests/operations.ts'
import { typeOf } from '../../domain/kinds.ts'
import type { Trouble } from '../../domain/workload/trouble.ts'
import type { Kind, Workload, WorkloadKey } from '../../domain/workload/workload.ts'
import { Refusal } from '../../process/errors.ts'
import type { WorkloadObject } from '../../kubernetes/api-object.ts'
import type { Collection } from '../../kubernetes/client.ts'
import { KindUnmanageable } from '../../kubernetes/configured-kinds.ts'
import type { HttpTransport } from '../../kubernetes/http.ts'
import { withContext } from '../cluster-names.ts'
import { inOrder } from '../order.ts'
import { printable } from '../../process/printable.ts'
import type { Answer, Dormouse, Found, Seen, Selection, Whoami } from '../ports.ts'
import { explaining, isForbidden, isMissing } from './failures.ts'
import { ClusterReader } from './reader.ts'
import { absenceText, isAbsent, unknownsIn, unvaluedIn } from './service-notes.ts'
import { changesOf } from './watching.ts'
import { ClusterWriter, isSetting } from './writer.ts'

const HOUR = 3_600_000
const NAMESPACE_MISSED = 'you may not read the namespace, so what it sets for its workloads is not shown'
/** Milliseconds for which Namespaces and settings are reused. */
const KNOWN_FOR = 30_000
/** In so many namespaces all workloads are read to say what waits by its order. */
const MOST_READ = 5

interface Options {
  readonly transport: Pick<HttpTransport, 'send' | 'open' | 'close'>
  /** The name of the context. */
  readonly context: string
  readonly namespace: string | undefined
  readonly clock: Clock
  readonly warn: (text: string) => void
  /** Ends reads; a write finishes. */
  readonly signal: AbortSignal
  /** Milliseconds that a read may take; undefined: a minute. */
  readonly patience?: number | undefined
  /** The highest format of the published settings that this program reads; tests play another version. */
  readonly format?: number | undefined
}

/** Dormouse through the cluster: objects are read and patched with the person's own rights. */
export class ClusterDormouse implements Dormouse {
  readonly defaultNamespace: string
  readonly #context: string
  readonly #transport: Options['transport']
  readonly #reader: ClusterReader
  readonly #writer: ClusterWriter
  readonly #clock: Clock
  readonly #warn: Options['warn']
  /** Kinds that the person may not list where they looked last. */
  readonly #unlisted = new Set<Kind>()
  /** Why configured kinds are left out. */
  readonly #unmanageable = new Set<string>()
  /** Whether prices are asked for. */
  #isValued = false
  #readAt: number | undefined

  constructor({ transport, context, namespace, clock, warn, signal, patience, format }: Options) {
    this.#context = context
    this.defaultNamespace = namespace ?? 'default'
    this.#transport = transport
    this.#reader = new ClusterReader(transport, signal, patience, format)
    this.#writer = new ClusterWriter(this.#reader, clock)
    this.#clock = clock
    this.#warn = warn
  }

  get place(): string {
    return `cluster ${withContext(this.clusterName ?? this.#context, this.#context)}`
  }

  get clusterName(): string | undefined {
    return printable(this.#reader.service?.cluster ?? '').trim() || undefined
  }

  get notes(): string[] {
    const unlisted = [...this.#unlisted].join(', ')
    return [
      ...(this.#reader.namespaces.areMissed ? [NAMESPACE_MISSED] : []),
      ...this.#unmanageable,
      ...(unlisted === '' ? [] : [`you may not list ${unlisted}: left out`]),
      ...(this.#isValued ? unvaluedIn(this.#reader) : []),
    ]
  }

  get unknowns(): string[] {
    return unknownsIn(this.#reader)
  }

  async whoami(): Promise<Whoami> {
    const [{ service }, user] = await Promise.all([this.#reader.settled(), this.#reader.user()])
    return { cluster: service.cluster ?? this.#context, user: user ?? null }
  }

  async clusterIds(): Promise<readonly string[]> {
    return this.#reader.clusterIds()
  }

  async serviceVersion(): Promise<string | undefined> {
    return explaining(this.place, async () => {
      // Rules that cannot be compiled are a newer service's, too.
      const [{ service }] = await Promise.all([this.#reader.settled(), this.#reader.rules()])
      return service.version
    })
  }

  async kinds(): Promise<readonly Kind[]> {
    return explaining(this.place, () => this.#reader.kinds())
  }

  async namespaces(): Promise<readonly string[]> {
    return explaining(this.place, () => this.#reader.allNamespaces())
  }

  async hasNamespace(name: string): Promise<boolean | undefined> {
    await explaining(this.place, () => this.#reader.namespace(name))
    return this.#reader.namespaces.isThere(name)
  }

  async list(selection: Selection): Promise<readonly Found[]> {
    this.#refresh()
    return explaining(this.place, async () => {
      // The code that judges them is loaded while the cluster answers.
      const [all, { listedRecord, isListed }] = await Promise.all([this.#all(selection), this.#judging()])
      const isWhole = selection.kind === undefined && selection.labelSelector === undefined
      return inOrder(await this.#founds(all.filter(isListed), listedRecord, isWhole ? all : undefined))
    })
  }

  async summaries(selection: Selection): Promise<readonly NamespaceRecord[]> {
    this.#refresh()
    this.#isValued = true
    return explaining(this.place, async () => {
      const all = await this.#all(selection)
      const [{ summarized }, { rules, now, isListed }, accounting] = await Promise.all([
        import('./summaries.ts'),
        this.#judging(),
        this.#reader.accounting(),
      ])
      const found = summarized(all.filter(isListed), selection.namespace, { now, rules, accounting })
      return found.map((each) => rules.inSum(each))
    })
  }

  async #all({ namespace, kind, labelSelector }: Selection): Promise<Workload[]> {
    const { service } = await this.#reader.settled()
    if (namespace === undefined) await this.#reader.allNamespaces().catch(ifForbidden)
    else await Promise.all([this.#reader.namespace(namespace), this.#reader.refuseExcluded(namespace)])
    const kinds = kind === undefined ? await this.#reader.kinds() : [kind]
    const lists = await Promise.allSettled(
      kinds.map((each) => this.#reader.list(each, namespace, labelSelector)),
    )
    const refused = lists.find((list) => list.status === 'rejected')
    // The refusal concerns this namespace alone.
    if (refused && lists.every(({ status }) => status === 'rejected')) throw refused.reason
    this.#unlisted.clear()
    const found = lists.flatMap((list, place) => {
      if (list.status === 'fulfilled') return list.value
      const each = kinds[place]
      if (list.reason instanceof KindUnmanageable) this.#unmanageable.add(list.reason.message)
      else if (isForbidden(list.reason) && each !== undefined) this.#unlisted.add(each)
      else if (!isMissing(list.reason)) throw list.reason
      return []
    })
    const inReach = found.filter((workload) => !service.excludeNamespaces.has(workload.namespace))
    // Namespaces that may not be listed may still be readable one by one.
    await Promise.all(
      [...new Set(inReach.map((workload) => workload.namespace))].map((name) => this.#reader.namespace(name)),
    )
    return inReach
  }

  /** The program may run for long: a console, or a watch. */
  #refresh(): void {
    const now = this.#clock()
    if (this.#readAt !== undefined && Math.abs(now - this.#readAt) < KNOWN_FOR) return
    if (this.#readAt !== undefined) this.#reader.refresh()
    this.#readAt = now
  }

  async get(key: WorkloadKey): Promise<Found> {
    this.#refresh()
    return explaining(this.place, async () => {
      await this.#reader.refuseExcluded(key.namespace)
      return this.#found(await this.#reader.get(key))
    })
  }

  async #found(workload: Workload): Promise<Found> {
    const { listedRecord, statusRecord } = await this.#judging()
    const [found] = await this.#founds([workload], (...judged) => {
      // A workload with an unreadable state is shown as well: its reason names the repair.
      try {
        return statusRecord(...judged)
      } catch (error) {
        if (!(error instanceof Refusal) || error.code !== 'INVALID_STATE') throw error
        return listedRecord(...judged)
      }
    })
    if (!found) throw new TypeError('one workload has one record')
    return found
  }

  /**
   * The records of workloads; `all`: every workload of their namespaces, where these were read. Where an edge is to move
   * something, all workloads of its namespace say whether it waits by its order, as far as the person may list them.
   */
  async #founds(
    workloads: readonly Workload[],
    recordOf: (workload: Workload, now: number, rules: Rules) => StatusRecord,
    all?: readonly Workload[],
  ): Promise<Found[]> {
    const [{ rules, now }, { noting, waitsAmong }, { service }] = await Promise.all([
      this.#judging(),
      import('./order-waits.ts'),
      this.#reader.settled(),
    ])
    const waking = new Set<string>()
    const foundBy = (waitOf: NonNullable<Rules['waitOf']>) => (workload: Workload) => ({
      kind: workload.kind,
      record: rules.inWords(recordOf(workload, now, { ...rules, waitOf })),
    })
    const found = workloads.map(foundBy(noting(waking)))
    if (waking.size === 0 || rules.newer !== undefined) return found
    const members = all ?? (waking.size > MOST_READ ? workloads : await this.#allIn(waking))
    const anew = foundBy(waitsAmong(members, rules, service.wakeOrderTimeout))
    return workloads.map((workload, place) => {
      const before = found[place]
      return before && !waking.has(workload.namespace) ? before : anew(workload)
    })
  }

  /** All workloads of these namespaces that the person may list. */
  async #allIn(namespaces: ReadonlySet<string>): Promise<Workload[]> {
    const kinds = await this.#reader.kinds()
    const lists = [...namespaces].flatMap((name) => kinds.map((kind) => this.#reader.list(kind, name)))
    const read = await Promise.allSettled(lists)
    return read.flatMap((list) => (list.status === 'fulfilled' ? list.value : []))
  }

  async podTrouble(key: WorkloadKey): Promise<Trouble | undefined> {
    const { podSelector, troubleOfPods } = await import('./pod-trouble.ts')
    const { object } = await this.#reader.read(key)
    const labelSelector = podSelector(object.spec, object.status)
    if (labelSelector === undefined) return undefined
    try {
      return troubleOfPods(await this.#reader.pods(key.namespace, labelSelector))
    } catch (error) {
      if (isForbidden(error)) return undefined
      throw error
    }
  }

  /** Loads the rules that records need; plain requests do not wait for them. */
  async #judging() {
    const [record, { plannedTransitions }, listed, rules] = await Promise.all([
      import('../../domain/records/record.ts'),
      import('../../domain/records/plan.ts'),
      import('../../domain/records/listed.ts'),
      this.#reader.rules(),
    ])
    const isListed = (workload: Workload) => listed.isListed(workload, rules)
    return { ...record, plannedTransitions, isListed, rules, now: this.#clock() }
  }

  async plan(key: WorkloadKey, hours: number, asIf?: Hours): Promise<readonly TransitionRecord[]> {
    return explaining(this.place, async () => {
      await this.#reader.refuseExcluded(key.namespace)
      const found = await this.#reader.get(key)
      const { plannedTransitions, transitionRecord, rules, now } = await this.#judging()
      const workload = asIf
        ? (await import('../../domain/requests/as-if.ts')).withHours(found, asIf, now, rules)
        : found
      if (rules.newer !== undefined) return []
      return plannedTransitions(workload, now, rules, now + hours * HOUR).map(transitionRecord)
    })
  }

  async request(key: WorkloadKey, request: Request, dryRun: boolean): Promise<Answer> {
    return explaining(this.place, async () => {
      const written = await this.#writer.request(key, request, dryRun)
      const after = () => explaining(this.place, () => this.#after(key, written.object))
      const said = written.messages.map((text) => withoutName(text, key))
      // A request that nobody answers is refused; a setting is only kept.
      const isUnheard = isSetting(request) && isAbsent(this.#reader)
      const messages = isUnheard
        ? [
            `${dryRun ? 'would have its settings written' : 'the settings are written'}. If Dormouse runs here: ${said.join('; ')}`,
            absenceText(this.#reader),
          ]
        : said
      const becomes = written.becomes === undefined || dryRun ? {} : { becomes: written.becomes }
      const wasSo = written.wasSo === undefined ? {} : { wasSo: written.wasSo }
      return {
        messages:
          messages.length > 0 ? messages : [`${dryRun ? 'would be ' : ''}${(await after()).record.reason}`],
        after,
        ...becomes,
        ...wasSo,
      }
    })
  }

  async #after({ kind, namespace }: WorkloadKey, object: WorkloadObject): Promise<Found> {
    const [workload] = await Promise.all([
      this.#reader.trimmed(kind, object),
      this.#reader.namespace(namespace),
    ])
    return this.#found(workload)
  }

  async *watch(selection: Selection, signal: AbortSignal): AsyncGenerator<Seen> {
    const { namespace, kind, labelSelector, name } = selection
    const collections = await explaining(this.place, async () => {
      // Fails early for missing rights, and reads the Namespaces.
      if (name === undefined) await this.#all(selection)
      else if (kind !== undefined && namespace !== undefined) await this.get({ kind, namespace, name })
      const kinds = (kind === undefined ? await this.#reader.kinds() : [kind]).filter(
        (each) => name !== undefined || !this.#unlisted.has(each),
      )
      const of = new Map<Kind, Collection>()
      for (const each of kinds) {
        const selectors = {
          ...(labelSelector !== undefined && { labelSelector }),
          ...(name !== undefined && { fieldSelector: `metadata.name=${name}` }),
        }
        const collection = await this.#reader.collection(each, namespace, selectors).catch(() => undefined)
        if (collection) of.set(each, collection)
      }
      return of
    })
    const shown = new Set<string>()
    for await (const { kind: of, object, gone } of changesOf(
      this.#reader.client,
      collections,
      signal,
      this.#warn,
    )) {
      const seen = await this.#seen(of, object, gone, name === undefined ? shown : undefined)
      if (seen) yield seen
    }
  }

  /** `shown`: the uids that a watched list has; one that lists no longer show is gone. undefined: no list is watched. */
  async #seen(
    kind: Kind,
    object: WorkloadObject,
    deleted: boolean,
    shown: Set<string> | undefined,
  ): Promise<Seen | undefined> {
    const { service } = await this.#reader.settled()
    const workload = await this.#reader.trimmed(kind, object)
    if (service.excludeNamespaces.has(workload.namespace)) return undefined
    await this.#reader.namespace(workload.namespace)
    const { listedRecord, isListed, rules, now } = await this.#judging()
    const gone = deleted || (shown !== undefined && !isListed(workload))
    if (gone && shown?.delete(workload.uid) === false) return undefined
    if (!gone) shown?.add(workload.uid)
    return { kind, gone, record: rules.inWords(listedRecord(workload, now, rules)) }
  }

  async close(): Promise<void> {
    await this.#transport.close()
  }
}

function ifForbidden(error: unknown): void {
  if (!isForbidden(error)) throw error
}

/** `Dormouse: deployment shop/web is asleep` without the workload's name: `is asleep`. */
function withoutName(text: string, { kind, namespace, name }: WorkloadKey): string {
  const head = `Dormouse: ${typeOf(kind)} ${namespace}/${name}`
  return text.startsWith(head) ? text.slice(head.length).replace(/^:? /, '') : text
}

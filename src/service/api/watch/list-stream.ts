import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { typeOf } from '../../../domain/kinds.ts'
import type { Workload, WorkloadKey } from '../../../domain/workload/workload.ts'
import type { Workloads } from '../../../kubernetes/ports.ts'
import type { Visible } from '../visibility.ts'
import type { Logged } from './change-log.ts'
import { VisibleGroups } from './visible-groups.ts'
import type { Shared } from './watched-workloads.ts'

/** Workloads that are looked at before other requests get the event loop. */
const AT_ONCE = 100
/** Workloads that are named before other requests get the event loop. */
const NAMED_AT_ONCE = 2000
/** Milliseconds for which changes are batched: each workload is sent once. */
const GATHER = 50

export interface WatchedList {
  readonly workloads: Pick<Workloads, 'get'>
  /** All that there is, of which some may not be visible, or not chosen. */
  readonly all: () => Iterable<Workload>
  readonly includes: (key: WorkloadKey) => boolean
  readonly chosen: (workload: Workload) => boolean
  /** The caller's rights now. @throws Refusal: their token has expired, or the workloads are not listed yet */
  readonly visible: () => Promise<Visible>
  /** How often that is asked, in milliseconds. */
  readonly beat: number
  /** Aborted when nobody reads any more, or the service stops. */
  readonly signal: AbortSignal
}

/** One list as a stream of server-sent events (HTML, section 9.2), in pieces; it produces the next piece only on demand. */
export class ListStream {
  readonly #list: WatchedList
  readonly #shared: Shared
  readonly #groups: VisibleGroups
  /** The workloads that the client has. */
  readonly #sent = new Set<Logged>()
  #position: number
  #nextBeat: number

  private constructor(list: WatchedList, shared: Shared, groups: VisibleGroups) {
    this.#list = list
    this.#shared = shared
    this.#groups = groups
    this.#position = shared.log.end
    this.#nextBeat = performance.now() + list.beat
  }

  /** @throws errors of `visible` */
  static async open(list: WatchedList, shared: Shared): Promise<ListStream> {
    const groups = new VisibleGroups(await list.visible())
    await groups.learn(list.all())
    return new ListStream(list, shared, groups)
  }

  /** @throws Refusal as `visible` does, BeginAnew */
  async *events(): AsyncGenerator<string> {
    const { signal } = this.#list
    // A comment at once, so that the client knows that it is connected.
    yield ': the workloads as they are, then each change\n\n'
    yield* this.#listed()
    while (!signal.aborted) {
      yield* this.#changes()
      const left = this.#nextBeat - performance.now()
      if (left > 0) {
        await this.#shared.changed(left, signal)
        if (!signal.aborted) await delay(GATHER)
        continue
      }
      await this.#demandSameRights()
      yield ': bookmark\n\n'
    }
  }

  /** Whether rights have to be checked again, however slowly the client reads, and however many changes there are. */
  get #isDue(): boolean {
    return performance.now() >= this.#nextBeat
  }

  /** All there is. */
  async *#listed(): AsyncGenerator<string> {
    for (const [looked, logged] of (await this.#all()).entries()) {
      if (looked % AT_ONCE === 0) await nextTurn()
      if (this.#isDue) await this.#demandSameRights()
      const workload = this.#shown(logged.key)
      if (!workload) continue
      this.#sent.add(logged)
      yield event('added', this.#shared.textOf(workload))
    }
    yield event('listed', JSON.stringify({ workloads: this.#sent.size }))
  }

  /** By name: copies would be kept for as long as the client takes to read. */
  async #all(): Promise<Logged[]> {
    const found: Logged[] = []
    for (const [place, workload] of [...this.#list.all()].entries()) {
      if (place % NAMED_AT_ONCE === 0) await nextTurn()
      found.push(this.#shared.log.of(workload))
    }
    return found
  }

  /** The changes not sent yet; stops early when rights have to be checked again. */
  async *#changes(): AsyncGenerator<string> {
    const { log } = this.#shared
    for (let looked = 1; ; looked += 1) {
      if (!log.keeps(this.#position)) throw new BeginAnew('more has changed than was read in time')
      const change = log.next(this.#position)
      if (!change) break
      this.#position = change.latest + 1
      if (this.#list.includes(change.key)) {
        await this.#groups.learn([change.key])
        const told = this.#told(change)
        if (told !== undefined) yield told
      }
      if (looked % AT_ONCE === 0) await nextTurn()
      if (this.#isDue) return
    }
    this.#position = log.end
  }

  /** The event for a workload that may have changed; undefined: none. */
  #told(logged: Logged): string | undefined {
    const workload = this.#shown(logged.key)
    if (!workload) return this.#sent.delete(logged) ? event('removed', removed(logged.key)) : undefined
    const name = this.#sent.has(logged) ? 'changed' : 'added'
    this.#sent.add(logged)
    return event(name, this.#shared.textOf(workload))
  }

  async #demandSameRights(): Promise<void> {
    const { visible, beat } = this.#list
    this.#nextBeat = performance.now() + beat
    if (await this.#groups.hasChanged(await visible())) throw new BeginAnew('what you may list has changed')
  }

  /** The newest copy, if it is in the list and visible. */
  #shown(key: WorkloadKey): Workload | undefined {
    const { includes, workloads, chosen } = this.#list
    if (!includes(key) || !this.#groups.sees(key)) return undefined
    const workload = workloads.get(key)
    return workload && chosen(workload) ? workload : undefined
  }
}

/** The stream ends here, and goes on where its client connects again. */
export class BeginAnew extends Error {
  constructor(why: string) {
    super(`${why}: connect again for the whole list`)
  }
}

function event(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`
}

/** The last event, with the reason. */
export function endEvent(code: string | null, message: string): string {
  return event('end', JSON.stringify({ code, message }))
}

function removed({ namespace, kind, name }: WorkloadKey): string {
  return JSON.stringify({ name, namespace, type: typeOf(kind) })
}

import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { typeOf } from '../../../domain/kinds.ts'
import type { Workload, WorkloadKey } from '../../../domain/workload/workload.ts'
import { Refusal } from '../../process/errors.ts'
import type { Workloads } from '../ports.ts'
import type { Visible } from '../visibility.ts'
import { Bits } from './bits.ts'
import { nameOf, VisibleGroups, type Group } from './visible-groups.ts'
import type { Shared } from './watched-workloads.ts'

/** Workloads that are looked at before other requests get the event loop. */
const AT_ONCE = 100
/** Workloads that get their numbers before other requests get the event loop. */
const NUMBERED_AT_ONCE = 2000
/** Changes that come shortly after one another are told together, in milliseconds: each workload once. */
const GATHER = 50

export interface WatchedList {
  /** Tells this list of this caller from others. */
  readonly id: string
  readonly workloads: Pick<Workloads, 'get'>
  /** All that there is, of which some may not be visible, or not chosen. */
  readonly all: () => Iterable<Workload>
  readonly includes: (key: WorkloadKey) => boolean
  readonly chosen: (workload: Workload) => boolean
  /** Whether time alone may bring one into the list, or take it out. */
  readonly isByState: boolean
  /** What the caller may see now. @throws Refusal: their token is no longer good, or the workloads are not known */
  readonly visible: () => Promise<Visible>
  /** How often that is asked, in milliseconds. */
  readonly beat: number
  /** Aborted when nobody reads any more, or the service stops. */
  readonly signal: AbortSignal
}

/** One list as a stream of server-sent events (HTML, section 9.2), in pieces; it reads on only when asked for the next. */
export class ListStream {
  readonly #list: WatchedList
  readonly #shared: Shared
  readonly #groups: VisibleGroups
  /** What the client has. */
  readonly #sent = new Bits()
  #position: number
  readonly #resumed: boolean
  /** Whether the client was told all there is: before that it gets no ids. */
  #isComplete: boolean
  #nextBeat: number

  private constructor(list: WatchedList, shared: Shared, groups: VisibleGroups, from: number | undefined) {
    this.#list = list
    this.#shared = shared
    this.#groups = groups
    this.#resumed = from !== undefined
    this.#isComplete = this.#resumed
    this.#position = from ?? shared.log.end
    this.#nextBeat = performance.now() + list.beat
  }

  /**
   * `lastEventId`: where the client had come to; '': it begins.
   * @throws Refusal GONE: it has to begin anew; and what `visible` throws
   */
  static async open(list: WatchedList, shared: Shared, lastEventId: string): Promise<ListStream> {
    const groups = new VisibleGroups(await list.visible())
    await groups.learn(list.all())
    // Also of what was deleted since: whoever goes on had a right there, and has it.
    await groups.learn([...shared.log.known()].map(({ key }) => key).filter(list.includes))
    if (lastEventId === '') return new ListStream(list, shared, groups, undefined)
    const from = shared.ids.open(groups.digest(list.id), lastEventId)
    if (from === undefined || !shared.log.keeps(from)) throw gone()
    return new ListStream(list, shared, groups, from)
  }

  async *events(): AsyncGenerator<string> {
    const { signal } = this.#list
    // A comment at once, so that the client knows that it is connected.
    yield ': the workloads as they are, then each change\n\n'
    if (this.#resumed) this.#rememberSent()
    else yield* this.#listed()
    while (!signal.aborted) {
      yield* this.#changes()
      const left = this.#nextBeat - performance.now()
      if (left > 0) {
        await this.#shared.changed(left, signal)
        if (!signal.aborted) await delay(GATHER)
        continue
      }
      yield* this.#askedAgain()
      yield `: bookmark\nid: ${this.#id()}\n\n`
    }
  }

  /** Rights are to be asked again, however slowly the client reads and however much there is to tell. */
  get #isDue(): boolean {
    return performance.now() >= this.#nextBeat
  }

  /** All there is. Without ids: who loses the connection now has to begin anew. */
  async *#listed(): AsyncGenerator<string> {
    const { log, records } = this.#shared
    const there = await this.#numbersOfAll()
    for (const [looked, index] of there.entries()) {
      if (looked % AT_ONCE === 0) await nextTurn()
      if (this.#isDue) yield* this.#askedAgain()
      const key = log.keyAt(index)
      const workload = key && this.#shown(key)
      if (!workload || this.#sent.has(index)) continue
      this.#sent.add(index)
      yield event('added', records.textOf(workload))
    }
    this.#isComplete = true
    yield event('listed', JSON.stringify({ workloads: this.#sent.size }), this.#id())
  }

  /**
   * Of all there is: the collection changes while the client reads, and copies of it would be kept for as long as that
   * takes.
   */
  async #numbersOfAll(): Promise<Uint32Array> {
    const all = [...this.#list.all()]
    const numbers = new Uint32Array(all.length)
    for (const [place, workload] of all.entries()) {
      if (place % NUMBERED_AT_ONCE === 0) await nextTurn()
      numbers[place] = this.#shared.log.indexOf(workload)
    }
    return numbers
  }

  /** The client has whatever it could see, and perhaps what has changed since: of that it is told in any case. */
  #rememberSent(): void {
    const { log } = this.#shared
    for (const workload of this.#list.all()) if (this.#shown(workload)) this.#sent.add(log.indexOf(workload))
    for (let change = log.next(this.#position); change; change = log.next(change.next))
      this.#sent.add(change.index)
  }

  /** Those that the client was not told of yet; it stops early when rights are to be asked again. */
  async *#changes(): AsyncGenerator<string> {
    const { log } = this.#shared
    for (let looked = 1; ; looked += 1) {
      if (!log.keeps(this.#position)) throw tooSlow()
      const change = log.next(this.#position)
      if (!change) break
      const { key, index, next } = change
      if (this.#list.includes(key)) {
        await this.#groups.learn([key])
        const told = this.#told(key, index, next)
        this.#position = next
        if (told !== undefined) yield told
      }
      this.#position = next
      if (looked % AT_ONCE === 0) await nextTurn()
      if (this.#isDue) return
    }
    this.#position = log.end
  }

  /** What the client is told of a workload that may have changed; undefined: nothing. */
  #told(key: WorkloadKey, index: number, position: number): string | undefined {
    // What they may not see, they are told nothing of, not even that it went.
    if (this.#groups.sees(key) !== true) return undefined
    const had = this.#sent.has(index)
    const workload = this.#shown(key)
    if (workload) {
      this.#sent.add(index)
      return event(had ? 'changed' : 'added', this.#shared.records.textOf(workload), this.#id(position))
    }
    this.#sent.delete(index)
    return had ? event('removed', removed(key), this.#id(position)) : undefined
  }

  /** What a caller lost the right to see is removed, and what they gained is added. */
  async *#askedAgain(): AsyncGenerator<string> {
    const { visible, all, beat } = this.#list
    this.#nextBeat = performance.now() + beat
    const { gained, lost } = await this.#groups.askAgain(await visible())
    const names = (groups: readonly Group[]) => new Set(groups.map(nameOf))
    if (lost.length > 0) {
      const gone = names(lost)
      const known = [...this.#shared.log.known()]
      for (const { key, index } of known)
        if (gone.has(nameOf(key)) && this.#sent.has(index)) {
          this.#sent.delete(index)
          yield event('removed', removed(key))
        }
    }
    if (gained.length > 0) {
      const come = names(gained)
      for (const workload of [...all()].filter((each) => come.has(nameOf(each)))) {
        const told = this.#told(workload, this.#shared.log.indexOf(workload), this.#position)
        if (told !== undefined) yield told
      }
    }
  }

  /** The newest copy, if it is in the list and visible. */
  #shown(key: WorkloadKey): Workload | undefined {
    const { includes, workloads, chosen, isByState } = this.#list
    if (!includes(key) || this.#groups.sees(key) !== true) return undefined
    const workload = workloads.get(key)
    if (!workload || workload.owner !== undefined) return undefined
    if (chosen(workload)) return workload
    if (isByState) this.#shared.records.expect(workload)
    return undefined
  }

  #id(position = this.#position): string | undefined {
    if (!this.#isComplete) return undefined
    return this.#shared.ids.seal(this.#groups.digest(this.#list.id), position)
  }
}

function event(name: string, data: string, id?: string): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`
}

/** The last event, which says why. */
export function endEvent(code: string | null, message: string): string {
  return event('end', JSON.stringify({ code, message }))
}

function removed({ namespace, kind, name }: WorkloadKey): string {
  return JSON.stringify({ name, namespace, type: typeOf(kind) })
}

function gone(): Refusal {
  return new Refusal(
    'GONE',
    'what has changed since that event is not known here: leave Last-Event-ID out to get the whole list again',
  )
}

function tooSlow(): Refusal {
  return new Refusal(
    'GONE',
    'more has changed than was read in time: leave Last-Event-ID out to get the whole list again',
  )
}

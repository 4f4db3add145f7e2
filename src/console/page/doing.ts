import { Refused, send, type Answer, type Call } from './api.ts'
import { busyKey, type Action } from './action.ts'
import { ManyBefore, type Bulk } from './many.ts'
import type { Model } from './model.ts'
import { keyOf, type Workload } from './record.ts'
import type { Session } from './session.ts'
import { changedBy, guarded, isOthersNow, otherWho, askedOf } from './undo.ts'
import { reasonOf } from '../../words/reason.ts'
import { capitalised } from '../../words/text.ts'
import { localised } from '../../words/time.ts'

const PENDING = 'dormouse.pending'
const CONFIRMED = 'dormouse.confirmed'
/** How many workloads an Undo of many takes back at once, and how often it asks for one, a second apart or as told. */
const ABREAST = 4
const MOST_TRIES = 60

/** The outcome of an Undo of many: how many are as before, and the words about the others. */
interface Told {
  done: number
  readonly left: string[]
  readonly not: string[]
}

/**
 * Carries out clicks. An action that meets an expired token is kept until somebody signs in, even if the page is
 * reloaded.
 */
export class Doing {
  readonly #model: Model
  readonly #session: Session

  constructor(model: Model, session: Session) {
    this.#model = model
    this.#session = session
  }

  /** The action that waits for a token. */
  get pending(): Action | undefined {
    const kept = sessionStorage.getItem(PENDING)
    return kept === null ? undefined : (JSON.parse(kept) as Action)
  }

  /** Carries out the pending action after a sign-in that reloads the page. */
  confirm(): void {
    if (this.pending) sessionStorage.setItem(CONFIRMED, 'true')
  }

  get isConfirmed(): boolean {
    return sessionStorage.getItem(CONFIRMED) !== null
  }

  forget(): void {
    sessionStorage.removeItem(PENDING)
    sessionStorage.removeItem(CONFIRMED)
  }

  /** Whether it was done, or waits for a sign-in; otherwise calls `fault` with the reason. */
  async perform(
    action: Action,
    fault = (text: string, undo?: Action) => this.#model.notify(text, { isFault: true, undo }),
  ): Promise<boolean> {
    const model = this.#model
    const key = busyKey(action)
    if (model.busy.has(key)) {
      fault('Something is still being done to it. Click again once that has ended.')
      return false
    }
    const before = action.about && model.records.get(keyOf(action.about))
    if (before && isOthersNow(action, before, model.about.user)) {
      fault(`${before.name} is left as it is: ${changedBy(before)} meanwhile.`)
      return false
    }
    const many = action.many && new ManyBefore(model, action.many)
    model.busy.add(key)
    model.tell()
    let left = action.calls
    let answer: Answer<unknown> | undefined
    try {
      if (action.each) return await this.#takeBack(action, action.each)
      for (const call of action.calls) {
        answer = await this.ask(call)
        left = left.slice(1)
      }
      if (answer && many) {
        const { undo, ended } = await many.after(answer.data as Bulk, action)
        model.notify(`${doneText(action, answer)}${ended}`, { undo })
      } else if (answer) {
        const text = `${doneText(action, answer)}${endedText(before, answer.data as Workload, model)}`
        model.notify(text, { undo: guarded(action.undo, before, answer.data as Workload) })
      }
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 401) {
        if (error instanceof Refused && error.code === 'FORBIDDEN') model.learnRefusal(action, textOf(error))
        const undo = answer && guarded(action.undo, before, answer.data as Workload)
        fault(notDone(action, left.length, error), undo)
        return false
      }
      this.#keep({ ...action, calls: left }, error.message)
    } finally {
      model.busy.delete(key)
      model.tell()
    }
    return true
  }

  /** Takes back what a request for many did, of each workload that nobody else has changed meanwhile. */
  async #takeBack(action: Action, each: readonly Action[]): Promise<boolean> {
    const waiting = [...each]
    const told: Told = { done: 0, left: [], not: [] }
    let signedOut: Refused | undefined
    const work = async () => {
      while (!signedOut) {
        const one = waiting.shift()
        if (!one) return
        const signIn = await this.#takeBackOne(one, told)
        if (signIn) waiting.unshift(one)
        signedOut ??= signIn
      }
    }
    await Promise.all(Array.from({ length: ABREAST }, work))
    if (signedOut) this.#keep({ ...action, each: waiting }, signedOut.message)
    else this.#model.notify(tookBack(action, told), { isFault: told.left.length + told.not.length > 0 })
    return true
  }

  /** Returns the refusal where it waits for a sign-in. */
  async #takeBackOne(action: Action, told: Told): Promise<Refused | undefined> {
    const now = action.about && this.#model.records.get(keyOf(action.about))
    if (now && isOthersNow(action, now, this.#model.about.user)) {
      told.left.push(changedBy(now))
      return undefined
    }
    let left = action.calls.length
    try {
      for (const call of action.calls) {
        await this.#patiently(call)
        left -= 1
      }
      told.done += 1
    } catch (error) {
      if (error instanceof Refused && error.status === 401) return error
      told.not.push(notDone(action, left, error))
    }
    return undefined
  }

  /** Waits where the API says so: it takes so many requests a second. @throws Refused */
  async #patiently(call: Call): Promise<void> {
    for (let tries = 1; ; tries += 1)
      try {
        await this.ask(call)
        return
      } catch (error) {
        if (!(error instanceof Refused) || error.status !== 429 || tries > MOST_TRIES) throw error
        const pause = error.retryAfter ?? 1000
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
  }

  /** @throws Refused */
  ask<Data>(call: Call): Promise<Answer<Data>> {
    return send<Data>(call, this.#session.token)
  }

  #keep(action: Action, why: string): void {
    const { cluster, user } = this.#model.about
    const pending = { ...action, at: action.at ?? { cluster, user } }
    sessionStorage.setItem(PENDING, JSON.stringify(pending))
    this.#model.signIn = { why, pending }
  }
}

/** `web wakes. Awake by request of ana until 18:36.` */
function doneText({ about, done, title }: Action, { message, data }: Answer<unknown>): string {
  const now = Date.now()
  if (!about || done === undefined) return localised(`${title}: ${message}`, now)
  return `${about.name} ${done}. ${capitalised(reasonOf(data as Workload, now))}.`
}

/** ` Before: awake by request of bob.`, where another person had asked for that, or held it. */
function endedText(before: Workload | undefined, after: Workload, { about }: Model): string {
  if (!before || otherWho(before, about.user) === undefined || askedOf(before) === askedOf(after)) return ''
  return ` Before: ${reasonOf(before, Date.now())}.`
}

/** `Undo: Pin in shop: 3 as before, 2 left: changed by bob meanwhile.` */
function tookBack({ title }: Action, { done, left, not }: Told): string {
  const by = [...new Set(left)].join(', ')
  const others = [
    ...(left.length > 0 ? [`${left.length} left: ${by} meanwhile`] : []),
    ...(not.length > 0 ? [`${not.length} not done: ${not[0] ?? ''}`] : []),
  ]
  return `${title}: ${[`${done} as before`, ...others].join(', ').replace(/\.$/, '')}.`
}

/** `left`: how many of its requests were not done. Requests without an answer are not sent again. */
function notDone(
  { title, not = 'was not changed', about, calls }: Action,
  left: number,
  error: unknown,
): string {
  const isAway = error instanceof Refused && error.code === 'UNREACHABLE'
  const half = left < calls.length ? ' Only the first half was done.' : ''
  const again = isAway ? ' Click again once it is back.' : ''
  return `${about ? `${about.name} ${not}` : `${title}: not done`}: ${textOf(error).replace(/[.\s]+$/, '')}.${half}${again}`
}

/** The words of an error for the person who clicked: `You may not update …`. */
export function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return localised(text, Date.now())
    .replace(/^\S+ may not: /, '')
    .replace(/^\S+ may not\b/, 'you may not')
}

import { Refused, send, type Answer } from './api.ts'
import { busyKey, type Action } from './action.ts'
import type { Model } from './model.ts'
import type { Workload } from './record.ts'
import type { Session } from './session.ts'
import { localised, reasonOf } from './words.ts'

const PENDING = 'dormouse.pending'
const CONFIRMED = 'dormouse.confirmed'

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
    fault = (text: string) => this.#model.notify(text, { isFault: true }),
  ): Promise<boolean> {
    const model = this.#model
    const key = busyKey(action)
    if (model.busy.has(key)) {
      fault('Something is still being done to it. Click again once that has ended.')
      return false
    }
    model.busy.add(key)
    model.tell()
    let left = action.calls
    try {
      let answer: Answer<unknown> | undefined
      for (const call of action.calls) {
        answer = await this.ask(call)
        left = left.slice(1)
      }
      if (answer) model.notify(doneText(action, answer), { undo: action.undo })
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 401) {
        if (error instanceof Refused && error.code === 'FORBIDDEN') model.learnRefusal(action, textOf(error))
        fault(notDone(action, left.length, error))
        return false
      }
      this.#keep({ ...action, calls: left }, error.message)
    } finally {
      model.busy.delete(key)
      model.tell()
    }
    return true
  }

  /** @throws Refused */
  ask<Data>(call: Parameters<typeof send>[0]): Promise<Answer<Data>> {
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
  return `${about.name} ${done}. ${sentence(reasonOf(data as Workload, now))}`
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

/** Of an error, in words for who clicked: `You may not update …`. */
export function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return localised(text, Date.now())
    .replace(/^\S+ may not: /, '')
    .replace(/^\S+ may not\b/, 'you may not')
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}

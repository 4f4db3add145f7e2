import { Refused, send, type Answer } from './api.ts'
import { busyKey, type Action } from './action.ts'
import type { Model } from './model.ts'
import type { Session } from './session.ts'
import { localised } from './words.ts'

const PENDING = 'dormouse.pending'
const CONFIRMED = 'dormouse.confirmed'

/** Carries out what was clicked. What meets an expired token is kept, also when the page is loaded anew, until somebody signs in. */
export class Doing {
  readonly #model: Model
  readonly #session: Session

  constructor(model: Model, session: Session) {
    this.#model = model
    this.#session = session
  }

  /** What waits for a token. */
  get pending(): Action | undefined {
    const kept = sessionStorage.getItem(PENDING)
    return kept === null ? undefined : (JSON.parse(kept) as Action)
  }

  /** What waits is to be done after a sign-in for which the page is loaded anew. */
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

  async perform(action: Action): Promise<void> {
    const model = this.#model
    const key = busyKey(action)
    if (model.busy.has(key)) return
    model.busy.add(key)
    model.tell()
    let left = action.calls
    try {
      let answer: Answer<unknown> | undefined
      for (const call of action.calls) {
        answer = await this.ask(call)
        left = left.slice(1)
      }
      if (answer) model.notify(localised(`${action.title}: ${answer.message}`, Date.now()))
    } catch (error) {
      if (error instanceof Refused && error.status === 401)
        this.#keep({ ...action, calls: left }, error.message)
      else model.notify(`${action.title}: not done. ${messageOf(error)}`, true)
    } finally {
      model.busy.delete(key)
      model.tell()
    }
  }

  /** @throws Refused */
  ask<Data>(call: Parameters<typeof send>[0]): Promise<Answer<Data>> {
    return send<Data>(call, this.#session.token)
  }

  #keep(action: Action, why: string): void {
    sessionStorage.setItem(PENDING, JSON.stringify(action))
    this.#model.signIn = { why, pending: action }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

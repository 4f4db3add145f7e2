import { Doing } from './doing.ts'
import { LiveList } from './live-list.ts'
import type { Action } from './action.ts'
import { isSamePlace, Model } from './model.ts'
import { Plans } from './plans.ts'
import { Session } from './session.ts'

/** The page's parts, wired. */
export class App {
  readonly model = new Model()
  readonly session = new Session()
  readonly doing = new Doing(this.model, this.session)
  readonly plans = new Plans(this.model, this.doing)
  readonly #list = new LiveList(this.model, this.session)

  async start(): Promise<void> {
    this.session.onToken = () => this.#goOn()
    this.session.onSignedOut = () => this.#leave()
    const why = await this.session.begin()
    this.#list.onSignedOut = (reason) => this.askSignIn(reason)
    this.#list.onLive = () => this.#isLive()
    if (why !== '') this.askSignIn(why)
    this.model.tell()
    await this.#list.run()
  }

  askSignIn(why: string): void {
    this.model.signIn ??= { why, pending: this.doing.pending }
    this.model.tell()
  }

  /** A proxy in front redirects the whole page to its sign-in, and back; without one, ask other tabs for their token. */
  loadAnew(): void {
    this.doing.confirm()
    location.reload()
  }

  signedIn(token: string): void {
    this.session.signIn(token)
    this.#goOn()
  }

  signOut(): void {
    const { isByProxy, signOutUrl } = this.session
    this.session.signOut()
    // The next person must not see this person's data or repeat their clicks.
    this.doing.forget()
    location.replace(isByProxy && signOutUrl !== '' ? signOutUrl : '/console')
  }

  dropPending(): void {
    this.doing.forget()
    const { signIn, connection } = this.model
    if (signIn)
      this.model.signIn = connection.state === 'live' ? undefined : { ...signIn, pending: undefined }
    this.model.tell()
  }

  close(): void {
    const { open } = this.model.shown
    this.model.show({ open: '' })
    document.querySelector<HTMLElement>(`[data-key="${CSS.escape(open)}"]`)?.focus()
  }

  /** Another tab has signed out: drop the person's data and clicks here, too. */
  #leave(): void {
    const { model, doing } = this
    doing.forget()
    model.forget()
    model.signIn = { why: 'You signed out in another tab.', pending: undefined }
    this.#list.forget()
    model.tell()
  }

  /** Without a token a proxy signed them in: carry out the pending action if they confirmed it, else show it. */
  #isLive(): void {
    const { session, doing, model, plans } = this
    plans.retry()
    if (session.token !== '') return
    session.isByProxy = true
    const { pending } = doing
    if (!pending || model.signIn) return
    if (doing.isConfirmed) this.#goOn()
    else this.askSignIn('')
  }

  /** There is a token: show the list, and carry out the pending action. */
  #goOn(): void {
    const { model, doing } = this
    const { pending } = doing
    doing.forget()
    model.signIn = undefined
    model.tell()
    this.#list.retry()
    if (pending) void this.#carryOut(pending)
  }

  /** Only in the cluster, and as the person, that it was clicked for: the next sign-in may be another. */
  async #carryOut(pending: Action): Promise<void> {
    const about = await this.#list.learn().catch(() => undefined)
    if (about && (!pending.at || isSamePlace(pending.at, about))) void this.doing.perform(pending)
    else {
      const why = about ? 'you signed in as somebody else, or to another cluster' : 'Dormouse does not answer'
      this.model.notify(`${pending.title}: not done, since ${why}. Click again.`, { isFault: true })
    }
  }
}

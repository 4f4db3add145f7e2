import { refusalOf, request } from './api.ts'

const TOKEN = 'dormouse.token'
/** How long other tabs have to answer, in milliseconds. */
const PATIENCE = 250

type Message = { readonly ask: true } | { readonly token: string } | { readonly signedOut: true }

/**
 * The caller's token: in this tab's storage, which ends with the tab, and never in a cookie. Tabs of the same origin give
 * it to each other while they are open, and sign out together.
 */
export class Session {
  readonly #tabs = new BroadcastChannel('dormouse')
  #token = sessionStorage.getItem(TOKEN) ?? ''
  /** Whether requests without a token are answered, since a proxy in front has signed the person in. */
  isByProxy = false
  /** Called when another tab has signed in. */
  onToken: () => void = () => undefined
  /** Called when another tab has signed out. */
  onSignedOut: () => void = () => undefined

  constructor() {
    this.#tabs.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if ('ask' in data) {
        if (this.#token !== '') this.#tabs.postMessage({ token: this.#token } satisfies Message)
      } else if ('signedOut' in data) {
        this.#keep('')
        this.onSignedOut()
      } else if (data.token !== this.#token) {
        this.#keep(data.token)
        this.onToken()
      }
    })
  }

  /** '': nobody is signed in. */
  get token(): string {
    return this.#token
  }

  /** The sign-out of a proxy; '': none is configured. */
  get signOutUrl(): string {
    return told('sign-out')
  }

  /** How to sign in if the server prints a link; '': by a token of the cluster. */
  get otherwise(): string {
    return told('sign-in')
  }

  /** Whether a pasted token is good for anything here. */
  get takesTokens(): boolean {
    return told('tokens') !== 'none'
  }

  get canSignOut(): boolean {
    return this.#token !== '' || (this.isByProxy && this.signOutUrl !== '')
  }

  signIn(token: string): void {
    this.#keep(token)
    this.#tabs.postMessage({ token } satisfies Message)
  }

  /** In all tabs: another one would sign this one in again. */
  signOut(): void {
    this.#keep('')
    this.#tabs.postMessage({ signedOut: true } satisfies Message)
  }

  /** Signs in by the one-time secret of the address, else by another tab. Returns why that was not possible; '': it was, or there was nothing to try. */
  async begin(): Promise<string> {
    const secret = secretOfAddress()
    if (secret !== undefined) return this.#exchange(secret)
    if (this.#token !== '') return ''
    this.#tabs.postMessage({ ask: true } satisfies Message)
    await new Promise((resolve) => setTimeout(resolve, PATIENCE))
    return ''
  }

  async #exchange(secret: string): Promise<string> {
    try {
      const response = await request('/console/sign-in', {
        method: 'POST',
        headers: { 'X-Dormouse-Secret': secret },
      })
      if (!response.ok) return this.#token === '' ? (await refusalOf(response)).message : ''
      const { token } = (await response.json()) as { token: string }
      this.signIn(token)
      return ''
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    }
  }

  #keep(token: string): void {
    this.#token = token
    if (token === '') sessionStorage.removeItem(TOKEN)
    else sessionStorage.setItem(TOKEN, token)
  }
}

/** A value that the server put into the page. */
function told(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? ''
}

/** Takes the secret out of the address, and so out of the browser's history. */
function secretOfAddress(): string | undefined {
  const { hash, pathname, search } = location
  const secret = new URLSearchParams(hash.slice(1)).get('secret')
  if (secret === null) return undefined
  history.replaceState(null, '', pathname + search)
  return secret
}

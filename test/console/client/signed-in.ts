import type { PageApi } from '../../../src/console/client/page-api.ts'
import { ConsoleServer } from '../../../src/console/client/server.ts'

/** The parts of an answer that the tests read. */
interface Body {
  readonly success: boolean
  readonly message: string
  readonly data: {
    readonly name: string
    readonly kinds: readonly string[]
    readonly items: readonly object[]
    readonly counts: object
    readonly 0: { readonly type?: string }
    readonly [field: string]: unknown
  }
  readonly error: { readonly code: string; readonly message: string }
}

/** The server of a console over this API, and somebody who has signed in by its link. */
export async function signedIn(api: PageApi) {
  const server = new ConsoleServer({ api, command: 'kubectl dormouse console' })
  const link = new URL(await server.start(0))
  const { origin } = link
  const exchange = () =>
    fetch(`${origin}/console/sign-in`, {
      method: 'POST',
      headers: { 'X-Dormouse-Secret': link.hash.replace('#secret=', '') },
    })
  const { token } = (await (await exchange()).json()) as { token: string }
  const call = async (method: string, path: string, body?: string, bearer = token) => {
    const headers = { Authorization: `Bearer ${bearer}` }
    const init = { method, headers, ...(body !== undefined && { body }) }
    const response = await fetch(`${origin}/api/v1${path}`, init)
    return { status: response.status, body: (await response.json()) as Body }
  }
  return { server, link, origin, token, exchange, call }
}

/** An answer of the API around its data. */
export interface Answer<Data> {
  readonly message: string
  readonly data: Data
  /** Requests the next page; null: this is the last. */
  readonly continue?: string | null
}

/** A refused request: the message says why, and what to do. */
export class Refused extends Error {
  /** 0: nobody answered. */
  readonly status: number
  readonly code: string
  /** Milliseconds, if the server sent Retry-After. */
  readonly retryAfter: number | undefined

  constructor(status: number, code: string, message: string, retryAfter?: number) {
    super(message)
    this.status = status
    this.code = code
    this.retryAfter = retryAfter
  }
}

/** A call of the API; `path` behind `/api/v1`. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: object
}

/** With this a proxy in front answers 401 instead of redirecting to its sign-in, which only the whole page can follow. */
const ACCEPT = 'application/json, text/event-stream'
const SIGNED_OUT = 'Your sign-in has ended'
const UNREACHABLE = 'Dormouse does not answer'

/** `''`: no token of ours; a proxy in front may know who asks. */
export function authorization(token: string): Record<string, string> {
  return token === '' ? {} : { Authorization: `Bearer ${token}` }
}

/** @throws Refused */
export async function send<Data>({ method, path, body }: Call, token: string): Promise<Answer<Data>> {
  const response = await request(`/api/v1${path}`, {
    method,
    headers: {
      ...authorization(token),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw await refusalOf(response)
  return (await response.json()) as Answer<Data>
}

/** All pages of a list; `first`: a path with a query. @throws Refused */
export async function pagesOf<Item>(
  doing: { ask(call: Call): Promise<Answer<Item[]>> },
  first: string,
): Promise<Item[]> {
  const items: Item[] = []
  let path: string | undefined = first
  while (path !== undefined) {
    const page: Answer<Item[]> = await doing.ask({ method: 'GET', path })
    items.push(...page.data)
    path = page.continue ? `${first}&continue=${encodeURIComponent(page.continue)}` : undefined
  }
  return items
}

/**
 * As `fetch`, without cache. Cookies are a proxy's, if there is one: Dormouse has none. A redirect leads to a proxy's
 * sign-in, and counts as 401.
 * @throws Refused when nobody answers
 */
export async function request(path: string, { headers, ...options }: RequestInit): Promise<Response> {
  try {
    return await fetch(path, {
      ...options,
      headers: { Accept: ACCEPT, ...(headers as Record<string, string>) },
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'manual',
    })
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new Refused(0, 'UNREACHABLE', UNREACHABLE)
  }
}

export async function refusalOf(response: Response): Promise<Refused> {
  if (response.type === 'opaqueredirect') return new Refused(401, 'UNAUTHENTICATED', SIGNED_OUT)
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN)
  const retryAfter = Number.isFinite(seconds) ? seconds * 1000 : undefined
  try {
    // Without a token there is nothing wrong with it.
    const isBare =
      response.status === 401 && !(response.headers.get('WWW-Authenticate') ?? '').includes('error=')
    const { error } = (await response.json()) as {
      error: { code: string; message: string; details?: { reason?: string; reason_code?: string } }
    }
    // For a workload the remedy is a button of the page, not a call.
    const { reason, reason_code: code } = error.details ?? {}
    const message = code === undefined ? error.message : (reason ?? error.message)
    return new Refused(response.status, error.code, isBare ? '' : message, retryAfter)
  } catch {
    // A proxy in front answers in its own form.
    if (response.status === 401) return new Refused(401, 'UNAUTHENTICATED', SIGNED_OUT)
    return new Refused(response.status, 'UNKNOWN', `answered with ${response.status}`, retryAfter)
  }
}

import { authorization, Refused, refusalOf, request, send } from './api.ts'
import type { About, ClusterState, Model } from './model.ts'
import { keyOf, type Identity, type Workload } from './record.ts'
import type { Session } from './session.ts'

/** Milliseconds; a stream sends at least a bookmark every 10 s, and one silent for this long is opened anew. */
const SILENCE = 30_000
const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 15_000

/** In words for who looks at a list, instead of for who sent a request. */
const REASONS: Readonly<Record<string, string>> = {
  UNREACHABLE: 'Dormouse does not answer. It is tried again',
  CLUSTER_UNAVAILABLE: 'The cluster does not answer. It is tried again',
  RATE_LIMITED: 'Too many lists are open. It is tried again',
}

/** An event as our servers write it; comments are blocks of their own. */
const EVENT = /^event: (\w+)\ndata: (.*)$/

/** Keeps the model's records as they are in the cluster, by the stream of `GET /api/v1/workloads?watch=true`. */
export class LiveList {
  readonly #model: Model
  readonly #session: Session
  #records = new Map<string, Workload>()
  #pause = FIRST_PAUSE
  #wake: () => void = () => undefined
  #stream = new AbortController()
  /** Called when nobody is signed in, with the reason; '': nobody was. */
  onSignedOut: (why: string) => void = () => undefined
  /** Called when the list has begun. */
  onLive: () => void = () => undefined

  constructor(model: Model, session: Session) {
    this.#model = model
    this.#session = session
  }

  /** Retries at once, after a sign-in. */
  retry(): void {
    this.#pause = FIRST_PAUSE
    this.#wake()
  }

  /** Ends the stream and drops its data, after a sign-out. `retry` begins anew. */
  forget(): void {
    this.#stream.abort()
  }

  async run(): Promise<never> {
    for (;;) {
      try {
        await this.learn()
        await this.#follow()
      } catch (error) {
        this.#failed(error)
      }
      await this.#rest()
    }
  }

  /** Looks whose page it is: another server, or another person, may answer since the last time. @throws Refused */
  async learn(): Promise<About> {
    const { data } = await send<Partial<About> & { may_change?: boolean | null }>(
      { method: 'GET', path: '' },
      this.#session.token,
    )
    const { kinds = [], cluster = null, user = null, may_change: mayChange = null, clusters = [] } = data
    const about = { kinds, cluster, user, mayChange, clusters }
    this.#model.learn(about)
    return about
  }

  #failed(error: unknown): void {
    const model = this.#model
    const refused = error instanceof Refused ? error : new Refused(0, 'UNREACHABLE', String(error))
    const { since } = model.connection
    if (refused.code === 'UNAUTHENTICATED') this.onSignedOut(refused.message)
    else if (refused.retryAfter !== undefined) this.#pause = Math.max(this.#pause, refused.retryAfter)
    model.connection = { state: 'away', why: REASONS[refused.code] ?? refused.message, since }
    model.tell()
  }

  async #rest(): Promise<void> {
    const needsToken = this.#model.signIn !== undefined
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      if (!needsToken) setTimeout(resolve, this.#pause)
    })
    this.#pause = Math.min(2 * Math.max(this.#pause, FIRST_PAUSE), LONGEST_PAUSE)
  }

  async #follow(): Promise<void> {
    const stream = (this.#stream = new AbortController())
    const response = await request('/api/v1/workloads?watch=true', {
      signal: stream.signal,
      headers: authorization(this.#session.token),
    })
    if (!response.ok || !response.body) throw await refusalOf(response)
    this.#records = new Map()
    let timer: ReturnType<typeof setTimeout> | undefined
    try {
      let rest = ''
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      for (;;) {
        clearTimeout(timer)
        timer = setTimeout(() => stream.abort(), SILENCE)
        const { done, value } = await reader.read()
        if (done) throw new Refused(0, 'CLOSED', 'The connection was closed. It is opened anew')
        const blocks = (rest + value).split('\n\n')
        rest = blocks.pop() ?? ''
        for (const block of blocks) this.#take(block)
      }
    } catch (error) {
      if (stream.signal.aborted) throw new Refused(0, 'SILENT', 'Nothing was heard for a while')
      throw error
    } finally {
      clearTimeout(timer)
      stream.abort()
    }
  }

  #take(block: string): void {
    const [, name, text] = EVENT.exec(block) ?? []
    if (text === undefined) return
    const data: unknown = JSON.parse(text)
    if (name === 'added' || name === 'changed') this.#records.set(keyOf(data as Workload), data as Workload)
    else if (name === 'removed') this.#records.delete(keyOf(data as Identity))
    else if (name === 'cluster') this.#seen(data as Omit<ClusterState, 'kinds'>)
    else if (name === 'listed') this.#live()
    else if (name === 'end') throw ended(data as { code: string | null; message: string })
    // The former list stays visible until the new one is complete.
    if (this.#model.connection.state === 'live' || this.#model.records.size === 0)
      this.#model.records = this.#records
    this.#model.tellSoon()
  }

  /** A cluster that was away when the kinds were asked for tells them now. */
  #seen(told: Omit<ClusterState, 'kinds'>): void {
    this.#model.learnCluster(told)
    const { clusters } = this.#model.about
    if (told.state === 'live' && clusters.some(({ name, kinds }) => name === told.name && kinds.length === 0))
      void this.learn().catch(() => undefined)
  }

  #live(): void {
    const model = this.#model
    this.#pause = FIRST_PAUSE
    model.records = this.#records
    model.isListed = true
    model.connection = { state: 'live', why: '', since: Date.now() }
    this.onLive()
    model.tellSoon()
  }
}

function ended({ code, message }: { code: string | null; message: string }): Refused {
  if (code === null) return new Refused(0, 'ENDED', 'The list ended. It is opened anew')
  return new Refused(code === 'UNAUTHENTICATED' ? 401 : 0, code, message)
}

import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { Refusal } from '../../../process/errors.ts'
import { internal } from '../../../http/errors.ts'
import { subjectKey } from '../../auth/caller.ts'
import { whenGone, type ApiContext } from '../context.ts'
import { Places, streamLimits } from '../places.ts'
import type { ApiDeps } from '../ports.ts'
import { invalid } from '../validation.ts'
import { BeginAnew, endEvent, ListStream, type WatchedList } from './list-stream.ts'
import { WatchedWorkloads } from './watched-workloads.ts'

/** How often rights are asked again, in milliseconds: a little longer than answers are cached. */
const BEAT = 10_100
/** Milliseconds that a client may leave sent data unread. */
const UNREAD = 30_000
const TOO_MANY = 'too many lists are being watched: end one, or list without watch'

/** The parts that a list's handler provides; the others are the same for all. */
export type Watched = Omit<WatchedList, 'workloads' | 'beat' | 'signal'>

/** The lists that are streamed. */
export interface Watches {
  /** Answers with a stream. @throws Refusal RATE_LIMITED, and errors of `visible` */
  stream(ctx: ApiContext, list: Watched): Promise<void>
  /** Ends all streams, each with an event that tells the reason. */
  close(): void
}

export function createWatches(deps: ApiDeps): Watches {
  const { workloads, logger, settings, watchBeat = BEAT, watchUnread = UNREAD } = deps
  const watched = new WatchedWorkloads(deps)
  const places = new Places(streamLimits(settings.waiters))
  const closing = new AbortController()

  async function write(ctx: ApiContext, stream: ListStream, body: PassThrough, gone: AbortSignal) {
    try {
      for await (const text of stream.events()) {
        if (gone.aborted) return
        if (!body.write(text) && !(await isRead(body, gone, watchUnread))) return void ctx.res.destroy()
      }
      body.write(endEvent(null, 'Dormouse stops here: connect again'))
    } catch (error) {
      body.write(ending(error, ctx.state.requestId))
    } finally {
      body.end()
    }
  }

  function ending(error: unknown, requestId: string): string {
    if (error instanceof BeginAnew) return endEvent(null, error.message)
    if (error instanceof Refusal) return endEvent(error.code, error.message)
    logger.error({ err: error, requestId }, 'a stream failed')
    const { code, message } = internal(requestId)
    return endEvent(code, message)
  }

  return {
    async stream(ctx, list) {
      const { query } = ctx.state.input
      refusePages(query)
      places.demand(ctx, subjectKey(ctx.state.caller), TOO_MANY)
      const shared = watched.join()
      try {
        const gone = whenGone(ctx)
        const signal = AbortSignal.any([gone, closing.signal])
        const stream = await ListStream.open({ ...list, workloads, beat: watchBeat, signal }, shared)
        ctx.status = 200
        ctx.set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' })
        const body = new PassThrough()
        ctx.body = body
        if (ctx.method === 'HEAD') return watched.leave()
        void write(ctx, stream, body, gone).finally(() => watched.leave())
      } catch (error) {
        watched.leave()
        throw error
      }
    },
    close() {
      closing.abort()
      watched.close()
    },
  }
}

/** Whether the client read on in time. */
async function isRead(body: PassThrough, gone: AbortSignal, unread: number): Promise<boolean> {
  const late = AbortSignal.timeout(unread)
  try {
    await once(body, 'drain', { signal: AbortSignal.any([gone, late]) })
    return true
  } catch {
    return false
  }
}

function refusePages(query: ApiContext['state']['input']['query']): void {
  const given = (['limit', 'continue'] as const).filter((name) => query[name] !== undefined)
  if (given.length === 0) return
  const message = 'is for pages: a watched list has none, so leave it out'
  throw invalid(given.map((name) => ({ in: 'query', pointer: `/${name}`, message })))
}

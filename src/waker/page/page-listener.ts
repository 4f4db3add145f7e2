import type { ServerResponse } from 'node:http'
import type { KnockAnswer } from '../../domain/traffic/knock.ts'
import { secondsUntil } from '../../domain/text.ts'
import type { Clock } from '../../process/clock.ts'
import type { AnswerPage, SleepingPort } from '../ports.ts'
import { LAST_WORDS } from '../not-joined.ts'
import { callerOf, STATUS_TYPE, type Caller } from './caller.ts'
import { PAGE_POLICY, pageHtml } from './html.ts'
import { languageFor } from './language.ts'
import { statusOf, type PageStatus } from './status.ts'
import type { Languages } from './texts.ts'

export interface PageOptions {
  readonly texts: Languages
  /** Whether the page names workloads and reasons. */
  readonly details: boolean
  /** Parts of `User-Agent` that wake nothing, beside the built-in ones. */
  readonly ignoreAgents: readonly string[]
  readonly clock: Clock
}

/** Seconds after which callers come again, where the answer says nothing better, and at most. */
const RETRY_AFTER = { usual: 30, most: 3600 } as const

const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  Vary: 'Accept, Accept-Language, Sec-Fetch-Mode, Sec-Fetch-Site, Sec-Purpose, Dormouse-Wake, User-Agent',
  // Else proxies and browsers would go on asking here, though the app has the port by now.
  Connection: 'close',
} as const

/**
 * Answers HTTP/1 for sleepers in the modes `page` and `button`. Browsers get a page, whose script wakes; everybody else
 * gets a 503 and wakes nothing; scrapers and balancers get an empty 200. It reads no address, body or cookie of a request.
 */
export function pageListener({ texts, details, ignoreAgents, clock }: PageOptions): AnswerPage {
  return (port, knocking, req, res) => {
    const caller = callerOf(req, ignoreAgents)
    // Its body goes nowhere.
    req.resume()
    res.on('error', () => undefined)
    if (caller === 'watcher')
      return send(res, 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }, '')
    if (caller === 'other' || caller === 'foreign') return refuse(res, port, caller)
    const language = languageFor(req.headers['accept-language'], texts)
    const tell = (answer: KnockAnswer | undefined) => {
      if (res.destroyed) return
      const status = statusOf(port, answer, language, details)
      const posted = req.method !== 'GET'
      const headers = { 'Retry-After': retryAfter(status, clock()), 'Content-Language': language.tag }
      if (caller !== 'navigation')
        return send(res, 503, { ...headers, 'Content-Type': STATUS_TYPE }, JSON.stringify(status))
      const html = pageHtml({ status, posted }, language)
      const page = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': PAGE_POLICY }
      send(res, 503, { ...headers, ...page }, html)
    }
    const asked = async () => (caller === 'wake' ? knocking.wake() : knocking.look())
    asked()
      .then(tell, () => tell(undefined))
      .catch(() => res.destroy())
  }
}

/** Short, for a program's log. */
function refuse(res: ServerResponse, { namespace, service }: SleepingPort, caller: Caller): void {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Retry-After': RETRY_AFTER.usual }
  if (caller === 'foreign') return send(res, 403, headers, 'another site may not wake this\n')
  const why = `Service ${service} in namespace ${namespace} is asleep or waking, and this request does not wake it.`
  send(
    res,
    503,
    headers,
    `${why} Open it in a browser, or wake what this lists: kubectl dormouse list -n ${namespace}\n`,
  )
}

function send(
  res: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string | number>>,
  body: string,
): void {
  const { req } = res
  res.writeHead(status, { ...HEADERS, ...headers, 'Content-Length': Buffer.byteLength(body) })
  // Node leaves the body of an answer to HEAD out.
  res.write(body)
  if (req.complete) return void res.end()
  // Node closes with the answer's end, and to close while a form still comes would reset it: then proxies say 502.
  const end = () => {
    clearTimeout(timer)
    res.end()
  }
  const timer = setTimeout(end, LAST_WORDS).unref()
  req.once('close', end)
}

/** Whole seconds, by what is known of the end of sleep or of waking. */
function retryAfter({ state, until, usual_seconds: usual }: PageStatus, now: number): number {
  const isAsleep = state === 'asleep' || state === 'held'
  if (isAsleep && until !== null) return Math.min(secondsUntil(Date.parse(until), now), RETRY_AFTER.most)
  return Math.min(usual ?? RETRY_AFTER.usual, RETRY_AFTER.most)
}

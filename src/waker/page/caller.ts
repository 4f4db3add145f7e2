import type { IncomingMessage } from 'node:http'
import { isAutomatic, isWatcher } from './agents.ts'

/** The page's script asks with it, and sends `Dormouse-Wake: 1` to wake: other sites cannot without a preflight, which gets no consent. */
export const STATUS_TYPE = 'application/vnd.dormouse+json'

/**
 * The kind of a request to the page: the navigation of a person, the page's own script that looks or wakes, another site
 * that pretends to be it, a scraper of metrics or a balancer's check, or anything else, such as a probe or a tab that polls.
 */
export type Caller = 'navigation' | 'look' | 'wake' | 'foreign' | 'watcher' | 'other'

/** By the headers alone; `ignored`: parts of `User-Agent` that are nobody's, beside the built-in ones. */
export function callerOf({ method, headers }: IncomingMessage, ignored: readonly string[]): Caller {
  const { accept = '', 'user-agent': agent } = headers
  const isGet = method === 'GET'
  if ((isGet || method === 'HEAD') && isWatching(accept, agent)) return 'watcher'
  if (headers.upgrade !== undefined || method === 'HEAD' || method === 'OPTIONS') return 'other'
  if (isAutomatic(agent, ignored) || isAhead(headers)) return 'other'
  if (isGet && accept === STATUS_TYPE) {
    const site = headers['sec-fetch-site'] ?? 'same-origin'
    if (site !== 'same-origin') return 'foreign'
    return headers['dormouse-wake'] === '1' ? 'wake' : 'look'
  }
  return isNavigation(headers) ? 'navigation' : 'other'
}

function isWatching(accept: string, agent: string | undefined): boolean {
  return (
    isWatcher(agent) ||
    accept.includes('application/openmetrics-text') ||
    accept.startsWith('text/plain; version=0.0.4') ||
    accept.startsWith('text/plain;version=0.0.4')
  )
}

/** Browsers fetch ahead for a person who may never look: Chromium and Firefox, Safari, and old ones. */
function isAhead(headers: IncomingMessage['headers']): boolean {
  const purposes = [headers['sec-purpose'], headers['purpose'], headers['x-purpose'], headers['x-moz']]
  return purposes.some((purpose) => /prefetch|prerender|preview/i.test(String(purpose ?? '')))
}

/** Browsers send Sec-Fetch over HTTPS alone; scripts that ask for HTML name themselves. */
function isNavigation(headers: IncomingMessage['headers']): boolean {
  const mode = headers['sec-fetch-mode']
  if (mode !== undefined) return mode === 'navigate'
  const isScript = headers['x-requested-with'] === 'XMLHttpRequest' || headers['hx-request'] !== undefined
  return !isScript && /^text\/html\b/i.test(headers.accept ?? '')
}

import type { STATUS_TYPE } from './caller.ts'
import type { PageStatus, Part } from './status.ts'

// As much of a browser as the script uses: the project's own types are Node's.
interface Element {
  hidden: boolean
  textContent: string
  dateTime: string
  readonly style: { width: string; transitionDuration: string }
  focus(): void
  setAttribute(name: string, value: string): void
  replaceChildren(...nodes: (Element | string)[]): void
  addEventListener(type: string, listener: () => void): void
}
declare const document: {
  title: string
  readonly hidden: boolean
  readonly documentElement: { readonly lang: string }
  getElementById(id: string): Element
  createElement(name: string): Element
  addEventListener(type: string, listener: () => void): void
}
declare const performance: { now(): number; getEntriesByType(type: 'navigation'): { type: string }[] }
declare function addEventListener(type: string, listener: () => void): void
declare const location: {
  readonly origin: string
  readonly pathname: string
  readonly search: string
  reload(): void
  replace(url: string): void
}

/** The data that the page's script starts from. */
export interface PageData {
  readonly status: PageStatus
  /** Whether a form was sent: loading the page again as it was would send it again. */
  readonly posted: boolean
}

/**
 * The page's own script, which browsers get as text (`wakePage.toString()`): it uses nothing from outside its body. It
 * wakes, asks until somebody else answers, and opens what they serve.
 */
export function wakePage(): void {
  const TYPE: typeof STATUS_TYPE = 'application/vnd.dormouse+json'
  const RELOADS = 'dormouse.dev/reloads'
  const PAUSES = [0, 2000, 10_000]
  const MINUTE = 60_000
  const part = (id: string) => document.getElementById(id)
  const [headline, lines, details, bar, filling] = ['headline', 'lines', 'details', 'bar', 'filling'].map(
    part,
  )
  const [button, again, offline, stuck] = ['wake', 'again', 'offline', 'stuck'].map(part)
  const { status: first, posted } = JSON.parse(part('data').textContent) as PageData
  // Without the query: the app answers the last time it is asked, and a link that is good for once has its secret there.
  const place = location.origin + location.pathname
  const { lang } = document.documentElement
  const locale = navigator.languages.find((each) => each.toLowerCase().startsWith(lang)) ?? lang
  const time = new Intl.DateTimeFormat(locale, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })
  let wakesIt = first.wakes === 'opened'
  let isAsking = false
  let isDone = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let pause = 1000
  let failures = 0
  let wakingSince: number | undefined
  let refusedSince: number | undefined
  let shown = ''

  function nodesOf(parts: readonly Part[]): (Element | string)[] {
    return parts.map((each) => {
      if (typeof each === 'string') return each
      const [name, text] = each
      const element = document.createElement(name)
      element.textContent = name === 'time' ? time.format(new Date(text)) : text
      if (name === 'time') element.dateTime = text
      return element
    })
  }

  function fill(place: Element | undefined, paragraphs: PageStatus['lines']): void {
    const written = paragraphs.map((parts) => {
      const paragraph = document.createElement('p')
      paragraph.replaceChildren(...nodesOf(parts))
      return paragraph
    })
    place?.replaceChildren(...written)
  }

  function show(status: PageStatus): void {
    if (status.state !== 'asleep' && status.state !== 'unknown') wakesIt = false
    if (button) button.hidden = status.state !== 'asleep' || wakesIt
    showProgress(status)
    // Readers of screens say what changes: only what did.
    const text = JSON.stringify([status.headline, status.lines, status.details])
    if (text === shown || !headline) return
    shown = text
    headline.replaceChildren(...nodesOf(status.headline))
    document.title = headline.textContent
    fill(lines, status.lines)
    fill(details, status.details)
  }

  function showProgress({ state, late, usual_seconds: usual }: PageStatus): void {
    if (!bar || !filling) return
    bar.hidden = !wakesIt && (state !== 'waking' || late)
    if (state !== 'waking') return
    wakingSince ??= performance.now()
    if (usual === null) return
    const share = (performance.now() + pause - wakingSince) / (usual * 1000)
    const percent = Math.round(Math.min(share, 0.95) * 100)
    bar.setAttribute('aria-valuenow', String(percent))
    filling.style.transitionDuration = `${pause}ms`
    filling.style.width = `${percent}%`
  }

  /** How often it was loaded again within a minute, so that a store on the way cannot make it go round. */
  function reloads(): number {
    try {
      const [count, at] = JSON.parse(sessionStorage.getItem(RELOADS) ?? '[0,0]') as [number, number]
      return Date.now() - at < MINUTE ? count : 0
    } catch {
      const [entry] = performance.getEntriesByType('navigation')
      return entry?.type === 'reload' ? PAUSES.length : 0
    }
  }

  function load(count: number): void {
    try {
      sessionStorage.setItem(RELOADS, JSON.stringify([count, Date.now()]))
    } catch {
      // A browser that keeps nothing says by itself that it was loaded again.
    }
    // A form is not sent again; the address behind # stays where it can.
    if (posted) location.replace(place + location.search)
    else location.reload()
  }

  function open(): void {
    isDone = true
    const count = reloads()
    const wait = PAUSES[count]
    if (wait !== undefined) setTimeout(() => load(count + 1), wait)
    else if (stuck && again) again.hidden = stuck.hidden = false
  }

  async function hear(answer: Response): Promise<void> {
    if (answer.headers.get('content-type') === TYPE) {
      refusedSince = undefined
      return show((await answer.json()) as PageStatus)
    }
    // A proxy that finds nobody between us and the app: it soon does.
    const isBetween = [502, 503, 504].includes(answer.status)
    if (isBetween) refusedSince ??= performance.now()
    if (!isBetween || performance.now() - (refusedSince ?? 0) > MINUTE / 2) open()
  }

  async function ask(): Promise<void> {
    clearTimeout(timer)
    if (isAsking || isDone || document.hidden) return
    isAsking = true
    const limit = new AbortController()
    const ends = setTimeout(() => limit.abort(), 15_000)
    try {
      const headers = { Accept: TYPE, ...(wakesIt && { 'Dormouse-Wake': '1' }) }
      const { signal } = limit
      const mode = 'same-origin'
      const answer = await fetch(place, { headers, signal, mode, cache: 'no-store', redirect: 'manual' })
      failures = 0
      await hear(answer)
    } catch {
      failures += 1
    }
    clearTimeout(ends)
    isAsking = false
    // One alone is a connection that changes hands.
    if (offline) offline.hidden = failures < 2
    timer = setTimeout(next, pause)
    pause = Math.min(pause * 1.2, 5000)
  }
  const next = () => void ask()

  button?.addEventListener('click', () => {
    wakesIt = true
    pause = 1000
    button.hidden = true
    part('main').focus()
    next()
  })
  again?.addEventListener('click', () => load(0))
  document.addEventListener('visibilitychange', next)
  addEventListener('online', next)
  part('needs').hidden = true
  show(first)
  next()
}

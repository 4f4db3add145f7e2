import { FILTERS, type Filter } from './record.ts'

/** The view in the page's address, so that links can be shared and the back button works. */
export interface Shown {
  readonly text: string
  readonly cluster: string
  readonly namespace: string
  readonly type: string
  readonly state: Filter
  /** The column by which rows are ordered, behind `-` downwards; '': by namespace and name. */
  readonly sort: string
  /** The workload that is open; '': none. */
  readonly open: string
}

const DEFAULT_FILTER = 'managed'

const NAMES: Readonly<Record<keyof Shown, string>> = {
  text: 'q',
  cluster: 'cluster',
  namespace: 'namespace',
  type: 'kind',
  state: 'state',
  sort: 'sort',
  open: 'open',
}

export function shownByAddress(): Shown {
  const search = new URLSearchParams(location.search)
  const value = (name: keyof Shown) => search.get(NAMES[name]) ?? ''
  return {
    text: value('text'),
    cluster: value('cluster'),
    namespace: value('namespace'),
    type: value('type'),
    state: filterOf(value('state')),
    sort: value('sort'),
    open: value('open'),
  }
}

/** A link may come from anybody, and from another release. */
function filterOf(text: string): Filter {
  return Object.hasOwn(FILTERS, text) ? (text as Filter) : DEFAULT_FILTER
}

/** `replace`: it is no step that the back button goes back by, such as each letter of a search. */
export function putIntoAddress(shown: Shown, replace: boolean): void {
  const search = new URLSearchParams()
  for (const [name, short] of Object.entries(NAMES) as [keyof Shown, string][])
    if (shown[name] !== '' && (name !== 'state' || shown.state !== DEFAULT_FILTER))
      search.set(short, shown[name])
  const address = `/console${search.size === 0 ? '' : `?${search}`}`
  if (address === location.pathname + location.search) return
  if (replace) history.replaceState(null, '', address)
  else history.pushState(null, '', address)
}

import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { App } from './app.ts'
import { GroupRow } from './group-row.ts'
import { keyOf, type Workload } from './record.ts'
import { Row } from './row.ts'
import { isGroup, ORDERS, type Group } from './selection.ts'
import { html } from './view.ts'
import { DayLetters } from './week-strip.ts'

/** Rows above and below the visible ones. */
const BESIDE = 8
/** The page never has more rows, whatever the screen. */
const MOST_ROWS = 90
const NARROW = matchMedia('(max-width: 900px)')

interface Props {
  readonly app: App
  readonly rows: readonly (Workload | Group)[]
  readonly now: number
  readonly onBulk: (group: Group) => void
}

/** All rows; only the visible ones are in the page. Arrow keys, Home, End and Page keys go through all. */
export function List({ app, rows, now, onBulk }: Props): VNode {
  const scroller = useRef<HTMLDivElement>(null)
  const [first, setFirst] = useState(0)
  const [height, setHeight] = useState(800)
  const [current, setCurrent] = useState(0)
  const [isNarrow, setNarrow] = useState(NARROW.matches)
  const wanted = useRef<number | undefined>(undefined)
  const tops = useMemo(() => topsOf(rows, isNarrow), [rows, isNarrow])
  const total = tops[rows.length] ?? 0
  const seen = rowAt(tops, (tops[first] ?? 0) + height) - first + 1

  useLayoutEffect(() => {
    const box = scroller.current
    if (!box) return undefined
    const observer = new ResizeObserver(() => setHeight(box.clientHeight))
    observer.observe(box)
    const narrow = () => setNarrow(NARROW.matches)
    NARROW.addEventListener('change', narrow)
    return () => {
      observer.disconnect()
      NARROW.removeEventListener('change', narrow)
    }
  }, [])

  const start = Math.max(0, Math.min(first, rows.length - seen) - BESIDE)
  const visible = rows.slice(start, start + Math.min(seen + 2 * BESIDE, MOST_ROWS))
  const reachable =
    current >= start && current < start + visible.length ? current : Math.min(first, rows.length - 1)

  useEffect(() => {
    if (wanted.current === undefined) return
    const target = scroller.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`)
    if (!target) return
    wanted.current = undefined
    target.focus({ preventScroll: true })
  })

  function go(to: number): void {
    const box = scroller.current
    if (!box || rows.length === 0) return
    const index = Math.max(0, Math.min(rows.length - 1, to))
    const [top = 0, bottom = total] = tops.slice(index, index + 2)
    if (top < box.scrollTop) box.scrollTop = top
    else if (bottom > box.scrollTop + box.clientHeight) box.scrollTop = bottom - box.clientHeight
    wanted.current = index
    setCurrent(index)
    setFirst(rowAt(tops, box.scrollTop))
  }

  function onKeyDown(event: KeyboardEvent): void {
    const page = Math.max(1, seen - 2)
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: rows.length - 1,
    }
    const to = steps[event.key]
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    go(to)
  }

  return html`<div class="table" role="table" aria-label="Workloads" aria-rowcount=${rows.length + 1}>
    <div class="head" role="rowgroup">
      <div class="row" role="row" aria-rowindex="1">
        ${COLUMNS.map(([id, title]) => html`<${Head} key=${id} app=${app} id=${id} title=${title} now=${now} />`)}
      </div>
    </div>
    <div
      class="scroller"
      role="rowgroup"
      ref=${scroller}
      onScroll=${() => setFirst(rowAt(tops, scroller.current?.scrollTop ?? 0))}
      onKeyDown=${onKeyDown}
    >
      <div class="all" role="presentation" style=${{ height: `${total}px` }}>
        ${visible.map((row, offset) => {
          const index = start + offset
          const props = {
            app,
            index,
            now,
            top: tops[index] ?? 0,
            isCurrent: index === reachable,
            onFocus: () => setCurrent(index),
          }
          return isGroup(row)
            ? html`<${GroupRow} key=${`${row.cluster}/${row.namespace}`} group=${row} onBulk=${onBulk} ...${props} />`
            : html`<${Row} key=${keyOf(row)} workload=${row} ...${props} />`
        })}
      </div>
    </div>
  </div>`
}

/** The top of each row, and the end of the last one, in pixels; as the style sheet has their heights. */
function topsOf(rows: readonly (Workload | Group)[], isNarrow: boolean): number[] {
  const tops = [0]
  let top = 0
  for (const row of rows) tops.push((top += !isNarrow ? 44 : isGroup(row) ? 52 : 134))
  return tops
}

/** The row at a place. */
function rowAt(tops: readonly number[], top: number): number {
  let [low, high] = [0, tops.length - 2]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((tops[middle] ?? 0) <= top) low = middle
    else high = middle - 1
  }
  return Math.max(0, low)
}

/** In the order of a row's cells. */
const COLUMNS = [
  ['state', 'State'],
  ['name', 'Workload'],
  ['why', 'Why'],
  ['count', 'Ready'],
  ['next', 'Next'],
  ['coming', 'The coming week'],
  ['act', 'Action'],
] as const

interface HeadProps {
  readonly app: App
  readonly id: (typeof COLUMNS)[number][0]
  readonly title: string
  readonly now: number
}

/** The head of a column; a click orders by it, upwards, downwards, and as before. */
function Head({ app: { model }, id, title, now }: HeadProps): VNode {
  const column = id === 'name' ? 'workload' : id
  const { sort } = model.shown
  const direction = sort === column ? 'ascending' : sort === `-${column}` ? 'descending' : 'none'
  const next = { none: column, ascending: `-${column}`, descending: '' }[direction]
  const isSortable = column in ORDERS
  const label =
    id === 'coming' ? html`<span class="visually-hidden">${title}</span><${DayLetters} now=${now} />` : title
  return html`<div
    class=${`cell ${id}`}
    role="columnheader"
    aria-sort=${isSortable && direction !== 'none' ? direction : undefined}
  >
    ${
      isSortable
        ? html`<button type="button" class="sort" onClick=${() => model.show({ sort: next })}>
            ${title}<span aria-hidden="true">${{ none: '', ascending: ' ↑', descending: ' ↓' }[direction]}</span>
          </button>`
        : label
    }
  </div>`
}

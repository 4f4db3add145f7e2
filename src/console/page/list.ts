import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { App } from './app.ts'
import { keyOf, type Workload } from './record.ts'
import { Row } from './row.ts'
import { html } from './view.ts'

/** Rows above and below the visible ones. */
const BESIDE = 8
/** The page never has more rows, whatever the screen. */
const MOST_ROWS = 90
const NARROW = matchMedia('(max-width: 760px)')

interface Props {
  readonly app: App
  readonly workloads: readonly Workload[]
  readonly now: number
}

/** All workloads; only the visible rows are in the page. Arrow keys, Home, End and Page keys go through all. */
export function List({ app, workloads, now }: Props): VNode {
  const scroller = useRef<HTMLDivElement>(null)
  const [first, setFirst] = useState(0)
  const [height, setHeight] = useState(800)
  const [current, setCurrent] = useState(0)
  const [isNarrow, setNarrow] = useState(NARROW.matches)
  const wanted = useRef<number | undefined>(undefined)
  const rowHeight = isNarrow ? 112 : 56
  const seen = Math.ceil(height / rowHeight)

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

  const start = Math.max(0, Math.min(first, workloads.length - seen) - BESIDE)
  const rows = workloads.slice(start, start + Math.min(seen + 2 * BESIDE, MOST_ROWS))
  const reachable =
    current >= start && current < start + rows.length ? current : Math.min(first, workloads.length - 1)

  useEffect(() => {
    if (wanted.current === undefined) return
    const target = scroller.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`)
    if (!target) return
    wanted.current = undefined
    target.focus({ preventScroll: true })
  })

  function go(to: number): void {
    const box = scroller.current
    if (!box || workloads.length === 0) return
    const index = Math.max(0, Math.min(workloads.length - 1, to))
    const top = index * rowHeight
    if (top < box.scrollTop) box.scrollTop = top
    else if (top + rowHeight > box.scrollTop + box.clientHeight)
      box.scrollTop = top + rowHeight - box.clientHeight
    wanted.current = index
    setCurrent(index)
    setFirst(Math.floor(box.scrollTop / rowHeight))
  }

  function onKeyDown(event: KeyboardEvent): void {
    const page = Math.max(1, seen - 2)
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: workloads.length - 1,
    }
    const to = steps[event.key]
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    go(to)
  }

  return html`<div class="table" role="table" aria-label="Workloads" aria-rowcount=${workloads.length + 1}>
    <div class="head" role="rowgroup">
      <div class="row" role="row" aria-rowindex="1">
        ${['State', 'Workload', 'Why', 'Replicas', 'Next', 'Coming week', 'Action'].map(
          (title, index) =>
            html`<div class=${`cell ${CELLS[index]}`} role="columnheader" key=${title}>${title}</div>`,
        )}
      </div>
    </div>
    <div
      class="scroller"
      role="rowgroup"
      ref=${scroller}
      onScroll=${() => setFirst(Math.floor((scroller.current?.scrollTop ?? 0) / rowHeight))}
      onKeyDown=${onKeyDown}
    >
      <div class="all" role="presentation" style=${{ height: `${workloads.length * rowHeight}px` }}>
        ${rows.map((workload, offset) => {
          const index = start + offset
          return html`<${Row}
            key=${keyOf(workload)}
            app=${app}
            workload=${workload}
            index=${index}
            top=${index * rowHeight}
            isCurrent=${index === reachable}
            now=${now}
            onFocus=${() => setCurrent(index)}
          />`
        })}
      </div>
    </div>
  </div>`
}

const CELLS = ['state', 'name', 'why', 'count', 'next', 'coming', 'act']

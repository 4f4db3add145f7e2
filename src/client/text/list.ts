import { withoutPrefixes } from '../../domain/workload/author.ts'
import { withContext } from '../cluster-names.ts'
import { targetText } from '../kinds.ts'
import { oneLine } from '../safe-output.ts'
import type { Found } from '../ports.ts'
import { zoneOf } from './local-time.ts'
import { nextText, shortReason, stateOf, colourOf } from './state.ts'
import { cut, Table, visibleLength } from './table.ts'
import type { Style } from './why.ts'

export interface Columns {
  /** The longest name of a cluster; undefined: the cluster is no column. */
  readonly cluster?: string | undefined
  /** Whether the namespace is a column. */
  readonly namespace: boolean
  readonly wide: boolean
  /** Characters of a line; undefined: nobody reads it on a terminal. */
  readonly width?: number | undefined
}

interface Row {
  readonly found: Found
  /** It was deleted. */
  readonly gone?: boolean
}

type Cells = readonly string[]

/** The parts that a line leaves out to fit the terminal, the least first: nothing, long names of kinds, the reason, what is next. */
const LAYOUTS = [
  { kind: 'long', reason: true, next: true },
  { kind: 'short', reason: true, next: true },
  { kind: 'short', reason: false, next: true },
  { kind: 'short', reason: false, next: false },
] as const
type Layout = (typeof LAYOUTS)[number]

/** Characters of a reason that still say something. */
const SHORTEST_REASON = 16

/** A table of workloads that fits the terminal: the reason takes the place that is left. Later rows keep to it. */
export class ListTable {
  readonly #columns: Columns
  readonly #header: readonly string[]
  readonly #layout: Layout
  readonly #table: Table
  /** Characters of a reason; undefined: any number. */
  readonly #room: number | undefined

  constructor(rows: readonly Row[], columns: Columns, style: Style, grows = false) {
    const isCut = columns.width !== undefined && !columns.wide
    const [whole, ...narrower] = LAYOUTS
    let fitting = fit(rows, columns, whole, style, grows)
    for (const layout of isCut ? narrower : [])
      if (fitting.room < 0) fitting = fit(rows, columns, layout, style, grows)
    const { layout, table, room } = fitting
    this.#columns = columns
    this.#header = header(columns, layout, style)
    this.#layout = layout
    this.#table = table
    this.#room = isCut && layout.reason ? room : undefined
    if (isCut && room < 0) {
      const names = header(columns, layout, style)
      table.narrow(
        ['CLUSTER', 'NAMESPACE', 'NAME'].map((name) => names.indexOf(name)).filter((place) => place >= 0),
        columns.width ?? 0,
      )
    }
  }

  header(): string {
    return this.#table.row(this.#header)
  }

  row(row: Row, style: Style): string {
    const cells = [...cellsOf(row, this.#columns, this.#layout, style)]
    if (this.#room !== undefined) cells.push(cut(cells.pop() ?? '', this.#room))
    return this.#table.row(cells)
  }
}

/** `room`: characters that are left for the reason, at least what is needed; negative: the line is too long. */
function fit(rows: readonly Row[], columns: Columns, layout: Layout, style: Style, grows: boolean) {
  const cells = rows.map((row) => cellsOf(row, columns, layout, style))
  const names = header(columns, layout, style)
  // Later rows may have a longer state, or come from another cluster.
  const longest: Readonly<Record<string, string>> = {
    STATE: 'falling_asleep',
    CLUSTER: columns.cluster ?? '',
  }
  const widest = grows ? [names.map((name) => longest[name] ?? '')] : []
  const table = new Table(names, [...cells, ...widest])
  const width = columns.width ?? Number.POSITIVE_INFINITY
  if (!layout.reason) return { layout, table, room: width - table.width }
  const needed = Math.max('REASON'.length, ...cells.map((each) => visibleLength(each.at(-1) ?? '')))
  const room = Math.min(needed, width - (table.width - needed))
  return { layout, table, room: room < Math.min(needed, SHORTEST_REASON) ? -1 : room }
}

function header(
  { cluster, namespace, wide }: Columns,
  { reason, next }: Layout,
  { times }: Pick<Style, 'times'>,
): string[] {
  return [
    ...(cluster === undefined ? [] : ['CLUSTER']),
    ...(namespace ? ['NAMESPACE'] : []),
    'NAME',
    'KIND',
    'STATE',
    'READY',
    // Beside the hours in their own zone.
    ...(next ? [wide ? `NEXT (${zoneOf(times)})` : 'NEXT'] : []),
    ...(wide ? ['KEPT', 'SCHEDULE', 'ZONE', 'FROM', 'LAST', 'BY'] : []),
    ...(reason ? ['REASON'] : []),
  ]
}

function cellsOf(
  { found, gone = false }: Row,
  { cluster, namespace, wide }: Columns,
  layout: Layout,
  style: Style,
): Cells {
  const { record } = found
  const state = stateOf(record)
  const [short = ''] = targetText({ kind: found.kind, name: '' }).split('/')
  return [
    ...(cluster === undefined ? [] : [clusterText(found, wide)]),
    ...(namespace ? [record.namespace] : []),
    record.name,
    layout.kind === 'long' ? record.type : short,
    gone ? 'deleted' : style.paint(colourOf(state), state),
    gone ? '-' : `${record.ready_replicas}/${record.current_replicas}`,
    ...(layout.next ? [gone ? '-' : nextText(record, style.times)] : []),
    ...(wide ? wideCells(record) : []),
    ...(layout.reason ? [gone ? '-' : oneLine(shortReason(record, style.times))] : []),
  ]
}

function clusterText({ cluster = '', clusterName = cluster }: Found, wide: boolean): string {
  return wide ? withContext(clusterName, cluster) : clusterName
}

function wideCells(record: Found['record']): string[] {
  const { schedule, timezone } = record.policy
  const [latest] = record.operation_history
  return [
    record.is_snoozed ? String(record.last_replicas) : '-',
    schedule.value ?? '-',
    timezone.value ?? '-',
    schedule.source ?? '-',
    latest?.type ?? '-',
    withoutPrefixes(latest?.by ?? latest?.trigger ?? '-'),
  ]
}

import { withoutPrefixes } from '../../domain/workload/author.ts'
import { withContext } from '../cluster-names.ts'
import { targetText } from '../kinds.ts'
import type { Found } from '../ports.ts'
import { zoneOf } from './local-time.ts'
import { nextText, shortReason, stateOf, colourOf } from './state.ts'
import { Table } from './table.ts'
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

  constructor(rows: readonly Row[], columns: Columns, style: Style, grows = false) {
    const [whole, ...narrower] = LAYOUTS
    let laid = laidOut(rows, columns, whole, style, grows)
    for (const layout of narrower) if (!laid.table.fits) laid = laidOut(rows, columns, layout, style, grows)
    const { layout, names, table } = laid
    table.narrow(['CLUSTER', 'NAMESPACE', 'NAME'].flatMap((name) => placeOf(name, names)))
    this.#columns = columns
    this.#header = names
    this.#layout = layout
    this.#table = table
  }

  header(): string {
    return this.#table.row(this.#header)
  }

  row(row: Row, style: Style): string {
    return this.#table.row(cellsOf(row, this.#columns, this.#layout, style))
  }
}

function placeOf(name: string, names: readonly string[]): number[] {
  const place = names.indexOf(name)
  return place < 0 ? [] : [place]
}

/** `grows`: later rows may have a longer state, or come from another cluster. */
function laidOut(rows: readonly Row[], columns: Columns, layout: Layout, style: Style, grows: boolean) {
  const names = header(columns, layout, style)
  const longest: Readonly<Record<string, string>> = {
    STATE: 'falling_asleep',
    CLUSTER: columns.cluster ?? '',
  }
  const widest = grows ? [names.map((name) => longest[name] ?? '')] : []
  const cells = rows.map((row) => cellsOf(row, columns, layout, style))
  const table = new Table(names, [...cells, ...widest], columns.wide ? undefined : columns.width)
  table.narrow(placeOf('REASON', names), SHORTEST_REASON)
  return { layout, names, table }
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
    ...(layout.reason ? [gone ? '-' : shortReason(record, style.times)] : []),
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

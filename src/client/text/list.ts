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

/** The parts of a line that depend on how much of it fits the terminal. */
type Part = 'long kind' | 'short kind' | 'reason' | 'next'

/** Left out of a line to fit the terminal, the least first: nothing, long names of kinds, the reason, what is next. */
const LAYOUTS: readonly (readonly Part[])[] = [
  ['short kind'],
  ['long kind'],
  ['long kind', 'reason'],
  ['long kind', 'reason', 'next'],
]

/** Characters of a reason that still say something. */
const SHORTEST_REASON = 16

interface Column {
  readonly name: string
  readonly cell: (found: Found, style: Style) => string
  /** The cell of a workload that was deleted; default: the same. */
  readonly gone?: string
  readonly part?: Part
}

/** A table of workloads that fits the terminal: the reason takes the place that is left. Later rows keep to it. */
export class ListTable {
  readonly #columns: readonly Column[]
  /** Those of the rows that it was made for: for thousands they are made once. */
  readonly #cells: WeakMap<Row, Cells>
  readonly #layout: readonly Part[]
  readonly #table: Table

  /** `grows`: later rows may have a longer state, or come from another cluster. */
  constructor(rows: readonly Row[], columns: Columns, style: Style, grows = false) {
    this.#columns = columnsOf(columns, style)
    const cells = rows.map((row) => this.#cellsOf(row, style))
    this.#cells = new WeakMap(rows.map((row, place) => [row, cells[place] ?? []]))
    const longest: Readonly<Record<string, string>> = {
      STATE: 'falling_asleep',
      CLUSTER: columns.cluster ?? '',
    }
    const widest = grows ? [this.#columns.map(({ name }) => longest[name] ?? '')] : []
    const names = this.#columns.map(({ name }) => name)
    const laidOut = (layout: readonly Part[]) => {
      const header = this.#within(layout, names)
      const shown = [...cells, ...widest].map((each) => this.#within(layout, each))
      const table = new Table(header, shown, columns.wide ? undefined : columns.width)
      table.narrow(placeOf('REASON', header), SHORTEST_REASON)
      return { layout, header, table }
    }
    const [whole = [], ...narrower] = LAYOUTS
    let laid = laidOut(whole)
    for (const layout of narrower) if (!laid.table.fits) laid = laidOut(layout)
    const { layout, header, table } = laid
    table.narrow(['CLUSTER', 'NAMESPACE', 'NAME'].flatMap((name) => placeOf(name, header)))
    this.#layout = layout
    this.#table = table
  }

  header(): string {
    return this.#line(this.#columns.map(({ name }) => name))
  }

  row(row: Row, style: Style): string {
    return this.#line(this.#cells.get(row) ?? this.#cellsOf(row, style))
  }

  #line(cells: Cells): string {
    return this.#table.row(this.#within(this.#layout, cells))
  }

  #cellsOf({ found, gone = false }: Row, style: Style): Cells {
    return this.#columns.map((column) => (gone && column.gone) || column.cell(found, style))
  }

  #within(leavesOut: readonly Part[], cells: Cells): Cells {
    return cells.filter((_, place) => {
      const part = this.#columns[place]?.part
      return part === undefined || !leavesOut.includes(part)
    })
  }
}

function placeOf(name: string, names: readonly string[]): number[] {
  const place = names.indexOf(name)
  return place < 0 ? [] : [place]
}

function columnsOf(
  { cluster, namespace, wide }: Columns,
  { times }: Pick<Style, 'times'>,
): readonly Column[] {
  const columns: readonly (Column | false)[] = [
    cluster !== undefined && { name: 'CLUSTER', cell: (found) => clusterText(found, wide) },
    namespace && { name: 'NAMESPACE', cell: ({ record }) => record.namespace },
    { name: 'NAME', cell: ({ record }) => record.name },
    { name: 'KIND', cell: ({ record }) => record.type, part: 'long kind' },
    { name: 'KIND', cell: ({ kind }) => shortKind(kind), part: 'short kind' },
    { name: 'STATE', cell: ({ record }, { paint }) => stateText(record, paint), gone: 'deleted' },
    {
      name: 'READY',
      cell: ({ record }) => `${record.ready_replicas}/${record.current_replicas}`,
      gone: '-',
    },
    {
      // Beside the hours in their own zone.
      name: wide ? `NEXT (${zoneOf(times)})` : 'NEXT',
      cell: ({ record }, style) => nextText(record, style.times),
      gone: '-',
      part: 'next',
    },
    ...(wide ? WIDE : []),
    {
      name: 'REASON',
      cell: ({ record }, style) => shortReason(record, style.times),
      gone: '-',
      part: 'reason',
    },
  ]
  return columns.filter((column) => column !== false)
}

const WIDE: readonly Column[] = [
  { name: 'KEPT', cell: ({ record }) => (record.is_snoozed ? String(record.last_replicas) : '-') },
  { name: 'SCHEDULE', cell: ({ record }) => record.policy.schedule.value ?? '-' },
  { name: 'ZONE', cell: ({ record }) => record.policy.timezone.value ?? '-' },
  { name: 'FROM', cell: ({ record }) => record.policy.schedule.source ?? '-' },
  { name: 'LAST', cell: ({ record }) => record.operation_history[0]?.type ?? '-' },
  {
    name: 'BY',
    cell: ({
      record: {
        operation_history: [latest],
      },
    }) => withoutPrefixes(latest?.by ?? latest?.trigger ?? '-'),
  },
]

function clusterText({ cluster = '', clusterName = cluster }: Found, wide: boolean): string {
  return wide ? withContext(clusterName, cluster) : clusterName
}

function shortKind(kind: Found['kind']): string {
  return targetText({ kind, name: '' }).replace('/', '')
}

function stateText(record: Found['record'], paint: Style['paint']): string {
  const state = stateOf(record)
  return paint(colourOf(state), state)
}

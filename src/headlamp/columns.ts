import type { Clock } from '../process/clock.ts'
import type { Column, Host, Item, Table } from './host.ts'
import { recordOf } from './record.ts'
import { labelOf, nextAt, nextOf } from './words.ts'

/** Headlamp's tables of workloads. */
const TABLES = new Set(['deployments', 'statefulsets', 'daemonsets', 'cronjobs', 'workloads'])
/** Headlamp's own columns that identify a row; ours follow them. */
const IDENTITY = new Set(['name', 'namespace', 'cluster'])

/** Adds the columns "Dormouse" and "Next" to the tables of workloads. */
export function columnsFor({ React, CommonComponents: { StatusLabel } }: Host, clock: Clock) {
  const cellsOf = ({ jsonData }: Item) => {
    const record = recordOf(jsonData, clock())
    return record && { ...labelOf(record), at: nextAt(record), next: nextOf(record, clock()) }
  }
  const state: Column = {
    id: 'dormouse-state',
    label: 'Dormouse',
    getValue: (item) => cellsOf(item)?.text ?? '',
    render(item) {
      const cells = cellsOf(item)
      return cells && React.createElement(StatusLabel, { status: cells.status }, cells.text)
    },
  }
  const next: Column = {
    id: 'dormouse-next',
    label: 'Next',
    getValue: (item) => cellsOf(item)?.at ?? '',
    render: (item) => cellsOf(item)?.next,
  }
  return ({ id, columns }: Table): Table['columns'] => {
    if (!TABLES.has(id.replace(/^headlamp-/, ''))) return columns
    const ids = columns.map((each) => (typeof each === 'string' ? each : each.id))
    return columns.toSpliced(ids.findLastIndex((each) => IDENTITY.has(each)) + 1, 0, state, next)
  }
}

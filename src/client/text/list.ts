import type { Found } from '../ports.ts'
import { nextText, shortReason, stateOf, colourOf } from './state.ts'
import type { Style } from './why.ts'

export interface Columns {
  /** Whether the cluster is a column. */
  readonly cluster: boolean
  /** Whether the namespace is a column. */
  readonly namespace: boolean
  readonly wide: boolean
}

export function listHeader({ cluster, namespace, wide }: Columns): string[] {
  const own = ['NAME', 'KIND', 'STATE', 'REASON', 'NEXT']
  return [
    ...(cluster ? ['CLUSTER'] : []),
    ...(namespace ? ['NAMESPACE'] : []),
    ...own,
    ...(wide ? ['READY', 'KEPT', 'SCHEDULE', 'ZONE', 'FROM', 'LAST', 'BY'] : []),
  ]
}

/** The cells that say where a workload is. */
export function placeCells(
  { cluster: of = '', record }: Found,
  { cluster, namespace }: Omit<Columns, 'wide'>,
): string[] {
  return [...(cluster ? [of] : []), ...(namespace ? [record.namespace] : [])]
}

export function listRow(found: Found, columns: Columns, style: Style): string[] {
  const { record } = found
  const { wide } = columns
  const state = stateOf(record)
  const reason = shortReason(record, style.times)
  const own = [
    record.name,
    record.type,
    style.paint(colourOf(state), state),
    wide || reason.length <= LONGEST_REASON ? reason : `${reason.slice(0, LONGEST_REASON - 1)}…`,
    nextText(record, style.times),
  ]
  return [...placeCells(found, columns), ...own, ...(wide ? wideCells(record) : [])]
}

const LONGEST_REASON = 64

function wideCells(record: Found['record']): string[] {
  const { schedule, timezone } = record.policy
  const [latest] = record.operation_history
  return [
    `${record.ready_replicas}/${record.current_replicas}`,
    record.is_snoozed ? String(record.last_replicas) : '-',
    schedule.value ?? '-',
    timezone.value ?? '-',
    schedule.source ?? '-',
    latest?.type ?? '-',
    latest?.by ?? latest?.trigger ?? '-',
  ]
}

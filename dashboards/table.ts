import { TableSortByFieldStateBuilder } from '@grafana/grafana-foundation-sdk/common'
import { DataqueryBuilder, PromQueryFormat } from '@grafana/grafana-foundation-sdk/prometheus'
import { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table'
import { DATASOURCE, dressed, GRAPH_HEIGHT, type Built, type Panel } from './panels.ts'

/** A column: a query that returns one value for each row, with its title and unit. */
interface Column {
  readonly title: string
  readonly expr: string
  readonly unit: string
  readonly decimals: number
}

/** Current values in rows, one for each value of the label `row`; sorted by the last column, the largest first. */
export function table(
  panel: Omit<Panel, 'queries'> & { readonly row: string; readonly columns: readonly Column[] },
): Built {
  const { row, columns } = panel
  const builder = dressed(new TableBuilder(), { ...panel, queries: [] }, true).height(GRAPH_HEIGHT)
  const renamed: Record<string, string> = { [row]: row[0]?.toUpperCase() + row.slice(1) }
  const order: Record<string, number> = { [row]: 0 }
  for (const [index, { title, expr, unit, decimals }] of columns.entries()) {
    const refId = String.fromCodePoint(65 + index)
    const query = new DataqueryBuilder().refId(refId).datasource(DATASOURCE).expr(expr)
    builder.withTarget(query.instant().format(PromQueryFormat.Table).legendFormat(''))
    renamed[`Value #${refId}`] = title
    order[`Value #${refId}`] = index + 1
    builder.overrideByName(title, [
      { id: 'unit', value: unit },
      { id: 'decimals', value: decimals },
    ])
  }
  return builder
    .withTransformation({ id: 'merge', options: {} })
    .withTransformation({
      id: 'organize',
      options: { excludeByName: { Time: true }, renameByName: renamed, indexByName: order },
    })
    .sortBy([new TableSortByFieldStateBuilder().displayName(columns.at(-1)?.title ?? '').desc(true)])
}

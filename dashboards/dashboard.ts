import {
  DashboardBuilder,
  DashboardCursorSync,
  DashboardLinkBuilder,
  DashboardLinkType,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
  VariableSort,
  type DashboardLink,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { DATASOURCE, type Built } from './panels.ts'
import { selected } from './queries.ts'

/** Panels under one heading, in lines of 24 columns. */
export interface Row {
  readonly id: number
  readonly title: string
  readonly panels: readonly Built[]
}

/**
 * A dashboard with the parts that all of ours have: variables for data source, clusters and namespaces, and links to the
 * others.
 */
export function newDashboard(uid: string, title: string, description: string): DashboardBuilder {
  return new DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(['dormouse'])
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from: 'now-24h', to: 'now' })
    .refresh('1m')
    .link({ build: linkToAll })
    .withVariable(new DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'))
    .withVariable(chosen('cluster', 'Cluster', 'label_values(dormouse_leader, cluster)'))
    .withVariable(
      chosen('namespace', 'Namespace', `label_values(${selected('dormouse_workloads')}, namespace)`),
    )
}

/** Several of these values, or all. All matches series without the label, too. */
function chosen(name: string, label: string, query: string): QueryVariableBuilder {
  return new QueryVariableBuilder(name)
    .label(label)
    .datasource(DATASOURCE)
    .query(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .sort(VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .allValue('.*')
    .current({ text: 'All', value: '$__all' })
}

/** A link to each dashboard of this tag; shown in a row, and not in a menu, which is the builder's default. */
function linkToAll(): DashboardLink {
  const { placement: _, ...link } = new DashboardLinkBuilder('Dormouse')
    .type(DashboardLinkType.Dashboards)
    .tags(['dormouse'])
    .includeVars(true)
    .keepTime(true)
    .build()
  return link
}

export function withRows(dashboard: DashboardBuilder, rows: readonly Row[]): DashboardBuilder {
  for (const { id, title, panels } of rows) {
    dashboard.withRow(new RowBuilder(title).id(id))
    for (const panel of panels) dashboard.withPanel(panel)
  }
  return dashboard
}

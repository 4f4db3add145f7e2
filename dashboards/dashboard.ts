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

/** Panels under one heading, in lines of 24 columns. */
export interface Row {
  readonly id: number
  readonly title: string
  readonly panels: readonly Built[]
}

/**
 * A dashboard with the parts that all of ours have: variables for data source and namespaces, and links to the
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
    .withVariable(
      new QueryVariableBuilder('namespace')
        .label('Namespace')
        .datasource(DATASOURCE)
        .query('label_values(dormouse_workloads, namespace)')
        .refresh(VariableRefresh.OnTimeRangeChanged)
        .sort(VariableSort.AlphabeticalAsc)
        .multi(true)
        .includeAll(true)
        .allValue('.*')
        .current({ text: 'All', value: '$__all' }),
    )
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

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

/** Panels below one heading; the dashboard breaks lines where 24 columns are full. */
export interface Row {
  readonly id: number
  readonly title: string
  readonly panels: readonly Built[]
}

/** What all our dashboards share: the data source and the namespaces to choose, and links to each other. */
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

/** To all dashboards of this tag; in sight, not in a menu as the builder has it. */
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

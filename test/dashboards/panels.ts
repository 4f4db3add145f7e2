import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT } from '../support/dormouse.ts'

interface GridPos {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

interface Target {
  readonly refId: string
  readonly expr: string
  readonly instant: boolean
  readonly legendFormat: string
}

/** The parts of a panel's JSON that the tests read. */
export interface PanelJson {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly gridPos: GridPos
  readonly targets?: readonly Target[]
  readonly fieldConfig?: {
    readonly defaults: { readonly unit?: string; readonly thresholds?: { readonly steps: readonly object[] } }
  }
}

export interface DashboardJson {
  readonly uid: string
  readonly title: string
  readonly description: string
  readonly tags: readonly string[]
  readonly links: readonly { readonly type: string; readonly tags: readonly string[] }[]
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] }
  readonly panels: readonly PanelJson[]
}

export const NAMES = ['overview', 'operations'] as const

/** A dashboard as the chart has it. */
export function dashboardJson(name: (typeof NAMES)[number]): DashboardJson {
  const path = join(PROJECT, 'charts', 'dormouse', 'dashboards', `${name}.json`)
  return JSON.parse(readFileSync(path, 'utf8')) as DashboardJson
}

/** One query of a panel. */
export interface PanelQuery {
  readonly dashboard: string
  readonly panel: string
  readonly instant: boolean
  readonly expr: string
}

export function queriesOf(name: (typeof NAMES)[number]): PanelQuery[] {
  return dashboardJson(name).panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ refId, expr, instant }) => ({
      dashboard: name,
      panel: targets.length === 1 ? title : `${title} (${refId})`,
      instant,
      expr,
    })),
  )
}

/** Puts values in the place of variables, as Grafana does. */
export function filledIn(expr: string, variables: Readonly<Record<string, string>>): string {
  return expr.replaceAll(/\$(\w+)/g, (_, name: string) => {
    const value = variables[name]
    if (value === undefined) throw new TypeError(`$${name} is no variable: ${expr}`)
    return value
  })
}

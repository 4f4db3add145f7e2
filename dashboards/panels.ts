import {
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  GraphDrawStyle,
  GraphThresholdsStyleConfigBuilder,
  GraphThresholdsStyleMode,
  LegendDisplayMode,
  LegendPlacement,
  ReduceDataOptionsBuilder,
  StackingConfigBuilder,
  StackingMode,
  TooltipDisplayMode,
  SortOrder,
  VisibilityMode,
  VizLegendOptionsBuilder,
  VizOrientation,
  VizTooltipOptionsBuilder,
  type DataSourceRef,
} from '@grafana/grafana-foundation-sdk/common'
import { PanelBuilder as BarGaugeBuilder } from '@grafana/grafana-foundation-sdk/bargauge'
import {
  FieldColorBuilder,
  FieldColorModeId,
  type Panel as PanelModel,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus'
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat'
import type { PanelBuilder as TableBuilder } from '@grafana/grafana-foundation-sdk/table'
import { PanelBuilder as SeriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries'
import type { Builder } from '@grafana/grafana-foundation-sdk/cog'
import type { Query } from './queries.ts'
import { thresholdsOf, type Steps } from './thresholds.ts'

/** The settings of every panel. */
export interface Panel {
  /** Never changed: links to panels, and diffs, depend on it. */
  readonly id: number
  readonly title: string
  /** The panel's subject, and how to read it. */
  readonly description: string
  /** By Grafana's name for it. */
  readonly unit: string
  readonly thresholds: Steps
  readonly queries: readonly Query[]
  /** In columns, of 24. */
  readonly width: number
  readonly decimals?: number
}

export type Built = Builder<PanelModel>
type AnyBuilder = StatBuilder | SeriesBuilder | BarGaugeBuilder | TableBuilder

/** The data source that is chosen at the top of the dashboard. */
export const DATASOURCE: DataSourceRef = { type: 'prometheus', uid: '${datasource}' }
const STAT_HEIGHT = 4
export const GRAPH_HEIGHT = 8

/** One current figure. `none`: the text that is shown without a value; `isNamed`: with its legend. */
export function stat(panel: Panel & { readonly none?: string; readonly isNamed?: boolean }): Built {
  const builder = new StatBuilder()
    .colorMode(BigValueColorMode.Value)
    .graphMode(BigValueGraphMode.None)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
  if (panel.none !== undefined) builder.noValue(panel.none)
  if (panel.isNamed) builder.textMode(BigValueTextMode.ValueAndName)
  return dressed(builder, panel, true).height(STAT_HEIGHT)
}

/** Lines over time. `stacked`: on top of each other, so that their sum shows; `limits`: the thresholds are drawn. */
export function graph(
  panel: Panel & { readonly stacked?: boolean; readonly limits?: boolean; readonly max?: number },
): Built {
  const { stacked = false, limits = false, max } = panel
  const builder = withLegend(new SeriesBuilder())
    .fillOpacity(stacked ? 30 : 5)
    .showPoints(VisibilityMode.Never)
    .stacking(new StackingConfigBuilder().mode(stacked ? StackingMode.Normal : StackingMode.None))
    .thresholdsStyle(
      new GraphThresholdsStyleConfigBuilder().mode(
        limits ? GraphThresholdsStyleMode.Dashed : GraphThresholdsStyleMode.Off,
      ),
    )
  if (max !== undefined) builder.max(max)
  return dressed(builder, panel, false).height(GRAPH_HEIGHT)
}

/** Counts in each step of time, as stacked bars; a step is at least five minutes, so that waves stand out. */
export function bars(panel: Panel): Built {
  const builder = withLegend(new SeriesBuilder())
    .drawStyle(GraphDrawStyle.Bars)
    .fillOpacity(70)
    .lineWidth(0)
    .stacking(new StackingConfigBuilder().mode(StackingMode.Normal))
    .interval('5m')
  return dressed(builder, panel, false).height(GRAPH_HEIGHT)
}

/** A bar with the current value for each query. */
export function list(panel: Panel): Built {
  const builder = new BarGaugeBuilder()
    .orientation(VizOrientation.Horizontal)
    .reduceOptions(new ReduceDataOptionsBuilder().calcs(['lastNotNull']))
    .min(0)
  return dressed(builder, panel, true).height(GRAPH_HEIGHT)
}

/** Sets what all kinds of panels share; `instant`: only current values are queried. */
export function dressed<B extends AnyBuilder>(builder: B, panel: Panel, instant: boolean): B {
  const { id, title, description, unit, thresholds, queries, width, decimals } = panel
  builder
    .id(id)
    .title(title)
    .description(description)
    .datasource(DATASOURCE)
    .unit(unit)
    .thresholds(thresholdsOf(thresholds))
    .span(width)
  if (decimals !== undefined) builder.decimals(decimals)
  for (const [index, { expr, legend }] of queries.entries()) {
    const query = new DataqueryBuilder()
      .refId(String.fromCodePoint(65 + index))
      .datasource(DATASOURCE)
      .expr(expr)
      .legendFormat(legend)
    builder.withTarget(instant ? query.instant() : query.range())
  }
  return builder
}

function withLegend(builder: SeriesBuilder): SeriesBuilder {
  return builder
    .min(0)
    .colorScheme(new FieldColorBuilder().mode(FieldColorModeId.PaletteClassicByName))
    .legend(
      new VizLegendOptionsBuilder()
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom)
        .showLegend(true)
        .calcs([]),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi).sort(SortOrder.Descending))
}

/** Only the clusters that are chosen at the top of the dashboard; where no series has that label, all. */
const CLUSTERS = 'cluster=~"$cluster"'

/** Only the namespaces that are chosen at the top of the dashboard. */
export const CHOSEN = 'namespace=~"$namespace"'

/** The legend of one replica's series: not every scrape adds the pod's name. */
export const REPLICA = '{{cluster}} {{pod}} {{instance}}'

/** A query and the legend of its series; `{{label}}` is the label's value. */
export interface Query {
  readonly expr: string
  readonly legend: string
}

/**
 * A gauge that only the leader exports, one value for each combination of `labels`, summed over clusters. At a change of
 * leader two replicas of a cluster export it for a moment: the larger value counts, not the sum.
 */
export function ofLeader(metric: string, labels: readonly string[], filter = ''): string {
  return summed(`max by (${['cluster', ...labels].join(', ')}) (${selected(metric, filter)})`, labels)
}

/** The first or the last of times that leaders export, of all clusters. */
export function timeOfLeader(which: 'min' | 'max', metric: string, filter: string): string {
  return `${which}(${selected(metric, filter)})`
}

/** Increase per second, summed over all replicas; restarts make no difference. */
export function rate(metric: string, labels: readonly string[], filter = ''): string {
  return summed(`rate(${selected(metric, filter)}[$__rate_interval])`, labels)
}

/** Increase in each step of time, summed over all replicas. */
export function perStep(metric: string, labels: readonly string[], filter = ''): string {
  return summed(`increase(${selected(metric, filter)}[$__rate_interval])`, labels)
}

/** Increase in the chosen time range, summed over all replicas. */
export function overRange(metric: string, labels: readonly string[], filter = ''): string {
  return summed(`increase(${selected(metric, filter)}[$__range])`, labels)
}

/** Quantiles of a histogram over all replicas; `labels` separate the series. */
export function quantiles(
  histogram: string,
  labels: readonly string[] = [],
  qs: readonly number[] = [0.5, 0.99],
): Query[] {
  const buckets = rate(`${histogram}_bucket`, ['le', ...labels])
  const names = labels.map((label) => `{{${label}}} `).join('')
  return qs.map((q) => ({
    expr: `histogram_quantile(${q}, ${buckets})`,
    legend: `${names}p${q * 100}`,
  }))
}

/** A metric that every process exports, but of Dormouse's processes only, whatever their scrape job is called. */
export function ofOurs(metric: string): string {
  return `${metric} and on (cluster, job, instance) ${selected('dormouse_leader')}`
}

export function summed(expr: string, labels: readonly string[] = []): string {
  return labels.length === 0 ? `sum(${expr})` : `sum by (${labels.join(', ')}) (${expr})`
}

/** The series of a metric in the chosen clusters. */
export function selected(metric: string, filter = ''): string {
  return `${metric}{${filter === '' ? CLUSTERS : `${CLUSTERS}, ${filter}`}}`
}

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** The samples of an exposition in Prometheus's text format. */
export function parseMetrics(exposition: string): Sample[] {
  return exposition.split('\n').flatMap((line) => {
    const match = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/.exec(line)
    if (!match?.groups) return []
    const { name = '', labels = '', value = '' } = match.groups
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [
      key,
      text,
    ])
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }]
  })
}

/** The sum of all samples of this name that have these labels. */
export function sumOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0)
}

/** How many objects of a resource it changed, as patches or as whole objects. */
export function writesOf(
  samples: readonly Sample[],
  resource: string,
  labels: Record<string, string> = {},
): number {
  return ['patch', 'update'].reduce(
    (sum, verb) => sum + sumOf(samples, 'dormouse_kubernetes_requests_total', { ...labels, verb, resource }),
    0,
  )
}

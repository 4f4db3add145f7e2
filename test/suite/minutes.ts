/** Minutes that each layer may take on two cores; a layer is the first folders of a test's path. */
const BUDGETS: Readonly<Record<string, number>> = {
  'test/domain': 0.5,
  'test/kubernetes': 1,
  'test/service': 3,
  'test/client': 1,
  'test/console': 2,
  'test/import': 0.5,
  'test/sandbox': 0.5,
  'test/e2e': 12,
  'test/model': 2,
  'test/docs': 3,
  'test/chart': 2,
  'test/packaging': 3,
  'test/github': 1,
}
/** The sum of all other folders, which are no part of the product. */
const OTHERS = 'others'
const OTHERS_BUDGET = 4

/** Files that are named with their minutes, the slowest first. */
const SLOWEST = 12

/** Two lines from the milliseconds of each file: the layers, and those that passed their budget with it; the slowest files. */
export function minutesOf(spent: ReadonlyMap<string, number>): string[] {
  const layers = new Map<string, number>()
  for (const [file, milliseconds] of spent) add(layers, layerOf(file), milliseconds)
  const parts = slowestFirst(layers).map(([layer, milliseconds]) => {
    const budget = BUDGETS[layer] ?? OTHERS_BUDGET
    const over = milliseconds > budget * 60_000 ? ` (over its ${budget})` : ''
    return `${minutes(layer, milliseconds)}${over}`
  })
  const files = slowestFirst(spent).slice(0, SLOWEST)
  return [
    `minutes: ${parts.join(', ')}`,
    `slowest: ${files.map(([file, milliseconds]) => minutes(file.replace('.test.ts', ''), milliseconds)).join(', ')}`,
  ]
}

export function add(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount)
}

function slowestFirst(sums: ReadonlyMap<string, number>): [string, number][] {
  return [...sums].toSorted(([, a], [, b]) => b - a)
}

function minutes(place: string, milliseconds: number): string {
  return `${place.replace('test/', '')} ${(milliseconds / 60_000).toFixed(1)}`
}

function layerOf(file: string): string {
  const [, folder] = file.split('/')
  const layer = `test/${folder}`
  return layer in BUDGETS ? layer : OTHERS
}

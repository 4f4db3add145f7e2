import { relative } from 'node:path'

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
}
/** Of all other folders together: what surrounds the product. */
const OTHERS = 'others'
const OTHERS_BUDGET = 4

/** How long the tests of each layer took, their hooks included. */
export class Minutes {
  readonly #spent = new Map<string, number>()
  #since = performance.now()

  /** The time since the last test belongs to the layer of this one. */
  ended(file: string | undefined): void {
    const now = performance.now()
    const layer = layerOf(file)
    this.#spent.set(layer, (this.#spent.get(layer) ?? 0) + now - this.#since)
    this.#since = now
  }

  /** One line: the layers, each with its minutes, and those that passed their budget with it. */
  line(): string {
    const parts = [...this.#spent]
      .toSorted(([, a], [, b]) => b - a)
      .map(([layer, milliseconds]) => {
        const minutes = milliseconds / 60_000
        const budget = BUDGETS[layer] ?? OTHERS_BUDGET
        const over = minutes > budget ? ` (over its ${budget})` : ''
        return `${layer.replace('test/', '')} ${minutes.toFixed(1)}${over}`
      })
    return `minutes: ${parts.join(', ')}`
  }
}

function layerOf(file = ''): string {
  const [, folder] = relative(process.cwd(), file).split('/')
  const layer = `test/${folder}`
  return layer in BUDGETS ? layer : OTHERS
}

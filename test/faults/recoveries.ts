import { print } from '../support/figures.ts'

/** How long each fault was felt: a table for the end of a suite. No test depends on it. */
export class Recoveries {
  readonly #rows: { readonly fault: string; readonly seconds: number }[] = []

  /** `since`, `until`: by `performance.now()`. */
  note(fault: string, since: number, until: number): void {
    this.#rows.push({ fault, seconds: Math.max(0, until - since) / 1000 })
  }

  print(title: string): void {
    const width = Math.max(...this.#rows.map(({ fault }) => fault.length))
    const rows = this.#rows.toSorted((a, b) => a.fault.localeCompare(b.fault))
    const lines = rows.map(
      ({ fault, seconds }) => `${fault.padEnd(width)} ${seconds.toFixed(1).padStart(6)} s`,
    )
    print([title, `${'fault'.padEnd(width)} recovery`, ...lines])
  }
}

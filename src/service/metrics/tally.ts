/** How many there are of each label. */
export class Tally<Label> {
  readonly #keyOf: (label: Label) => unknown
  readonly #keepsZeros: boolean
  readonly #counts = new Map<unknown, { readonly label: Label; readonly count: number }>()

  /** `keyOf` identifies a label; `keepsZeros`: a label once counted stays, so that it is exported with 0. */
  constructor(keyOf: (label: Label) => unknown = (label) => label, { keepsZeros = false } = {}) {
    this.#keyOf = keyOf
    this.#keepsZeros = keepsZeros
  }

  add(label: Label, number: number): void {
    const key = this.#keyOf(label)
    const count = (this.#counts.get(key)?.count ?? 0) + number
    if (count === 0 && !this.#keepsZeros) this.#counts.delete(key)
    else this.#counts.set(key, { label, count })
  }

  /** One has this label now instead of that; undefined: none. */
  replace(before: Label | undefined, after: Label | undefined): void {
    if (before !== undefined) this.add(before, -1)
    if (after !== undefined) this.add(after, 1)
  }

  *[Symbol.iterator](): Iterator<readonly [label: Label, count: number]> {
    for (const { label, count } of this.#counts.values()) yield [label, count]
  }
}

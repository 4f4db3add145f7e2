/** Items in the order in which they came, grouped by the address that they came from. */
export class ByAddress<Item extends { readonly address: string }> {
  readonly #groups = new Map<string, Set<Item>>()

  add(item: Item): void {
    const group = this.#groups.get(item.address)
    if (group) group.add(item)
    else this.#groups.set(item.address, new Set([item]))
  }

  delete(item: Item): void {
    const group = this.#groups.get(item.address)
    if (group?.delete(item) && group.size === 0) this.#groups.delete(item.address)
  }

  /** The first item of the address that has the most of them. */
  get firstOfMost(): Item | undefined {
    let most: Set<Item> | undefined
    for (const group of this.#groups.values()) if (group.size > (most?.size ?? 0)) most = group
    return most?.values().next().value
  }
}

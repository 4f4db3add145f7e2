/** The origin of a review: the namespace of its object, and its user. */
export interface Party {
  readonly namespace: string
  readonly user: string
}

/** For a review whose beginning names nobody. */
export const UNNAMED: Party = { namespace: '', user: '' }

/** A line in which namespaces take turns, and in each its users, so that nobody waits for all that another has sent. */
export class PartyLine<Item> {
  /** By namespace, by user: in the order of their next turns. */
  readonly #waiting = new Map<string, Map<string, Item[]>>()

  add({ namespace, user }: Party, item: Item): void {
    const users = this.#waiting.get(namespace) ?? new Map<string, Item[]>()
    const items = users.get(user)
    if (items) items.push(item)
    else users.set(user, [item])
    this.#waiting.set(namespace, users)
  }

  /** Takes out the item whose turn it is; undefined: none waits. */
  next(): Item | undefined {
    const [namespace, users] = this.#waiting.entries().next().value ?? []
    const [user, items] = users?.entries().next().value ?? []
    if (namespace === undefined || !users || user === undefined || !items) return undefined
    const item = items.shift()
    this.#waiting.delete(namespace)
    users.delete(user)
    if (items.length > 0) users.set(user, items)
    if (users.size > 0) this.#waiting.set(namespace, users)
    return item
  }
}

/** The highest count that workloads sleep with. */
export const MOST_ASLEEP = 3

/** An object's own record of its count: it runs, sleeps with a kept count, or has a count to restore. */
export interface Held {
  readonly replicas: number
  /** The label's count. */
  readonly kept: number | undefined
  /** Counts that the state holds beside it: of a pin, and after a wake by hand to fewer. */
  readonly others: readonly number[]
}

/**
 * The replica counts that a workload's people may expect, by their own actions alone. It knows none of Dormouse's rules
 * but these: a manual change sets the count, and waking a sleeper by hand to fewer does not lower the kept
 * count.
 */
export class Counts {
  #mine: Set<number>
  /** Something happened since the last rest, so the order of this and a transition is not known. */
  #racing = false

  constructor(count: number) {
    this.#mine = new Set([count])
  }

  get possible(): readonly number[] {
    return [...this.#mine]
  }

  /** Something other than a hand on the count happens: an edge, a request, a restart. */
  race(): void {
    this.#racing = true
  }

  /** A hand has scaled it; `before`: as the object was when it was last seen. */
  scaled(count: number, before: Held): void {
    const lowers = before.kept !== undefined && count < before.kept
    this.declared(lowers && this.#certain(count, before) ? before.kept : count, before)
  }

  /** A hand has written it into the object, which says how many are wanted, also of a sleeper; a few may be how it sleeps. */
  declared(count: number, before: Held): void {
    const still = before.kept !== undefined && count <= MOST_ASLEEP ? [before.kept] : []
    this.#mine = new Set(this.#certain(count, before) ? [count, ...still] : [...this.#mine, count])
    this.#racing = true
  }

  /** An autoscaler has set it: whatever the effect on a sleeper, the count that people set is kept. */
  autoscaled(count: number, before: Held): void {
    if (before.replicas > 0 && before.kept === undefined) this.declared(count, before)
    else this.#mine = new Set([...this.#mine, count])
    this.#racing = true
  }

  /** An autoscaler may have raised it to its minimum, unseen. */
  mayBeRaisedTo(count: number): void {
    this.#mine = new Set([...this.#mine, count])
  }

  /** An autoscaler alone decides, also that there is none. */
  decidedByOthers(): void {
    this.#mine = new Set([...this.#mine, 0])
  }

  /** An old copy with these marks came back. */
  restored(held: Held): void {
    this.#mine = new Set([...this.#mine, ...heldCounts(held)])
    this.#racing = true
  }

  /** The object was created anew as this. */
  recreated(held: Held): void {
    this.#mine = new Set(heldCounts(held))
    this.#racing = true
  }

  /** At rest: names a lost count, if any; from then on people expect the object's own count. */
  lost(held: Held): string | undefined {
    this.#racing = false
    const counts = heldCounts(held)
    const left = counts.filter((count) => this.#mine.has(count))
    if (left.length === 0) {
      // People have scaled it to 0 themselves; a wake then means its count at that time.
      if (!this.#mine.has(0))
        return `of ${this.possible.join(', ')} it holds ${counts.join(', ') || 'nothing'}`
      this.#mine = new Set(counts)
      return undefined
    }
    this.#mine = new Set(left)
    return undefined
  }

  #certain(count: number, before: Held): boolean {
    return !this.#racing && count > 0 && before.others.length === 0
  }
}

function heldCounts({ replicas, kept, others }: Held): number[] {
  const counts = [...(replicas > 0 ? [replicas] : []), ...(kept === undefined ? [] : [kept]), ...others]
  return counts.length === 0 ? [0] : counts
}

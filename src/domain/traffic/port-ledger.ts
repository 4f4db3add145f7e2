import { hashOf } from './hash.ts'

/** Both ends belong to it. */
export interface PortRange {
  readonly from: number
  readonly to: number
}

/** Two numbers as the configuration's pattern admits them: `20000-20999`. @throws TypeError when these are no range */
export function portRange(text: string): PortRange {
  const [from = Number.NaN, to = Number.NaN] = text.split('-').map(Number)
  if (from > to) throw new TypeError('the lower port comes first')
  if (to > 65_535) throw new TypeError('65535 is the last port')
  return { from, to }
}

/** Milliseconds: proxies and wakers may still know the former meaning of a port. */
const REST = 120_000

interface Held {
  readonly uid: string
  readonly port: string
  /** When its slice went; undefined: it stands. */
  freedAt: number | undefined
}

/** The ports of wakers, one for each port of a Service that sleeps. What stands in the cluster is the only record of it. */
export class PortLedger {
  readonly #range: PortRange
  readonly #held = new Map<number, Held>()

  constructor(range: PortRange) {
    this.#range = range
  }

  /**
   * The numbers of a Service's ports, by name; undefined: the range is used up, and nothing has changed. Those in
   * `standing` are kept unless another Service has them. A port that was freed goes to its former Service at any time, and
   * to others after a rest.
   */
  claim(
    uid: string,
    names: readonly string[],
    standing: ReadonlyMap<string, number>,
    now: number,
  ): ReadonlyMap<string, number> | undefined {
    const claimed = new Map<string, number>()
    const isFree = (number: number, port: string) =>
      ![...claimed.values()].includes(number) && this.#isFree(number, { uid, port }, now)
    // Those that stand come first: none of the others may take their numbers.
    for (const port of names) {
      const number = standing.get(port)
      if (number !== undefined && isFree(number, port)) claimed.set(port, number)
    }
    for (const port of names) {
      if (claimed.has(port)) continue
      const number = this.#first(uid, port, (each) => isFree(each, port))
      if (number === undefined) return undefined
      claimed.set(port, number)
    }
    const numbers = new Set(claimed.values())
    for (const [number, held] of this.#held)
      if (held.uid === uid && !numbers.has(number)) held.freedAt ??= now
    for (const [port, number] of claimed) this.#held.set(number, { uid, port, freedAt: undefined })
    return claimed
  }

  /** The Service's slices are gone. */
  free(uid: string, now: number): void {
    for (const held of this.#held.values()) if (held.uid === uid) held.freedAt ??= now
  }

  /** From the number that follows from the Service alone, so that another leader seldom chooses another one. */
  #first(uid: string, port: string, isFree: (number: number) => boolean): number | undefined {
    const { from, to } = this.#range
    const size = to - from + 1
    const preferred = hashOf(`${uid}/${port}`) % size
    for (let step = 0; step < size; step++) {
      const number = from + ((preferred + step) % size)
      if (isFree(number)) return number
    }
    return undefined
  }

  #isFree(number: number, by: { readonly uid: string; readonly port: string }, now: number): boolean {
    if (number < this.#range.from || number > this.#range.to) return false
    const held = this.#held.get(number)
    if (!held || (held.uid === by.uid && held.port === by.port)) return true
    return held.freedAt !== undefined && now - held.freedAt >= REST
  }
}

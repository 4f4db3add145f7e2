import type { Laid, Turn } from './faults.ts'

type Counted = { -readonly [K in 'hits' | 'lastHit']: Laid[K] } & Pick<Laid, 'struck' | 'lift'>

interface Rule<Subject, Fault> {
  readonly matches: (subject: Subject) => boolean
  readonly fault: Fault
  readonly laid: Counted
  readonly struckFirst: () => void
  /** Matches to go by first, and hits left. */
  before: number
  left: number
}

/** Faults that wait for a match. */
export class LaidFaults<Subject, Fault> {
  readonly #rules = new Set<Rule<Subject, Fault>>()

  lay(matches: (subject: Subject) => boolean, { nth = 1, times = 1 }: Turn, fault: Fault): Laid {
    const { promise: struck, resolve } = Promise.withResolvers<void>()
    const lift = () => void this.#rules.delete(rule)
    const laid: Counted = { hits: 0, lastHit: Number.NaN, struck, lift }
    const rule = { matches, fault, laid, struckFirst: resolve, before: nth - 1, left: times }
    this.#rules.add(rule)
    return laid
  }

  /** The faults that strike this, in the order in which they were laid. */
  strike(subject: Subject): Fault[] {
    return [...this.#rules].filter((rule) => this.#strikes(rule, subject)).map(({ fault }) => fault)
  }

  lift(): void {
    this.#rules.clear()
  }

  #strikes(rule: Rule<Subject, Fault>, subject: Subject): boolean {
    if (!rule.matches(subject)) return false
    if (rule.before > 0) {
      rule.before -= 1
      return false
    }
    rule.left -= 1
    if (rule.left === 0) this.#rules.delete(rule)
    rule.laid.hits += 1
    rule.laid.lastHit = performance.now()
    rule.struckFirst()
    return true
  }
}

/** Whether `subject` has every value that `where` names. */
export function has<Subject extends object>(subject: Subject, where: Partial<Subject>): boolean {
  return Object.entries(where).every(
    ([field, value]) => value === undefined || subject[field as keyof Subject] === value,
  )
}

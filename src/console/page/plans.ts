import type { Doing } from './doing.ts'
import { pagesOf, Refused } from './api.ts'
import type { Model } from './model.ts'
import { keyOf, type Transition, type Workload } from './record.ts'

const HOURS = 168
/** The API takes so many requests a second of one person; plans take less than half of them. In milliseconds. */
const PACE = 130
const AT_ONCE = 3
const MOST = 1000

/** undefined: not known yet; null: it could not be read. */
export type Plan = readonly Transition[] | undefined | null

interface Known {
  readonly version: string
  /** null: it could not be read. */
  readonly plan: readonly Transition[] | null
}

/** The plans of the next week, read only for visible workloads, and again when they change. */
export class Plans {
  readonly #model: Model
  readonly #doing: Doing
  readonly #known = new Map<string, Known>()
  /** By version: workloads of the same hours and state have the same plan, but for their turn in a wave. */
  readonly #alike = new Map<string, readonly Transition[]>()
  readonly #wanted = new Map<string, Workload>()
  /** Visible workloads whose plan could not be read. */
  readonly #failed = new Map<string, Workload>()
  #inFlight = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(model: Model, doing: Doing) {
    this.#model = model
    this.#doing = doing
  }

  /** undefined: not known yet; the last one that was known is better than none. */
  of(workload: Workload): Plan {
    // A workload without a next transition has no plan.
    if (workload.next_transition === null) return []
    const own = this.#known.get(keyOf(workload))
    if (own?.plan && this.isCurrent(workload)) return own.plan
    return this.#alike.get(versionOf(workload)) ?? own?.plan
  }

  isCurrent(workload: Workload): boolean {
    if (workload.next_transition === null) return true
    const known = this.#known.get(keyOf(workload))
    return known !== undefined && known.plan !== null && known.version === versionOf(workload)
  }

  /** `or alike`: that of another workload with the same hours will do. Call the result once it is no longer looked at. */
  want(workload: Workload, which: 'its own' | 'or alike' = 'or alike'): () => void {
    const key = keyOf(workload)
    const isKnown = which === 'or alike' && this.#alike.has(versionOf(workload))
    if (!isKnown && !this.isCurrent(workload)) {
      this.#wanted.set(key, workload)
      this.#next()
    }
    return () => {
      this.#wanted.delete(key)
      this.#failed.delete(key)
    }
  }

  /** Reads the failed ones again, once Dormouse answers again or somebody has signed in. */
  retry(): void {
    for (const [key, workload] of this.#failed) this.#wanted.set(key, workload)
    this.#failed.clear()
    this.#next()
  }

  #next(): void {
    if (this.#timer !== undefined || this.#inFlight >= AT_ONCE || this.#wanted.size === 0) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const [first] = this.#wanted
      if (!first) return
      this.#wanted.delete(first[0])
      void this.#load(first[1])
      this.#next()
    }, PACE)
  }

  async #load(workload: Workload): Promise<void> {
    const key = keyOf(workload)
    this.#inFlight += 1
    try {
      const plan = await pagesOf<Transition>(
        this.#doing,
        `${this.#model.pathOf(workload)}/plan?hours=${HOURS}`,
      )
      if (this.#known.size >= MOST) {
        this.#known.clear()
        this.#alike.clear()
      }
      this.#alike.set(versionOf(workload), plan)
      this.#known.set(key, { version: versionOf(workload), plan })
      this.#model.tellSoon()
    } catch (error) {
      if (error instanceof Refused && error.status === 429) this.#wanted.set(key, workload)
      else {
        this.#known.set(key, { version: versionOf(workload), plan: null })
        this.#failed.set(key, workload)
      }
      this.#model.tellSoon()
    } finally {
      this.#inFlight -= 1
      this.#next()
    }
  }
}

/** Differs when the plan may differ. */
function versionOf(workload: Workload): string {
  const { cluster, wake_schedule, timezone, is_snoozed, next_transition, policy } = workload
  const { manual_override_until: until } = workload
  return JSON.stringify([cluster, wake_schedule, timezone, is_snoozed, next_transition, policy, until])
}

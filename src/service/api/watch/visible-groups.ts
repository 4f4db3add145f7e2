import pLimit from 'p-limit'
import type { Kind, WorkloadKey } from '../../../domain/workload/workload.ts'
import type { Visible } from '../visibility.ts'

/** Groups whose rights are checked at once. */
const CONCURRENCY = 4
/** A missing right is checked again only every so many times. */
const SELDOM = 6

interface Group {
  readonly namespace: string
  readonly kind: Kind
}

/** The workloads of one kind in one namespace are a group: of each, a caller sees all or none. */
export class VisibleGroups {
  readonly #groups = new Map<string, Group & { readonly isVisible: boolean }>()
  #visible: Visible
  #asked = 0

  constructor(visible: Visible) {
    this.#visible = visible
  }

  /** Asks for all of these that it does not know yet. */
  async learn(workloads: Iterable<WorkloadKey>): Promise<void> {
    const unknown = new Map<string, Group>()
    for (const { namespace, kind } of workloads) {
      const name = nameOf({ namespace, kind })
      if (!this.#groups.has(name)) unknown.set(name, { namespace, kind })
    }
    const groups = [...unknown]
    const seen = await this.#ask(groups.map(([, group]) => group))
    for (const [index, [name, group]] of groups.entries())
      this.#groups.set(name, { ...group, isVisible: seen[index] === true })
  }

  /** Whether this group may be seen, as of the last check. */
  sees(group: Group): boolean {
    return this.#groups.get(nameOf(group))?.isVisible === true
  }

  /** Checks again: whether any group is no longer visible, or newly visible. */
  async hasChanged(visible: Visible): Promise<boolean> {
    this.#visible = visible
    this.#asked += 1
    const all = this.#asked % SELDOM === 0
    const due = [...this.#groups.values()].filter(({ isVisible }) => isVisible || all)
    const now = await this.#ask(due)
    return due.some(({ isVisible }, index) => isVisible !== now[index])
  }

  async #ask(groups: readonly Group[]): Promise<boolean[]> {
    const limit = pLimit(CONCURRENCY)
    try {
      return await limit.map(groups, ({ namespace, kind }) => this.#visible(namespace, kind))
    } finally {
      // After an error.
      limit.clearQueue()
    }
  }
}

function nameOf({ namespace, kind }: Group): string {
  return `${namespace}/${kind}`
}

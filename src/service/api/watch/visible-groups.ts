import type { Kind, WorkloadKey } from '../../../domain/workload/workload.ts'
import type { Visible } from '../visibility.ts'
import { digest } from './event-ids.ts'

/** Groups whose rights are asked for at once. */
const CONCURRENCY = 4
/** A right that is missing is asked for again only each so many times. */
const SELDOM = 6

export interface Group {
  readonly namespace: string
  readonly kind: Kind
}

interface Known extends Group {
  visible: boolean
}

/** The workloads of one kind in one namespace are a group: of each, a caller sees all or none. */
export class VisibleGroups {
  readonly #groups = new Map<string, Known>()
  #visible: Visible
  #asked = 0
  #digest: Buffer | undefined

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
    await inBatches([...unknown], async ([name, group]) => {
      this.#set(name, group, await this.#visible(group.namespace, group.kind))
    })
  }

  /** undefined: it was not asked for yet. */
  sees(key: Group): boolean | undefined {
    return this.#groups.get(nameOf(key))?.visible
  }

  /** Asks again; tells which groups came and which went. */
  async askAgain(visible: Visible): Promise<{ gained: Group[]; lost: Group[] }> {
    this.#visible = visible
    this.#asked += 1
    const all = this.#asked % SELDOM === 0
    const gained: Group[] = []
    const lost: Group[] = []
    await inBatches(
      [...this.#groups].filter(([, group]) => group.visible || all),
      async ([name, { namespace, kind, visible: before }]) => {
        const now = await visible(namespace, kind)
        if (now === before) return
        this.#set(name, { namespace, kind }, now)
        ;(now ? gained : lost).push({ namespace, kind })
      },
    )
    return { gained, lost }
  }

  /** Of what is visible, together with what else tells one list from another. */
  digest(list: string): Buffer {
    return (this.#digest ??= digest(
      list,
      ...[...this.#groups]
        .filter(([, { visible }]) => visible)
        .map(([name]) => name)
        .sort(),
    ))
  }

  #set(name: string, group: Group, visible: boolean): void {
    this.#groups.set(name, { ...group, visible })
    this.#digest = undefined
  }
}

export function nameOf({ namespace, kind }: Group): string {
  return `${namespace}/${kind}`
}

async function inBatches<T>(items: readonly T[], ask: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += CONCURRENCY)
    await Promise.all(items.slice(start, start + CONCURRENCY).map(ask))
}

import type { BulkCounts } from '../../domain/records/bulk.ts'
import type { Action, BulkAct, Many } from './action.ts'
import type { Model } from './model.ts'
import { keyOf, type Workload } from './record.ts'
import { guarded, otherWho, undoOf, askedOf } from './undo.ts'

/** How long the list has to show what was done, and how often it is looked at, in milliseconds. */
const PATIENCE = 5000
const OFTEN = 50
const MOST_NAMED = 3

/** The answer to a request for many. */
export interface Bulk {
  readonly items: readonly {
    readonly kind: string
    readonly name: string
    readonly result: string
    readonly code: string | null
    readonly message: string
  }[]
  readonly counts: BulkCounts
}

/** The workloads of a namespace as they were before a request for many, so that it can be taken back. */
export class ManyBefore {
  readonly #model: Model
  readonly #many: Many
  /** By kind and name, as answers name them. */
  readonly #before = new Map<string, Workload>()

  constructor(model: Model, many: Many) {
    this.#model = model
    this.#many = many
    for (const workload of model.records.values())
      if (workload.namespace === many.namespace && workload.cluster === many.cluster)
        this.#before.set(`${model.kindOf(workload)}/${workload.name}`, workload)
  }

  /** Those that the answer says were changed, or would be. */
  changed({ items }: Bulk): Workload[] {
    const done = items.filter(({ result }) => result === 'done')
    return done.flatMap(({ kind, name }) => this.#before.get(`${kind}/${name}`) ?? [])
  }

  /** Those whose owner is another person, with that person: the request ends what they asked for. */
  ended(bulk: Bulk): (readonly [workload: Workload, who: string])[] {
    const { user } = this.#model.about
    return this.changed(bulk).flatMap((workload) => {
      const who = ends(this.#many.act, workload) ? otherWho(workload, user) : undefined
      return who === undefined ? [] : [[workload, who] as const]
    })
  }

  /** The Undo, and the people whose requests this one ended, once the list shows what was done. */
  async after(bulk: Bulk, { need, title }: Action): Promise<{ undo: Action | undefined; ended: string }> {
    const changed = this.changed(bulk)
    const isShown = (before: Workload) => {
      const now = this.#model.records.get(keyOf(before))
      return now === undefined || askedOf(now) !== askedOf(before)
    }
    for (let waited = 0; waited < PATIENCE && !changed.every(isShown); waited += OFTEN)
      await new Promise((resolve) => setTimeout(resolve, OFTEN))
    const each = changed.flatMap((before) => {
      const undo = undoOf(this.#many.act, before, this.#model)
      return guarded(undo, before, this.#model.records.get(keyOf(before)) ?? before) ?? []
    })
    const undo = each.length > 0 ? { need, title: `Undo: ${title}`, calls: [], each } : undefined
    return { undo, ended: endedText(this.ended(bulk)) }
  }
}

/** Whether the act ends what was asked for before, or who held it; a pin and an override only go before it. */
function ends(act: BulkAct, { held_by: holder, reason_code: code }: Workload): boolean {
  if (act === 'pin') return false
  if (act === 'unpin') return holder === 'pin'
  if (act === 'override' || act === 'resume') return holder === 'override'
  return holder === null && (code === 'intent' || code === 'until')
}

/** ` That ended what others had asked for: web (bob), api (eve) and 3 more.` */
function endedText(ended: ReturnType<ManyBefore['ended']>): string {
  if (ended.length === 0) return ''
  const named = ended.slice(0, MOST_NAMED).map(([{ name }, who]) => `${name} (${who})`)
  const more = ended.length > MOST_NAMED ? ` and ${ended.length - MOST_NAMED} more` : ''
  return `. That ended what others had asked for: ${named.join(', ')}${more}.`
}

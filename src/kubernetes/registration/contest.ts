import { FIELD_MANAGER } from '../../domain/workload/workload.ts'
import type { Configuration } from './configuration.ts'
import { addressOf, type MutatingWebhook } from './webhooks.ts'

/** So many times within ten minutes may be an upgrade, or a hand; more is a tool. */
const TOLERATED = 5
const WINDOW_MS = 10 * 60_000
const FIRST_REST_MS = 10_000
const LONGEST_REST_MS = 10 * 60_000

/** How often somebody else undid what was written to the webhook configuration, and how long we rest before it is put right. */
export class Contest {
  #times = 0
  #latest = -Infinity

  /**
   * It was found undone at `now` (monotonic milliseconds). Returns how many milliseconds to rest: 0 at first,
   * then 10 s and twice as long each time, at most ten minutes; all is forgotten after ten minutes of peace.
   */
  lost(now: number): number {
    if (now - this.#latest > WINDOW_MS + this.#rest()) this.#times = 0
    this.#latest = now
    this.#times += 1
    return this.#rest()
  }

  #rest(): number {
    const beyond = this.#times - TOLERATED
    return beyond <= 0 ? 0 : Math.min(LONGEST_REST_MS, FIRST_REST_MS * 2 ** (beyond - 1))
  }
}

/** What somebody did to the configuration, for people: `is changed by argocd-controller`; undefined: it is gone. */
export function deedOn(object: Configuration | undefined, desired: readonly MutatingWebhook[]): string {
  if (!object) return 'is deleted'
  const address = addressOf(object.webhooks ?? [])
  if (address === undefined) return 'is emptied'
  if (address !== addressOf(desired)) return `is pointed at ${address}`
  const newest = object.metadata.managedFields?.toSorted((a, b) =>
    (b.time ?? '').localeCompare(a.time ?? ''),
  )[0]
  const manager = newest?.manager ?? FIELD_MANAGER
  return manager === FIELD_MANAGER ? 'is changed' : `is changed by ${manager}`
}

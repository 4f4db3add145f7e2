import { FIELD_MANAGER } from '../../domain/workload/workload.ts'
import type { Configuration } from './configuration.ts'
import { addressOf, type MutatingWebhook } from './webhooks.ts'

/** Up to this many times within ten minutes may be an upgrade or a person; more often is a tool. */
const TOLERATED = 5
const WINDOW_MS = 10 * 60_000
const FIRST_PAUSE_MS = 10_000
const LONGEST_PAUSE_MS = 10 * 60_000

/** Backoff against another writer that keeps overwriting the webhook configuration. */
export class OverwriteBackoff {
  #times = 0
  #latest = -Infinity

  /**
   * Our configuration was overwritten, as noticed at `now` (monotonic milliseconds). Returns the pause before we
   * restore it: 0 at first, then 10 s and doubling each time, at most ten minutes. Ten minutes without an overwrite
   * reset it.
   */
  overwritten(now: number): number {
    if (now - this.#latest > WINDOW_MS + this.#pause()) this.#times = 0
    this.#latest = now
    this.#times += 1
    return this.#pause()
  }

  #pause(): number {
    const beyond = this.#times - TOLERATED
    return beyond <= 0 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (beyond - 1))
  }
}

/** How the configuration was changed, for messages: `is changed by argocd-controller`; `is deleted` for undefined. */
export function changeOf(object: Configuration | undefined, desired: readonly MutatingWebhook[]): string {
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

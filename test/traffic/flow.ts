import { setTimeout as sleep } from 'node:timers/promises'
import { inParallel } from '../support/eventually.ts'
import { call, type CallerName, type Outcome, type Target } from './callers.ts'

/** A connection's fate; `nowhere`: nothing was to be called. */
export interface Fate {
  readonly caller: CallerName
  readonly end: Outcome['end'] | 'nowhere'
  readonly detail: string
  readonly to: string
  readonly begun: Date
  /** Milliseconds. */
  readonly took: number
}

interface FlowOptions {
  readonly count: number
  readonly callers: readonly CallerName[]
  /** Milliseconds between two connections. */
  readonly pause: number
  /** The target of the next one; undefined: none. */
  readonly target: (caller: CallerName) => Promise<Target | undefined>
  /** From outside: the flow ends early. */
  readonly until?: AbortSignal
}

/** Makes connections one after the other, without waiting for answers; resolves with the fate of each. */
export async function flow({ count, callers, pause, target, until }: FlowOptions): Promise<Fate[]> {
  const pending: Promise<Fate>[] = []
  for (let at = 0; at < count; at++) {
    if (until?.aborted) break
    const caller = callers[at % callers.length]!
    const begun = new Date()
    const fate = target(caller).then(async (to) => {
      const outcome: Pick<Fate, 'end' | 'detail'> = to
        ? await call(caller, to)
        : { end: 'nowhere', detail: 'there was no endpoint' }
      const took = Date.now() - begun.getTime()
      return { caller, ...outcome, to: to ? `${to.address}:${to.port}` : '', begun, took }
    })
    pending.push(fate)
    await sleep(pause)
  }
  return inParallel(pending, (fate) => fate)
}

/** How many ended how. */
export function tally(fates: readonly Fate[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { end } of fates) counts[end] = (counts[end] ?? 0) + 1
  return counts
}

/** Lines about the first that did not end so. */
export function others(fates: readonly Fate[], ...ends: readonly Fate['end'][]): string[] {
  return fates
    .filter(({ end }) => !ends.includes(end))
    .slice(0, 8)
    .map(
      ({ caller, end, detail, to, begun, took }) =>
        `${caller} to ${to}: ${end} (${detail}), ${begun.toISOString()}, after ${took} ms`,
    )
}

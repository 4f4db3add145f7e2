import type { Sleep } from '../../domain/schedule/schedule.ts'
import type { Workload } from '../../domain/workload/workload.ts'
import type { WorkloadState } from '../../domain/records/workload-state.ts'
import type { Saved } from '../../domain/records/saved.ts'
import { Tally } from './tally.ts'
import { Usage, type Share } from './savings.ts'
import type { Tracked } from './tracked.ts'

/** The value of a workload's team label; undefined: neither it nor its Namespace has one. */
export type TeamOf = (workload: Workload) => string | undefined

/** The most values of the team label that metrics distinguish; all further ones are `other`. */
const MAX_TEAMS = 200

/** The states, requests and savings of each team's workloads. `seconds` is a time that never goes back. */
export class ByTeam {
  readonly counts = new Tally<{ team: string; state: WorkloadState }>(
    ({ team, state }) => `${team} ${state}`,
    { keepsZeros: true },
  )
  readonly #teamOf: TeamOf
  /** The teams with names of their own: first come, first served. */
  readonly #names = new Set<string>()
  readonly #teams = new Map<string, Usage>()

  constructor(teamOf: TeamOf) {
    this.#teamOf = teamOf
  }

  /** As metrics name its team: `none` without the label, `other` past the first 200. */
  nameOf(workload: Workload): string {
    const value = this.#teamOf(workload) || 'none'
    if (value === 'none' || this.#names.has(value)) return value
    if (this.#names.size >= MAX_TEAMS) return 'other'
    this.#names.add(value)
    return value
  }

  replace(before: Tracked | undefined, after: Tracked | undefined, seconds: number): void {
    this.counts.replace(before && labelsOf(before), after && labelsOf(after))
    if (before) this.#usageOf(before, seconds).replace(before, undefined, seconds)
    if (after) this.#usageOf(after, seconds).replace(undefined, after, seconds)
  }

  *savings(seconds: number): Iterable<Saved & { team: string }> {
    for (const [team, usage] of this.#teams) yield { team, ...usage.saved(seconds) }
  }

  *shares(): Iterable<Share & { team: string; state: Sleep }> {
    for (const [team, usage] of this.#teams) for (const share of usage.shares()) yield { team, ...share }
  }

  #usageOf(tracked: Tracked, seconds: number): Usage {
    const { team } = labelsOf(tracked)
    const usage = this.#teams.get(team) ?? new Usage(seconds)
    this.#teams.set(team, usage)
    return usage
  }
}

function labelsOf({ team = 'none', state }: Tracked): { team: string; state: WorkloadState } {
  return { team, state }
}

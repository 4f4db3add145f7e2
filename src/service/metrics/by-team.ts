import type { Sleep } from '../../domain/schedule/schedule.ts'
import type { Workload } from '../../domain/workload/workload.ts'
import type { WorkloadState } from '../../domain/records/workload-state.ts'
import { Tally } from './tally.ts'
import { Savings, Shares, type Saved, type Share } from './savings.ts'
import { shareIf, type Tracked } from './tracked.ts'

/** The value of a workload's team label; undefined: neither it nor its Namespace has one. */
export type TeamOf = (workload: Workload) => string | undefined

/** The most values of the team label that metrics distinguish; all further ones are `other`. */
const MAX_TEAMS = 200

interface Team {
  readonly savings: Savings
  readonly awake: Shares
}

/** The states, requests and savings of each team's workloads. `seconds` is a time that never goes back. */
export class ByTeam {
  readonly counts = new Tally<{ team: string; state: WorkloadState }>(
    ({ team, state }) => `${team} ${state}`,
    {
      keepsZeros: true,
    },
  )
  readonly #teamOf: TeamOf
  /** The teams with names of their own: first come, first served. */
  readonly #names = new Set<string>()
  readonly #teams = new Map<string, Team>()

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
    if (before) this.#add(before, -1, seconds)
    if (after) this.#add(after, 1, seconds)
  }

  *savings(seconds: number): Iterable<Saved & { team: string }> {
    for (const [team, { savings }] of this.#teams) yield { team, ...savings.total(seconds) }
  }

  /** The requests of sleeping workloads' kept replicas, and of awake workloads' replicas. */
  *shares(): Iterable<Share & { team: string; state: Sleep }> {
    for (const [team, { savings, awake }] of this.#teams) {
      yield { team, state: 'asleep', ...savings.asleep }
      yield { team, state: 'awake', ...awake.total }
    }
  }

  #add(tracked: Tracked, count: 1 | -1, seconds: number): void {
    const { team = 'none', state } = tracked
    this.counts.add({ team, state }, count)
    const known = this.#teams.get(team) ?? { savings: new Savings(seconds), awake: new Shares() }
    this.#teams.set(team, known)
    const [asleep, awake] = [shareIf(tracked, true), shareIf(tracked, false)]
    if (count === 1) {
      known.savings.replace(undefined, asleep, seconds)
      known.awake.replace(undefined, awake)
    } else {
      known.savings.replace(asleep, undefined, seconds)
      known.awake.replace(awake, undefined)
    }
  }
}

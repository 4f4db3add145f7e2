import type { Sleep } from '../../src/domain/schedule/schedule.ts'
import { CHOSEN, ofLeader, overRange, rate, summed } from '../queries.ts'

const GIB = '1024^3'
const HOUR = 3600

/** Current requests of sleeping or awake workloads, summed by `labels`. */
function now(metric: string, state: Sleep, labels: readonly string[]): string {
  return summed(ofLeader(metric, ['namespace', 'state'], `state="${state}", ${CHOSEN}`), labels)
}

export const replicas = (state: Sleep, labels: readonly string[] = []) =>
  now('dormouse_replicas', state, labels)
/** Cores. */
export const cpu = (state: Sleep, labels: readonly string[] = []) =>
  now('dormouse_requested_cpu_cores', state, labels)
/** Bytes. */
export const memory = (state: Sleep, labels: readonly string[] = []) =>
  now('dormouse_requested_memory_bytes', state, labels)

/** The savings per hour now, by `savings.prices` of the configuration. */
export const moneyAnHour = (labels: readonly string[] = []) =>
  `${rate('dormouse_saved_money_total', labels, CHOSEN)} * ${HOUR}`

export const replicaHours = () => `${overRange('dormouse_saved_replica_seconds_total', [], CHOSEN)} / ${HOUR}`
export const coreHours = (labels: readonly string[] = []) =>
  `${overRange('dormouse_saved_cpu_core_seconds_total', labels, CHOSEN)} / ${HOUR}`
/** Of GiB. */
export const memoryHours = (labels: readonly string[] = []) =>
  `${overRange('dormouse_saved_memory_byte_seconds_total', labels, CHOSEN)} / ${HOUR} / ${GIB}`

/** The savings in the chosen time range. */
export const moneySaved = (labels: readonly string[] = []) =>
  overRange('dormouse_saved_money_total', labels, CHOSEN)

/** Of teams, those asleep by default; teams have no namespaces to choose. */
export const ofTeams = (metric: string, filter = 'state="asleep"') =>
  summed(ofLeader(metric, ['team', 'state'], filter), ['team'])
export const teamReplicaHours = () =>
  `${overRange('dormouse_saved_replica_seconds_by_team_total', ['team'])} / ${HOUR}`
export const teamCoreHours = () =>
  `${overRange('dormouse_saved_cpu_core_seconds_by_team_total', ['team'])} / ${HOUR}`
/** Of GiB. */
export const teamMemoryHours = () =>
  `${overRange('dormouse_saved_memory_byte_seconds_by_team_total', ['team'])} / ${HOUR} / ${GIB}`
export const teamMoney = () => overRange('dormouse_saved_money_by_team_total', ['team'])

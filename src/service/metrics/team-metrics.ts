import type { MetricFactory } from './metric-factory.ts'
import { REQUESTED, SAVED } from './workload-metrics.ts'
import type { WorkloadTracker } from './workload-tracker.ts'

/** Adds the metrics of teams, computed at each scrape; without `metrics.teamLabel` they have no series. */
export function exportTeams(factory: MetricFactory, tracker: WorkloadTracker): void {
  const { byTeam } = tracker
  factory.gauge(
    'workloads_by_team',
    'Managed workloads, by the value of metrics.teamLabel and their state; other: past 200 values.',
    ['team', 'state'],
    (gauge) => {
      gauge.reset()
      for (const [labels, count] of byTeam?.counts ?? []) gauge.set(labels, count)
    },
  )
  for (const { name, help, of } of REQUESTED) {
    factory.gauge(`${name}_by_team`, `${help} By team.`, ['team', 'state'], (gauge) => {
      gauge.reset()
      for (const share of byTeam?.shares() ?? [])
        gauge.set({ team: share.team, state: share.state }, of(share))
    })
  }
  for (const { name, help, of } of SAVED) {
    factory.counter(name.replace(/_total$/, '_by_team_total'), `${help} By team.`, ['team'], (counter) => {
      counter.reset()
      for (const saved of tracker.teamSavings()) counter.inc({ team: saved.team }, of(saved))
    })
  }
}

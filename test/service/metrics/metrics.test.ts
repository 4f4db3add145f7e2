import { expect } from 'chai'
import { Metrics, type MetricsOptions } from '../../../src/service/metrics/metrics.ts'
import { ProcessMetrics } from '../../../src/service/metrics/process-metrics.ts'
import { asleep, aWorkload, NOW } from './workload.ts'
import { promtool } from '../../support/promtool.ts'
import { calendarsOf, rulesWith, RULES } from '../../support/rules.ts'
import { aScaledObject, rulesWithKeda } from '../../support/scaled-objects.ts'
import { evaluationsOf } from '../../support/evaluations.ts'
import { aDeployment } from '../../support/workloads.ts'
import { itWith } from '../../suite/need.ts'

function someMetrics(options: Partial<MetricsOptions> = {}) {
  return new Metrics(new ProcessMetrics(), {
    evaluations: evaluationsOf(options.rules ?? RULES, () => NOW),
    rules: RULES,
    clock: () => NOW,
    monotonic: () => 0,
    perWorkload: false,
    ...options,
  })
}

/** Everything happened once. */
function busy(options: Partial<MetricsOptions> = {}): Metrics {
  const metrics = someMetrics(options)
  metrics.lead(true)
  metrics.registry.kubernetes.follow({ watches: [{ kind: 'deployments', connected: true }] })
  metrics.registry.kubernetes.request('patch', 'deployments', 200, 0.01)
  metrics.registry.kubernetes.watchRestarted('deployments', 'expired')
  metrics.registry.kubernetes.eventDropped()
  metrics.controller.decidingFailed()
  metrics.api.answered('/api/v1/workloads', 'GET', 200, 0.002)
  metrics.controller.operation('snooze', 'schedule', 'deployments', 'succeeded')
  metrics.controller.operationDuration('snooze', 'deployments', 4)
  metrics.controller.scheduleLag(0.2)
  metrics.controller.queueDepth(7)
  metrics.controller.queueWait(0.001)
  metrics.webhook.admission('scale.dormouse.dev', 'denied', 'pinned', 0.003)
  metrics.webhook.certificateExpires(NOW)
  metrics.workloads.changed(undefined, aWorkload('awake'))
  metrics.workloads.changed(undefined, asleep(aWorkload('asleep')))
  return metrics
}

const EVERY_REPLICA = [
  'dormouse_admission_reviews_total',
  'dormouse_admission_duration_seconds',
  'dormouse_http_requests_total',
  'dormouse_http_request_duration_seconds',
  'dormouse_kubernetes_requests_total',
  'dormouse_kubernetes_request_duration_seconds',
  'dormouse_watch_connected',
  'dormouse_watch_restarts_total',
  'dormouse_handler_failures_total',
  'dormouse_leader',
  'dormouse_released',
  'dormouse_calendar_readable',
  'dormouse_certificate_expiry_timestamp_seconds',
]

function aLeader(options?: Partial<MetricsOptions>): Metrics {
  const metrics = someMetrics(options)
  metrics.lead(true)
  return metrics
}

const linesOf = async (metrics: Metrics) => (await metrics.registry.exposition()).split('\n')
const conflictsOf = async (metrics: Metrics) =>
  (await linesOf(metrics)).filter((line) => line.startsWith('dormouse_autoscaler_conflicts{'))
const namesIn = (text: string) => Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name)

describe('metrics', () => {
  it('of the controller are exported by the leader only', async () => {
    const metrics = busy()
    expect(namesIn(await metrics.registry.exposition())).to.include.members([
      ...EVERY_REPLICA,
      'dormouse_workloads',
    ])
    metrics.lead(false)
    const text = await metrics.registry.exposition()
    expect(namesIn(text)).to.have.members(EVERY_REPLICA)
    expect(text).to.match(/^dormouse_leader 0$/m)
  })

  it('say by every replica whether the cluster is released', async () => {
    const metrics = someMetrics()
    metrics.released(true)
    expect(await linesOf(metrics)).to.include('dormouse_released 1')
    metrics.released(false)
    expect(await linesOf(metrics)).to.include('dormouse_released 0')
  })

  it('carry what was counted, with bounded labels', async () => {
    const metrics = busy()
    metrics.api.answered('unmatched', 'BREW', 404, 0.001)
    const text = await metrics.registry.exposition()
    for (const line of [
      'dormouse_leader 1',
      'dormouse_operations_total{type="snooze",trigger="schedule",kind="deployments",result="succeeded"} 1',
      'dormouse_workloads{namespace="shop",kind="deployments",state="awake"} 1',
      'dormouse_workloads{namespace="shop",kind="deployments",state="snoozed"} 1',
      'dormouse_replicas{namespace="shop",state="asleep"} 3',
      'dormouse_requested_cpu_cores{namespace="shop",state="awake"} 1.5',
      'dormouse_requested_memory_bytes{namespace="shop",state="asleep"} 3000',
      'dormouse_saved_replica_seconds_total{namespace="shop"} 0',
      'dormouse_watch_connected{kind="deployments"} 1',
      'dormouse_http_requests_total{route="unmatched",method="other",code="404"} 1',
      'dormouse_kubernetes_requests_total{verb="patch",resource="deployments",code="200"} 1',
      'dormouse_schedule_lag_seconds_bucket{le="0.25"} 1',
      'dormouse_queue_depth 7',
      `dormouse_certificate_expiry_timestamp_seconds ${NOW / 1000}`,
    ]) {
      expect(text.split('\n')).to.include(line)
    }
  })

  it('count what only a later release knows as one series: its names are not bounded', async () => {
    const metrics = busy()
    metrics.controller.operation('wake', 'tide', 'deployments', 'abandoned')
    metrics.controller.operation('wake', 'constructor', 'deployments', 'toString')
    expect(await metrics.registry.exposition()).to.include(
      'dormouse_operations_total{type="wake",trigger="other",kind="deployments",result="other"} 2',
    )
  })

  it('show coming and overdue transitions', async () => {
    let now = NOW
    const metrics = aLeader({ clock: () => now })
    const lines = () => linesOf(metrics)
    expect((await lines()).filter((line) => line.startsWith('dormouse_next_wave'))).to.deep.equal([])
    const schedule = '8:00-18:00'
    metrics.workloads.changed(undefined, aWorkload('web', { annotations: { enabled: 'true', schedule } }))
    const evening = Date.parse('2026-03-02T18:00:00Z')
    expect(await lines()).to.include.members([
      `dormouse_next_wave_timestamp_seconds{type="snooze"} ${evening / 1000}`,
      'dormouse_next_wave_workloads{type="snooze"} 1',
      'dormouse_coming_transitions{type="snooze",within="4h"} 0',
      'dormouse_coming_transitions{type="snooze",within="12h"} 1',
      'dormouse_coming_transitions{type="wake",within="72h"} 0',
      'dormouse_overdue_transitions{type="snooze"} 0',
    ])
    now = evening + 1
    expect(await lines()).to.include.members([
      'dormouse_coming_transitions{type="snooze",within="12h"} 0',
      'dormouse_overdue_transitions{type="snooze"} 1',
    ])
  })

  it('do not count as overdue what waits by its order', async () => {
    const metrics = aLeader({
      clock: () => Date.parse('2026-03-03T08:00:01Z'),
      waiting: (type) => (type === 'wake' ? 2 : 0),
    })
    const annotations = { enabled: 'true', schedule: '8:00-18:00' }
    for (const name of ['db', 'web', 'api'])
      metrics.workloads.changed(undefined, asleep(aWorkload(name, { annotations })))
    expect(await linesOf(metrics)).to.include.members([
      'dormouse_overdue_transitions{type="wake"} 1',
      'dormouse_order_waiting{type="wake"} 2',
      'dormouse_order_waiting{type="snooze"} 0',
    ])
  })

  it('count workloads by team, at most 200 teams', async () => {
    const metrics = aLeader({ teamOf: ({ labels }) => labels?.['team'] })
    const of = (team: string) => ({ labels: { team } })
    metrics.workloads.changed(undefined, aWorkload('lonely'))
    for (let n = 0; n < 205; n++) metrics.workloads.changed(undefined, aWorkload(`w${n}`, of(`team-${n}`)))
    const another = aWorkload('another', of('team-3'))
    metrics.workloads.changed(undefined, another)
    const lines = async () => (await linesOf(metrics)).filter((line) => line.includes('team="'))
    const counts = (await lines()).filter((line) => line.startsWith('dormouse_workloads_by_team'))
    expect(counts).to.have.length(202)
    expect(counts).to.include.members([
      'dormouse_workloads_by_team{team="none",state="awake"} 1',
      'dormouse_workloads_by_team{team="other",state="awake"} 5',
      'dormouse_workloads_by_team{team="team-3",state="awake"} 2',
    ])
    metrics.workloads.changed(another, aWorkload('another', of('team-4')))
    expect(await lines()).to.include.members([
      'dormouse_workloads_by_team{team="team-3",state="awake"} 1',
      'dormouse_workloads_by_team{team="team-4",state="awake"} 2',
      'dormouse_replicas_by_team{team="team-4",state="awake"} 6',
      'dormouse_requested_cpu_cores_by_team{team="team-4",state="awake"} 3',
    ])
  })

  it('show what sleep saves, for a team too, in money where prices are configured, and no money elsewhere', async () => {
    let seconds = 0
    const monotonic = () => seconds * 1000
    const prices = { currency: 'EUR', cpu: 0.5, memory: 0 }
    const metrics = aLeader({ teamOf: () => 'web', monotonic, prices })
    metrics.workloads.changed(undefined, asleep(aWorkload()))
    seconds = 2 * 3600
    expect(await linesOf(metrics)).to.include.members([
      'dormouse_saved_replica_seconds_by_team_total{team="web"} 21600',
      'dormouse_saved_cpu_core_seconds_by_team_total{team="web"} 10800',
      'dormouse_saved_money_total{namespace="shop",currency="EUR"} 1.5',
      'dormouse_saved_money_by_team_total{team="web",currency="EUR"} 1.5',
    ])
    expect(await busy().registry.exposition()).not.to.include('money')
  })

  it('show what calendars change in the coming week, by workload of each date', async () => {
    const rules = rulesWith({}, calendarsOf({ de: { '2026-03-04': '', '2026-03-08': '', '2026-03-09': '' } }))
    const metrics = aLeader({ rules })
    const annotations = { enabled: 'true', schedule: '8:00-18:00,Mon-Fri', calendar: 'de' }
    for (const name of ['a', 'b']) metrics.workloads.changed(undefined, aWorkload(name, { annotations }))
    const found = async () =>
      (await metrics.registry.exposition()).match(/^dormouse_calendar_changed_workloads\{.*$/gm) ?? []
    // Sunday the 8th has no hours anyway, and the 9th is a week away.
    const line = 'dormouse_calendar_changed_workloads{calendar="de",date="2026-03-04",hours="none"} 2'
    expect(await found()).to.deep.equal([line])
    const other = aWorkload('c', { annotations: { ...annotations, schedule: '9:00-17:00,Mon-Fri' } })
    metrics.workloads.changed(undefined, other)
    expect(await found(), 'whatever their schedules').to.deep.equal([line.replace(/2$/, '3')])
    metrics.workloads.changed(aWorkload('b', { annotations }), undefined)
    expect(await found()).to.deep.equal([line])
    metrics.workloads.changed(aWorkload('a', { annotations }), undefined)
    metrics.workloads.changed(other, undefined)
    expect(await found()).to.deep.equal([])
  })

  it('show workloads that an autoscaler wakes while they are asleep, until they sleep', async () => {
    const metrics = aLeader()
    const sleeper = asleep(aWorkload())
    const woken = {
      ...sleeper,
      replicas: 1,
      replicasManager: { manager: 'kube-controller-manager', subresource: 'scale' },
    }
    metrics.workloads.changed(undefined, sleeper)
    expect(await conflictsOf(metrics)).to.deep.equal([])
    metrics.workloads.changed(sleeper, woken)
    expect(await conflictsOf(metrics)).to.deep.equal([
      'dormouse_autoscaler_conflicts{namespace="shop",kind="deployments",reason="fight"} 1',
    ])
    metrics.workloads.changed(woken, sleeper)
    expect(await conflictsOf(metrics)).to.deep.equal([])
  })

  it('show workloads whose pods did not come in time, until they are ready or it sleeps', async () => {
    let now = NOW
    const clock = () => now
    const metrics = aLeader({ clock, evaluations: evaluationsOf(RULES, clock) })
    const late = async () =>
      (await linesOf(metrics)).filter((line) => line.startsWith('dormouse_late_workloads{'))
    const waking = aDeployment().withReplicas(3).enabled().inProgress({ type: 'wake', at: NOW })
    metrics.workloads.changed(undefined, waking)
    expect(await late()).to.deep.equal([])
    now += RULES.policy.operationTimeout
    metrics.workloads.changed(waking, waking)
    expect(await late()).to.deep.equal(['dormouse_late_workloads{namespace="shop",kind="deployments"} 1'])
    const ready = waking.with({ resourceVersion: '101' }).settled()
    metrics.workloads.changed(waking, ready)
    expect(await late(), 'a status alone').to.deep.equal([])
    metrics.workloads.changed(ready, waking)
    expect(await late()).to.have.length(1)
    metrics.workloads.changed(waking, waking.snoozed({ at: now }))
    expect(await late()).to.deep.equal([])
  })

  it('show workloads whose ScaledObject others have paused', async () => {
    const paused = aScaledObject({ annotations: { paused: 'true' } })
    const metrics = aLeader({ rules: rulesWithKeda(paused) })
    for (const name of ['web', 'other']) metrics.workloads.changed(undefined, aWorkload(name))
    expect(await conflictsOf(metrics)).to.deep.equal([
      'dormouse_autoscaler_conflicts{namespace="shop",kind="deployments",reason="held_by_keda"} 1',
    ])
  })

  it('begin at 0, so that the first of a kind is an increase', async () => {
    const metrics = aLeader()
    metrics.registry.kubernetes.follow({ watches: [{ kind: 'replicasets', connected: true }] })
    expect(await linesOf(metrics)).to.include.members([
      'dormouse_admission_reviews_total{webhook="scale",decision="denied",reason="unchecked"} 0',
      'dormouse_admission_duration_seconds_count{webhook="workloads"} 0',
      'dormouse_watch_restarts_total{kind="replicasets",reason="ended"} 0',
    ])
  })

  it('name workloads only when asked to', async () => {
    expect(await busy().registry.exposition()).not.to.contain('name=')
    const text = await busy({ perWorkload: true }).registry.exposition()
    expect(text).to.contain('dormouse_workload_asleep{namespace="shop",kind="deployments",name="asleep"} 1')
    expect(text).to.contain('dormouse_workload_asleep{namespace="shop",kind="deployments",name="awake"} 0')
  })

  it('of two instances are apart', async () => {
    busy()
    expect(await someMetrics().registry.exposition()).not.to.contain('code="200"')
  })

  itWith(promtool, 'pass promtool check metrics', async (run) => {
    const { registry } = busy({ perWorkload: true })
    registry.followNode()
    const text = await registry.exposition()
    const checked = run(['check', 'metrics'], { input: text })
    expect(checked).to.deep.equal({ code: 0, stdout: '', stderr: '' })
    expect(namesIn(text)).to.include('process_resident_memory_bytes')
  })
})

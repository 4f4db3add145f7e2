import { spawnSync } from 'node:child_process'
import { expect } from 'chai'
import { Metrics, type MetricsOptions } from '../../src/metrics/metrics.ts'
import { asleep, aWorkload, NOW, RULES } from './workload.ts'

function someMetrics(options: Partial<MetricsOptions> = {}) {
  return new Metrics({
    rules: RULES,
    clock: () => NOW,
    perWorkload: false,
    processMetrics: false,
    ...options,
  })
}

/** Everything happened once. */
function busy(options: Partial<MetricsOptions> = {}): Metrics {
  const metrics = someMetrics(options)
  metrics.lead(true)
  metrics.request('patch', 'deployments', 200, 0.01)
  metrics.watchRestarted('deployments', 'expired')
  metrics.eventDropped()
  metrics.decidingFailed()
  metrics.http('/api/v1/workloads', 'GET', 200, 0.002)
  metrics.operation('snooze', 'schedule', 'deployments', 'succeeded')
  metrics.operationDuration('snooze', 'deployments', 4)
  metrics.scheduleLag(0.2)
  metrics.queueDepth(7)
  metrics.queueWait(0.001)
  metrics.admission('scale.dormouse.dev', 'denied', 'pinned', 0.003)
  metrics.certificateExpires(NOW)
  metrics.workloads.changed(undefined, aWorkload('awake'))
  metrics.workloads.changed(undefined, asleep(aWorkload('asleep')))
  return metrics
}

const CONTROLLER = [
  'dormouse_workloads',
  'dormouse_operations_total',
  'dormouse_operation_duration_seconds',
  'dormouse_schedule_lag_seconds',
  'dormouse_saved_replica_seconds_total',
  'dormouse_saved_cpu_core_seconds_total',
  'dormouse_saved_memory_byte_seconds_total',
  'dormouse_queue_depth',
  'dormouse_queue_wait_seconds',
  'dormouse_events_dropped_total',
]
const EVERY_REPLICA = [
  'dormouse_admission_reviews_total',
  'dormouse_admission_duration_seconds',
  'dormouse_http_requests_total',
  'dormouse_http_request_duration_seconds',
  'dormouse_kubernetes_requests_total',
  'dormouse_kubernetes_request_duration_seconds',
  'dormouse_watch_restarts_total',
  'dormouse_handler_failures_total',
  'dormouse_leader',
  'dormouse_certificate_expiry_timestamp_seconds',
]

const namesIn = (text: string) => Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name)

describe('metrics', () => {
  it('are those of the design, and nothing else of ours', async () => {
    expect(namesIn(await busy().exposition())).to.have.members([...CONTROLLER, ...EVERY_REPLICA])
  })

  it('of the controller are told by the leader only', async () => {
    const metrics = busy()
    metrics.lead(false)
    const text = await metrics.exposition()
    expect(namesIn(text)).to.have.members(EVERY_REPLICA)
    expect(text).to.match(/^dormouse_leader 0$/m)
  })

  it('carry what was counted, with bounded labels', async () => {
    const metrics = busy()
    metrics.http(undefined, 'BREW', 404, 0.001)
    const text = await metrics.exposition()
    for (const line of [
      'dormouse_leader 1',
      'dormouse_operations_total{type="snooze",trigger="schedule",kind="deployments",result="succeeded"} 1',
      'dormouse_workloads{namespace="shop",kind="deployments",state="awake"} 1',
      'dormouse_workloads{namespace="shop",kind="deployments",state="snoozed"} 1',
      'dormouse_saved_replica_seconds_total{namespace="shop"} 0',
      'dormouse_http_requests_total{route="none",method="other",code="404"} 1',
      'dormouse_kubernetes_requests_total{verb="patch",resource="deployments",code="200"} 1',
      'dormouse_schedule_lag_seconds_bucket{le="0.25"} 1',
      'dormouse_queue_depth 7',
      `dormouse_certificate_expiry_timestamp_seconds ${NOW / 1000}`,
    ]) {
      expect(text.split('\n')).to.include(line)
    }
  })

  it('name workloads only when asked to', async () => {
    expect(await busy().exposition()).not.to.contain('name=')
    const text = await busy({ perWorkload: true }).exposition()
    expect(text).to.contain('dormouse_workload_asleep{namespace="shop",kind="deployments",name="asleep"} 1')
    expect(text).to.contain('dormouse_workload_asleep{namespace="shop",kind="deployments",name="awake"} 0')
  })

  it('do not share anything between two of them', async () => {
    busy()
    expect(await someMetrics().exposition()).not.to.contain('code="200"')
  })

  it('pass promtool check metrics', async function () {
    const text = await busy({ perWorkload: true, processMetrics: true }).exposition()
    const { error, status, stderr, stdout } = spawnSync('promtool', ['check', 'metrics'], { input: text })
    if (error && !process.env.CI) this.skip()
    expect(error).to.equal(undefined)
    expect(`${String(stdout)}${String(stderr)}`).to.equal('')
    expect(status).to.equal(0)
    expect(namesIn(text)).to.include('process_resident_memory_bytes')
  })
})

import { expect } from 'chai'
import { request } from 'undici'
import { describeOnBoth } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { parseMetrics, sumOf } from '../support/metrics-text.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { promtool } from '../support/promtool.ts'
import { itWith } from '../suite/need.ts'

const REPLICAS = 2

describeOnBoth('metrics and health', function (on) {
  this.timeout(90_000)
  const here = served(on, { newWorkloadGrace: '0s' })

  const fetched = async (path: string) => {
    const { statusCode, headers, body } = await request(`${here.dormouse.metricsUrl}${path}`)
    return { status: statusCode, type: headers['content-type'], text: await body.text() }
  }

  before(async () => {
    const workload = await here.asleep('deployments', 'measured', {
      replicas: REPLICAS,
      schedule: awakeNow(),
    })
    await workload.wake('?wait=60s')
    await workload.schedule({ schedule: asleepNow() })
    await here.workload('deployments', 'none').attempt('GET', '')
  })

  itWith(promtool, 'are what promtool calls well made', async (run) => {
    const { text } = await fetched('/metrics')
    const checked = run(['check', 'metrics'], { input: text })
    expect(checked).to.deep.equal({ code: 0, stdout: '', stderr: '' })
  })

  it('count what was asked and what was done', async () => {
    const samples = await eventually('the snooze to be counted', async () => {
      const samples = await here.dormouse.metrics()
      return (
        sumOf(samples, 'dormouse_operations_total', {
          type: 'snooze',
          trigger: 'schedule',
          result: 'succeeded',
        }) > 0 && samples
      )
    })
    const operations = (labels: Record<string, string>) =>
      sumOf(samples, 'dormouse_operations_total', { kind: 'deployments', result: 'succeeded', ...labels })
    expect(operations({ type: 'snooze', trigger: 'api' })).to.equal(1)
    expect(operations({ type: 'wake', trigger: 'api' })).to.equal(1)
    expect(sumOf(samples, 'dormouse_operation_duration_seconds_count', { type: 'wake' })).to.equal(1)
    const route = '/api/v1/namespaces/{namespace}/{kind}/{name}'
    expect(
      sumOf(samples, 'dormouse_http_requests_total', {
        route: `${route}/snooze`,
        method: 'POST',
        code: '200',
      }),
    ).to.equal(1)
    expect(sumOf(samples, 'dormouse_http_requests_total', { route, method: 'GET', code: '404' })).to.equal(1)
    expect(
      sumOf(samples, 'dormouse_kubernetes_requests_total', {
        verb: 'patch',
        resource: 'deployments',
        code: '200',
      }),
    ).to.be.at.least(4)
    expect(sumOf(samples, 'dormouse_leader')).to.equal(1)
    expect(
      sumOf(samples, 'dormouse_workloads', {
        namespace: here.namespace,
        kind: 'deployments',
        state: 'snoozed',
      }),
    ).to.equal(1)
  })

  it('tell what sleep saves, and no names of workloads', async () => {
    const { text } = await fetched('/metrics')
    expect(text).not.to.include('measured')
    await eventually('seconds to be saved', async () => {
      const saved = sumOf(await here.dormouse.metrics(), 'dormouse_saved_replica_seconds_total', {
        namespace: here.namespace,
      })
      return saved > 0
    })
  })

  it('are served as Prometheus reads them, beside health and readiness', async () => {
    const metrics = await fetched('/metrics')
    expect(metrics.type).to.match(/^text\/plain; version=0\.0\.4/)
    expect(parseMetrics(metrics.text).map(({ name }) => name)).to.include.members([
      'dormouse_queue_depth',
      'dormouse_queue_wait_seconds_count',
      'dormouse_schedule_lag_seconds_count',
      'dormouse_http_request_duration_seconds_count',
      'dormouse_kubernetes_request_duration_seconds_count',
      'dormouse_saved_cpu_core_seconds_total',
      'dormouse_saved_memory_byte_seconds_total',
      'process_cpu_seconds_total',
    ])
    expect(await fetched('/healthz')).to.include({ status: 200 })
    expect(await fetched('/readyz')).to.include({ status: 200 })
    expect(await fetched('/nowhere')).to.include({ status: 404 })
  })
})

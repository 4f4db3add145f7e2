import { expect } from 'chai'
import { request } from 'undici'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { sumOf, writesOf } from '../support/metrics-text.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { promtool } from '../support/promtool.ts'
import { itWith } from '../suite/need.ts'

/** Each metric by itself is in test/service/metrics. */
describeOn('metrics', function (on) {
  this.timeout(90_000)
  const here = served(on, { newWorkloadGrace: '0s' })

  before('a workload that was put to sleep by request and by schedule', async () => {
    const workload = await here.asleep('deployments', 'measured', { replicas: 2, schedule: awakeNow() })
    await workload.wake('?wait=60s')
    await workload.schedule({ schedule: asleepNow() })
  })

  itWith(promtool, 'are what promtool calls well made, and have no names of workloads', async (run) => {
    const { body, headers } = await request(`${here.dormouse.metricsUrl}/metrics`)
    expect(headers['content-type']).to.match(/^text\/plain; version=0\.0\.4/)
    const text = await body.text()
    expect(text).not.to.include('measured')
    const checked = run(['check', 'metrics'], { input: text })
    expect(checked).to.deep.equal({ code: 0, stdout: '', stderr: '' })
  })

  it('count what was asked and what was done, and what sleep saves', async () => {
    const namespace = here.namespace
    await eventually('the metrics to follow', async () => {
      const samples = await here.dormouse.metrics()
      const operations = (labels: Record<string, string>) =>
        sumOf(samples, 'dormouse_operations_total', { kind: 'deployments', result: 'succeeded', ...labels })
      const route = '/api/v1/namespaces/{namespace}/{kind}/{name}/snooze'
      const asked = sumOf(samples, 'dormouse_http_requests_total', { route, method: 'POST', code: '200' })
      expect([
        operations({ type: 'snooze', trigger: 'schedule' }),
        operations({ type: 'snooze', trigger: 'api' }),
        operations({ type: 'wake', trigger: 'api' }),
        asked,
        sumOf(samples, 'dormouse_leader'),
        sumOf(samples, 'dormouse_workloads', { namespace, kind: 'deployments', state: 'snoozed' }),
      ]).to.deep.equal([1, 1, 1, 1, 1, 1])
      expect(writesOf(samples, 'deployments', { code: '200' })).to.be.at.least(4)
      expect(sumOf(samples, 'dormouse_saved_replica_seconds_total', { namespace })).to.be.above(0)
      return true
    })
  })
})

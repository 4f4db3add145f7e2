import { expect } from 'chai'
import { connect } from '../../src/client/connect.ts'
import type { Dormouse } from '../../src/client/ports.ts'
import { systemClock } from '../../src/process/clock.ts'
import { typed } from '../client/fake-dormouse.ts'
import { describeOn } from '../support/clusters.ts'
import { onlyIn } from '../support/developer.ts'
import { EventStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { asleepNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'

const kind = 'deployments'
const ADMISSION = '/apis/admissionregistration.k8s.io/v1'

/** The client over a kubeconfig. */
async function clientOf(kubeconfig: string): Promise<Dormouse> {
  const stopSignal = new AbortController().signal
  const outside = { clock: systemClock, environment: {}, stderr: { write() {} }, stopSignal }
  return connect({ kubeconfig }, outside)
}

describeOn('a workload that does not come up', function (on) {
  this.timeout(240_000)
  const here = served(on, { newWorkloadGrace: '0s', operationTimeout: '4s' })

  const why = async (kubeconfig: string, name: string) => {
    const over = await clientOf(kubeconfig)
    const { out } = await typed(['why', name, '-n', here.namespace], { over })
    await over.close()
    return out
  }

  it('for want of a node: is late, and its pods say why, to whom may read them', async () => {
    const unscheduled = manifest(kind, 'unscheduled', {
      replicas: 2,
      nodeSelector: { nowhere: 'true' },
      annotations: annotated(asleepNow()),
    })
    await on().create(here.namespace, [unscheduled])
    const workload = here.workload(kind, 'unscheduled')
    await eventually('it to sleep', async () => (await workload.status()).is_snoozed)
    await workload.wake()
    const late = await eventually('it to be late', async () => {
      const record = await workload.status()
      return record.late && record
    })
    expect(late).to.include({ phase: 'awake', ready_replicas: 0, current_replicas: 2 })
    const filtered = await here.api.call('GET', `/workloads?state=late&namespace=${here.namespace}`)
    expect(JSON.stringify(filtered.body.data)).to.include('"name":"unscheduled"')
    await eventually('an Event', async () =>
      (await here.events('unscheduled')).some(
        ({ type, reason, message }) =>
          type === 'Warning' &&
          reason === 'WakeTimedOut' &&
          message.startsWith('0 of 2 replicas ready 4s after'),
      ),
    )
    const said = await why(on().adminKubeconfig, 'unscheduled')
    expect(said).to.match(/ is late: 0 of 2 replicas ready\n {2}pods are missing +0\/\d+ nodes are available/)
    expect(said).to.match(/\(Unschedulable\)\n/)
    const without = await why(await onlyIn(here, 'petra'), 'unscheduled')
    expect(without)
      .to.match(/ is late: 0 of 2 replicas ready\n/)
      .and.not.match(/Unschedulable/)
    await workload.snooze()
  })

  it('for want of quota: the record says so, live, and so do Event and client', async () => {
    const workload = await here.asleep(kind, 'over-quota', { replicas: 3 })
    const quotas = `/api/v1/namespaces/${here.namespace}/resourcequotas`
    await on().admin.expect('POST', quotas, { metadata: { name: 'one' }, spec: { hard: { pods: '1' } } })
    await eventually('the quota to be in force', async () => {
      const { status } = (await on().admin.expect('GET', `${quotas}/one`)) as { status?: { used?: object } }
      return status?.used !== undefined
    })
    const stream = await EventStream.open(
      `${here.api.url}/api/v1/workloads?watch=true&namespace=${here.namespace}`,
      await here.dormouse.tokens.token(),
    )
    await stream.until('listed')
    await workload.wake()
    // The condition comes by a change of the status alone.
    await stream.until('changed', ({ name, trouble }) => name === 'over-quota' && trouble !== null)
    await stream.close()
    const refused = await eventually(
      'the refusal',
      async () => (await workload.status()).trouble ?? undefined,
    )
    expect(refused.code).to.equal('FailedCreate')
    expect(refused.message).to.match(/^exceeded quota: one, requested: pods=1/)
    await eventually('it to be late', async () => (await workload.status()).late)
    await eventually('an Event', async () =>
      (await here.events('over-quota')).some(
        ({ reason, message }) => reason === 'WakeTimedOut' && message.includes('exceeded quota: one'),
      ),
    )
    const said = await why(await onlyIn(here, 'quentin'), 'over-quota')
    expect(said).to.match(/ is late: .*\n {2}pods are missing +exceeded quota: one,.* \(FailedCreate\)\n/)
    await workload.snooze()
    expect(await workload.status()).to.deep.include({ late: false, trouble: null })
    await on().admin.expect('DELETE', `${quotas}/one`)
  })

  it('a sleep that a policy refuses: the reason names who refuses it, and its message', async () => {
    const name = `two-at-least-${here.namespace}`
    const workload = await here.enabled(kind, 'refused', { replicas: 2 })
    const rule = { apiGroups: ['apps'], apiVersions: ['v1'], resources: [kind], operations: ['UPDATE'] }
    await on().admin.expect('POST', `${ADMISSION}/validatingadmissionpolicies`, {
      metadata: { name },
      spec: {
        matchConstraints: { resourceRules: [rule] },
        validations: [{ expression: 'object.spec.replicas >= 2', message: 'two replicas at least' }],
      },
    })
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': here.namespace } }
    await on().admin.expect('POST', `${ADMISSION}/validatingadmissionpolicybindings`, {
      metadata: { name },
      spec: {
        policyName: name,
        validationActions: ['Deny'],
        matchResources: { namespaceSelector },
      },
    })
    try {
      await eventually('the policy to be in force', async () => {
        const path = `${here.path(kind, 'refused')}?dryRun=All`
        return (await on().admin.send('PATCH', path, { spec: { replicas: 1 } })).status === 422
      })
      await here.annotate(kind, 'refused', { 'dormouse.dev/schedule': asleepNow() })
      const { reason, reason_values: values } = await eventually('the refusal', async () => {
        const record = await workload.status()
        return record.reason_values['refusal'] !== undefined && record
      })
      const said = new RegExp(`^ValidatingAdmissionPolicy '${name}' .*two replicas at least`)
      expect(values['refusal']).to.match(said)
      expect(reason).to.match(
        /the cluster refused the last attempt: Validating.*two replicas at least \(then: asl/,
      )
      expect(await why(on().adminKubeconfig, 'refused')).to.include('two replicas at least')
    } finally {
      for (const each of ['validatingadmissionpolicybindings', 'validatingadmissionpolicies'])
        await on().admin.send('DELETE', `${ADMISSION}/${each}/${name}`)
    }
  })
})

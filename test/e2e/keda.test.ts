import { expect } from 'chai'
import { BesideKeda, mainCases } from '../keda/cases.ts'
import { define, scaledObjectsIn, undefine } from '../keda/operator.ts'
import { StandIn } from '../keda/stand-in.ts'
import { describeOn } from '../support/clusters.ts'
import { runDormouse } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { served } from '../support/served.ts'

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies'
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings'

describeOn('a stand-in for KEDA', function (on) {
  this.timeout(120_000)
  const here = served(on, { newWorkloadGrace: '0s' })
  const operator = new StandIn(on, here.namespace)
  const keda = new BesideKeda(here, () => operator)

  before('KEDA is installed after Dormouse was started', async () => {
    await define(on())
    await operator.start()
  })

  after('KEDA is removed', async () => {
    await operator.stop()
    await undefine(on())
  })

  const remove = (name: string) => on().admin.expect('DELETE', scaledObjectsIn(here.namespace, name))

  mainCases(
    () => keda,
    () => operator,
  )

  it('is left alone where a person has paused it, and the workload says so', async () => {
    const others = { 'autoscaling.keda.sh/paused': 'true' }
    const workload = await keda.workload('held', 1, true, others)
    const reason = async () => (await workload.attempt('GET', '')).body.data.reason
    await eventually('the reason', async () => (await reason()).includes('held by KEDA: ScaledObject held'))
    const { body } = await workload.attempt('POST', 'snooze')
    expect(body.message).to.include('held by KEDA')
    await keda.staysAsleep('held')
    expect(await keda.pause('held')).to.deep.equal(others)
    await workload.wake()
    await keda.hasReplicas('held', 3)
  })

  it('may be deleted while its workload sleeps, which then wakes to its count', async () => {
    const workload = await keda.workload('deleted', 0, true)
    await workload.snooze()
    await keda.paused('deleted')
    await remove('deleted')
    await keda.staysAsleep('deleted')
    await eventually('Dormouse to know', async () => {
      const { body } = await workload.attempt('POST', 'wake?dryRun=true')
      return body.message.includes('woken to 3 replicas')
    })
    await workload.wake()
    await keda.hasReplicas('deleted', 3)
  })

  it('is paused by the next start where kill -9 comes between the two writes', async () => {
    const workload = await keda.workload('killed', 0, false)
    await refusePauses(true)
    await workload.snooze()
    await eventually('the refusal to be told', async () => {
      const events = await here.events('killed')
      return events.some(({ reason }) => reason === 'PauseFailed')
    })
    await here.dormouse.kill()
    expect(await keda.pause('killed')).to.deep.equal({})
    await refusePauses(false)
    await here.dormouse.start()
    await keda.paused('killed')
    await keda.staysAsleep('killed')
    operator.active = true
    await keda.staysAsleep('killed')
    await here.workload('deployments', 'killed').wake()
    await keda.unpaused('killed')
  })

  it('that polls between the two writes of a sleep and of a wake undoes neither, and costs no count', async () => {
    const workload = await keda.workload('polled', 0, true)
    const refusedOnce = async (action: () => Promise<unknown>) => {
      await refusePauses(true, 'polled')
      await action()
      await operator.looked()
      await refusePauses(false, 'polled')
    }
    await refusedOnce(() => workload.snooze())
    await keda.paused('polled')
    await keda.staysAsleep('polled')
    expect(await workload.status()).to.include({ is_snoozed: true, last_replicas: 3 })
    await refusedOnce(() => workload.wake())
    await keda.unpaused('polled')
    await eventually('KEDA to run it', async () => (await keda.replicas('polled')) > 0)
    expect(await workload.status()).to.include({ is_snoozed: false })
  })

  it('may vanish with its definition: Dormouse goes on, and does not fill its log', async () => {
    const workload = await keda.workload('orphaned', 0, true)
    await workload.snooze()
    await keda.paused('orphaned')
    const lines = here.dormouse.log.length
    await operator.stop()
    await undefine(on())
    await eventually('Dormouse to know', async () => {
      const { body } = await workload.attempt('POST', 'wake?dryRun=true')
      return body.message.includes('woken to 3 replicas')
    })
    await workload.wake()
    await keda.hasReplicas('orphaned', 3)
    expect(here.dormouse.log.length - lines).to.be.lessThan(60)
    await define(on())
    await operator.start()
    const again = await keda.workload('again', 1, true)
    await again.snooze()
    await keda.paused('again')
  })

  it('goes on after a release, which ends every pause', async () => {
    const workload = await keda.workload('released', 1, true)
    await workload.snooze()
    await keda.paused('released')
    await here.dormouse.terminate()
    const config = { webhook: { enabled: false }, controller: { lease: { namespace: here.namespace } } }
    const args = ['release', '--all', '--yes', '--kubeconfig', on().adminKubeconfig]
    const { code, stdout, stderr } = await runDormouse(args, { config })
    expect(code, stderr).to.equal(0)
    expect(stdout).to.include(`scaledobjects/${here.namespace}/released\n`)
    await keda.unpaused('released')
    await keda.runs('released')
  })

  /** Lets the cluster refuse the second of the two writes; resolves once it does, or does not. */
  async function refusePauses(refuse: boolean, probed = 'killed'): Promise<void> {
    const name = `no-pauses-${here.namespace}`
    if (refuse) {
      await on().admin.expect('POST', POLICIES, {
        metadata: { name },
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            resourceRules: [
              {
                apiGroups: ['keda.sh'],
                apiVersions: ['*'],
                operations: ['UPDATE'],
                resources: ['scaledobjects'],
              },
            ],
          },
          validations: [{ expression: 'false', message: 'nobody pauses now' }],
        },
      })
      await on().admin.expect('POST', BINDINGS, {
        metadata: { name },
        spec: { policyName: name, validationActions: ['Deny'] },
      })
    } else {
      await on().admin.expect('DELETE', `${BINDINGS}/${name}`)
      await on().admin.expect('DELETE', `${POLICIES}/${name}`)
    }
    await eventually('the policy to be in force, or gone', async () => {
      const path = `${scaledObjectsIn(here.namespace, probed)}?dryRun=All`
      const { status } = await on().admin.send('PATCH', path, { metadata: { labels: { probe: 'x' } } })
      return refuse === (status === 422)
    })
  }
})

import { expect } from 'chai'
import { withoutPrefixes } from '../../src/domain/workload/author.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced, type Enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { marksOf } from './agreement.ts'
import { warningsOf } from './verdicts.ts'

const COUNT = 3
const HPA = 'system:serviceaccount:kube-system:horizontal-pod-autoscaler'

describeOn('messages of the webhook', function (on) {
  this.timeout(150_000)
  const here = enforced(on)

  it('names who holds it, and the request that clears that; of a sleeper what it will wake to, and how', async () => {
    const workload = await here.enabled('deployments', 'told', { replicas: COUNT })
    await workload.pin()
    const { pin } = marksOf(await here.get('deployments', 'told')).state ?? {}
    const { code, stderr } = await scale(here, 'told', 5)
    expect(code, stderr).to.equal(1)
    expect(stderr)
      // Within a second of the answer the second is listed; both refuse alike.
      .to.match(/admission webhook "(?:held-)?scale\.dormouse\.dev" denied the request/)
      .and.include(`denied the request: Dormouse: deployment ${here.namespace}/told is pinned awake`)
      .and.include(`by ${withoutPrefixes(pin?.by ?? '')}`)
    expect(await clear(here, stderr)).to.include({ code: 0 })
    expect(await scale(here, 'told', 5)).to.include({ code: 0 })
    await workload.snooze('?wait=60s')
    const sync = await here.withFile('apply', manifest('deployments', 'told', { replicas: 4 }))
    const image = await here.attempt('set', 'image', 'deployment/told', '*=example/web:2')
    for (const [result, says] of [
      [sync, /it will wake to 4/],
      [image, /is asleep.*: the new version runs /],
    ] as const) {
      const warnings = warningsOf(result)
      expect(warnings).to.have.length(2)
      expect(warnings[0]).to.match(says)
      expect(warnings[1]).to.include(': to wake it now: kubectl annotate ')
    }
    expect(await clear(here, warningsOf(image)[1] ?? '')).to.include({ code: 0 })
    await here.settled('deployments', 'told')
    expect((await here.get('deployments', 'told')).spec.replicas).to.equal(4)
  })

  it('says of a deploy that it wakes, where the settings of the sleeper say so, and who deployed stands in its history', async () => {
    const workload = await here.asleep('deployments', 'deployed', { replicas: COUNT })
    await here.attempt('annotate', 'deployment/deployed', 'dormouse.dev/deploy-wakes=true')
    const sameTemplate = await here.withFile('apply', manifest('deployments', 'deployed', { replicas: 4 }))
    expect(warningsOf(sameTemplate)[0]).to.match(/it will wake to 4/)
    const next = manifest('deployments', 'deployed', { replicas: 4, revision: '2' })
    const deploy = await here.withFile('apply', next)
    expect(deploy.code, deploy.stderr).to.equal(0)
    expect(warningsOf(deploy).join()).to.include('its dormouse.dev/deploy-wakes says that a deploy wakes it')
    await here.settled('deployments', 'deployed')
    const { current_replicas, operation_history, policy } = await workload.status()
    expect(current_replicas).to.equal(4)
    expect(operation_history[0]).to.include({ type: 'wake', trigger: 'deploy', replicas: 4 })
    expect(policy.deploy_wakes).to.deep.equal({ value: true, source: 'workload' })
  })

  it('tells who writes one of our names as a label, on what Dormouse knows nothing of, that it is an annotation', async () => {
    await here.create('deployments', 'labelled')
    const result = await here.attempt('label', 'deployment/labelled', 'dormouse.dev/enabled=true')
    expect(warningsOf(result)[0]).to.include('dormouse.dev/enabled has no effect as a label')
    expect((await here.workload('deployments', 'labelled').status()).enabled).to.equal(false)
  })

  it('names the user who wakes a sleeper by hand, in its history, in an Event and in the log', async () => {
    const workload = await here.asleep('deployments', 'by-hand', { replicas: COUNT })
    expect(await scaleAs(here, 'by-hand', COUNT, 'alice', '?fieldManager=k8s:cfo@example.com')).to.equal(200)
    const [newest] = await eventually('the wake to be noted', async () => {
      const { operation_history: history } = await workload.status()
      return history[0]?.type === 'wake' && history
    })
    expect(newest).to.include({ trigger: 'manual', by: 'review:alice', replicas: COUNT })
    await eventually('the Event', async () => {
      const events = (await here.events('by-hand')).filter(({ reason }) => reason === 'ManualScaling')
      return events.some(({ message }) => message.includes('Woken to 3 replicas by review:alice, by scaling'))
    })
    await eventually('both lines of the log', async () => {
      const told = here.dormouse.log.filter(({ workload }) => /by-hand/.test(String(workload)))
      return ['a sleeper is woken by hand', 'scaled to 3 replicas by review:alice'].every((line) =>
        told.some(({ level, msg }) => level === 'info' && msg === line),
      )
    })
  })

  it('lets the autoscaler scale what is pinned awake, and neither another account of kube-system nor an administrator', async () => {
    const workload = await here.enabled('deployments', 'autoscaled', { replicas: COUNT })
    await workload.pin()
    const other = 'system:serviceaccount:kube-system:cronjob-controller'
    expect(await scaleAs(here, 'autoscaled', 6, other)).to.equal(403)
    expect(await scaleAs(here, 'autoscaled', 6, 'jane')).to.equal(403)
    expect((await here.get('deployments', 'autoscaled')).spec.replicas).to.equal(COUNT)
    expect(await scaleAs(here, 'autoscaled', 6, HPA)).to.equal(200)
    expect((await here.get('deployments', 'autoscaled')).spec.replicas).to.equal(6)
    expect(await scale(here, 'autoscaled', 5)).to.include({ code: 1 })
  })
})

function scale(on: Enforced, name: string, replicas: number, ...args: string[]) {
  return on.attempt('scale', `deployment/${name}`, `--replicas=${replicas}`, ...args)
}

/** Scales as a user who may do anything; returns the answer's status. */
async function scaleAs(
  on: Enforced,
  name: string,
  replicas: number,
  user: string,
  query = '',
): Promise<number> {
  const path = `${on.path('deployments', name)}/scale${query}`
  const metadata = { name, namespace: on.namespace }
  const body = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata, spec: { replicas } }
  const headers = { 'impersonate-user': user, 'impersonate-group': 'system:masters' }
  return (await on.cluster.admin.send('PUT', path, body, headers)).status
}

/** Runs the command that a message recommends. */
async function clear(on: Enforced, message: string) {
  const [, typed] = /\bkubectl annotate (.*)/.exec(message) ?? []
  if (typed === undefined) throw new Error(`no command is named: ${message}`)
  return on.attempt('annotate', ...typed.trim().split(' '))
}

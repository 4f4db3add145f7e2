import { expect } from 'chai'
import { wallClock } from '../../src/domain/schedule/zone.ts'
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

  for (const { title, hold, held } of [
    { title: 'pinned', hold: 'pin', held: 'is pinned active' },
    { title: 'overridden', hold: 'override', held: 'is overridden' },
  ] as const) {
    it(`names who has ${title} it, since when, until when, and the request that clears it`, async () => {
      const name = `told-${hold}`
      const workload = await here.enabled('deployments', name, { replicas: COUNT })
      await (hold === 'pin' ? workload.pin() : workload.override('5h'))
      const { pin, override } = marksOf(await here.get('deployments', name)).state ?? {}
      const by = withoutPrefixes((pin ?? override)?.by ?? '')
      const clock = (instant = 0) => wallClock(instant, 'UTC', Date.now())
      const { code, stderr } = await scale(here, name, 5)
      expect(code, stderr).to.equal(1)
      expect(stderr)
        // Within a second of the answer the second is listed; both refuse alike.
        .to.match(/admission webhook "(?:held-)?scale\.dormouse\.dev" denied the request/)
        .and.include(`denied the request: Dormouse: deployment ${here.namespace}/${name} ${held}`)
        .and.include(`by ${by}`)
        .and.include(`since ${clock((pin ?? override)?.at)} (UTC)`)
      if (override) expect(stderr).to.include(`until ${clock(override.until ?? 0)}`)

      expect(await clear(here, stderr)).to.include({ code: 0 })
      expect(await scale(here, name, 5)).to.include({ code: 0 })
      expect((await here.get('deployments', name)).spec.replicas).to.equal(5)
    })
  }

  it('warns that a rollout did not change a pinned count, with the request that clears the pin', async () => {
    const workload = await here.enabled('statefulsets', 'rolled', { replicas: COUNT })
    await workload.pin()
    const sent = manifest('statefulsets', 'rolled', { replicas: 5, revision: '2' })
    const result = await here.withFile('apply', sent)
    expect(result.code, result.stderr).to.equal(0)
    const [says, request = ''] = warningsOf(result)
    expect(says).to.include(`/rolled stays at ${COUNT} replicas: it is pinned active`)
    expect(await clear(here, request)).to.include({ code: 0 })
    expect(await here.workload('statefulsets', 'rolled').status()).to.include({ pin_state: 'none' })
  })

  it('says what a sleeper will wake to, and how to wake it now', async () => {
    await here.asleep('deployments', 'synced', { replicas: COUNT })
    const result = await here.withFile('apply', manifest('deployments', 'synced', { replicas: 5 }))
    const [says, request = ''] = warningsOf(result)
    expect(says).to.include('it will wake to 5')
    expect(await clear(here, request)).to.include({ code: 0 })
    await here.settled('deployments', 'synced')
    expect((await here.get('deployments', 'synced')).spec.replicas).to.equal(5)
  })

  for (const [kind, resource] of [
    ['deployments', 'deployment'],
    ['statefulsets', 'statefulset'],
    ['daemonsets', 'daemonset'],
  ] as const)
    it(`says of a rollout restart and of an image set that the ${resource} is asleep, once, and how to run it now`, async () => {
      const name = `restarted-${resource}`
      await here.asleep(kind, name, { replicas: COUNT })
      const [image, restart] = [
        await here.attempt('set', 'image', `${resource}/${name}`, '*=example/web:2'),
        await here.attempt('rollout', 'restart', `${resource}/${name}`),
      ]
      for (const result of [image, restart]) {
        expect(result.code, result.stderr).to.equal(0)
        const [says, request, ...more] = warningsOf(result)
        expect(says).to.match(/is asleep.*: the new version runs /)
        expect(request).to.include(': to wake it now: kubectl annotate ')
        expect(more).to.deep.equal([])
      }
      const labelled = await here.attempt('label', `${resource}/${name}`, 'team=shop')
      expect(warningsOf(labelled), 'of anything else').to.deep.equal([])
      const [, request = ''] = warningsOf(restart)
      expect(await clear(here, request)).to.include({ code: 0 })
      await here.settled(kind, name)
      expect(await here.workload(kind, name).status()).to.include({ is_snoozed: false })
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
      return events.some(({ message }) => message.includes('Woken by review:alice (manual) to 3 replicas'))
    })
    const told = here.dormouse.log.filter(
      ({ level, workload }) => level === 'info' && /by-hand/.test(String(workload)),
    )
    expect(told.map(({ msg }) => msg)).to.include.members([
      'a sleeper is woken by hand',
      'scaled to 3 replicas by review:alice',
    ])
  })

  it('warns what count is kept when a sleeper is woken with fewer', async () => {
    await here.asleep('deployments', 'fewer', { replicas: COUNT })
    const [says, request = ''] = warningsOf(await scale(here, 'fewer', 1))
    expect(says).to.include(`Dormouse: deployment ${here.namespace}/fewer is awake with 1; ${COUNT} are kept`)
    expect(request).to.match(/to get 3 now: kubectl annotate .*\/fewer \S+=wake$/)
  })

  it('warns of a mistyped annotation, and of one without effect', async () => {
    await here.create('deployments', 'mistyped')
    const annotate = (text: string) => here.attempt('annotate', 'deployment/mistyped', text)
    const meant = (name: string) => `did you mean dormouse.dev/${name}?`
    expect(warningsOf(await annotate('dormouse.dev/enable=true')).join()).to.include(meant('enabled'))
    expect(warningsOf(await annotate('dormouse.dev/shedule=8:00-18:00')).join()).to.include(meant('schedule'))
    expect(warningsOf(await annotate('dormouse.dev/schedule=0:00-24:00')).join()).to.include(
      'dormouse.dev/schedule has no effect until dormouse.dev/enabled is "true"',
    )
    expect(warningsOf(await annotate('dormouse.dev/enabled=true'))).to.deep.equal([])
  })

  it('lets the autoscaler scale what is pinned active, and neither another account of kube-system nor an administrator', async () => {
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

  it('a dry run is reviewed and changes nothing', async () => {
    const workload = await here.asleep('deployments', 'tried', { replicas: COUNT })
    const before = await here.get('deployments', 'tried')
    const sent = manifest('deployments', 'tried', { replicas: 5 })
    const result = await here.withFile('apply', sent, '--dry-run=server')
    expect(warningsOf(result).join(), result.stderr).to.include('it will wake to 5')
    const after = await here.get('deployments', 'tried')
    expect(after.metadata.annotations).to.deep.equal(before.metadata.annotations)
    await workload.pin()
    const scaled = await scale(here, 'tried', 5, '--dry-run=server')
    expect(scaled.code, scaled.stdout).to.equal(1)
  })
})

describeOn("Dormouse run by an administrator's kubeconfig", function (on) {
  this.timeout(150_000)
  const here = enforced(() => ({ ...on(), dormouseKubeconfig: on().adminKubeconfig }))

  it("denies that administrator's kubectl, but not its own writes", async () => {
    const workload = await here.asleep('deployments', 'own', { replicas: COUNT })
    await workload.wake('?wait=60s')
    await workload.pin()
    const { code, stderr } = await scale(here, 'own', 5)
    expect(code, stderr).to.equal(1)
    expect(stderr).to.include('is pinned active')
    expect((await here.get('deployments', 'own')).spec.replicas).to.equal(COUNT)
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

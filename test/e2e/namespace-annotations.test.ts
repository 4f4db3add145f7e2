import { expect } from 'chai'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { asleepNow } from '../support/schedules.ts'
import { eventsOf } from '../support/served.ts'

describeOn('annotations of a Namespace', function (on) {
  this.timeout(120_000)
  const here = enforced(on)
  const annotate = (...annotations: string[]) =>
    here.cluster.kubectl.attempt(['annotate', '--overwrite', 'namespace', here.namespace, ...annotations])

  it('that stop the schedules of all its workloads are refused, with the reason', async () => {
    const { code, stderr } = await annotate('dormouse.dev/schedule=soon')
    expect(code).to.equal(1)
    expect(stderr).to.include(`Dormouse: namespace ${here.namespace}: dormouse.dev/schedule: `)
  })

  it('that are mistyped, or do nothing there, are told', async () => {
    const { code, stderr } = await annotate('dormouse.dev/shedule=8:00-18:00', 'dormouse.dev/wake-order=3')
    expect(code, stderr).to.equal(0)
    expect(stderr)
      .to.include('dormouse.dev/shedule is not known: did you mean dormouse.dev/schedule?')
      .and.include('dormouse.dev/wake-order has no effect on a Namespace')
  })

  it('that name a calendar which nobody knows are told, and an Event says so', async () => {
    const { code, stderr } = await annotate('dormouse.dev/calendar=nosuch')
    expect(code, stderr).to.equal(0)
    expect(stderr).to.match(/Warning: Dormouse: namespace .*calendar: there is no calendar 'nosuch'/)
    await eventually('an Event', async () => {
      const items = await eventsOf(here.cluster, 'default', here.namespace)
      return items.some(
        ({ reason, message, involvedObject }) =>
          reason === 'InvalidSetting' &&
          involvedObject.name === here.namespace &&
          message.includes("'nosuch'"),
      )
    })
    const removed = await annotate('dormouse.dev/calendar-')
    expect([removed.code, removed.stderr]).to.deep.equal([0, ''])
  })

  it('that are right are taken without a word, and a Namespace without any is none of its business', async () => {
    const right = await annotate('dormouse.dev/enabled=true', 'dormouse.dev/schedule=8:00-18:00,Mon-Fri')
    expect([right.code, right.stderr]).to.deep.equal([0, ''])
    const { cluster, namespace } = here
    const other = await cluster.kubectl.attempt(['create', 'namespace', `${namespace}-other`])
    expect([other.code, other.stderr]).to.deep.equal([0, ''])
    await cluster.kubectl('delete', 'namespace', `${namespace}-other`, '--wait=false')
  })

  it('that let workloads fall asleep at once say how many, and when they wake; again they say nothing', async () => {
    await annotate('dormouse.dev/enabled-', 'dormouse.dev/schedule-')
    for (const name of ['web', 'api']) await here.create('deployments', name, { replicas: 1 })
    const hours = [`dormouse.dev/schedule=${asleepNow()}`, 'dormouse.dev/enabled=true']
    const { code, stderr } = await annotate(...hours)
    expect(code, stderr).to.equal(0)
    expect(stderr).to.match(/: 2 workloads fall asleep now; they wake from .* \(UTC\) on/)
    await eventually('both to sleep', async () => {
      const found = await Promise.all(['web', 'api'].map((name) => here.get('deployments', name)))
      return found.every(({ spec }) => spec.replicas === 0)
    })
    expect((await annotate(...hours, 'dormouse.dev/auto-wake=true')).stderr).to.equal('')
  })

  it('are checked when it is created, too', async () => {
    const annotations = { 'dormouse.dev/timezone': 'Mars' }
    const metadata = { name: `${here.namespace}-new`, annotations }
    const { code, stderr } = await here.cluster.kubectl.withFile('create', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata,
    })
    expect(code).to.equal(1)
    expect(stderr).to.match(/Dormouse: namespace .*-new: dormouse\.dev\/timezone: /)
  })
})

describeOn('a label of a Namespace', function (on) {
  this.timeout(120_000)
  const hours = { enabled: true, schedule: asleepNow(), timezone: 'UTC' }
  const policies = [{ name: 'labelled', namespaces: { selector: 'dormouse-test=dev' }, ...hours }]
  const here = enforced(on, { settings: { policies } })
  const label = (value: string) =>
    here.cluster.kubectl.attempt([
      'label',
      '--overwrite',
      'namespace',
      here.namespace,
      `dormouse-test=${value}`,
    ])
  const counts = async () => {
    const found = await Promise.all(['web', 'api'].map((name) => here.get('deployments', name)))
    return found.map(({ spec }) => spec.replicas)
  }

  it('that moves it into a policy, and out of it, says what falls asleep or wakes at once', async () => {
    for (const name of ['web', 'api']) await here.create('deployments', name, { replicas: 1 })
    const into = await label('dev')
    expect(into.code, into.stderr).to.equal(0)
    expect(into.stderr).to.match(/: 2 workloads fall asleep now; they wake from .* \(UTC\) on/)
    await eventually('both to sleep', async () => (await counts()).every((count) => count === 0))
    const out = await label('prod')
    expect(out.stderr).to.include(`Dormouse: namespace ${here.namespace}: 2 workloads wake now`)
    await eventually('both to wake', async () => (await counts()).every((count) => count === 1))
    expect((await label('test')).stderr).to.equal('')
  })
})

import { expect } from 'chai'
import { annotationsOf, define, scaledObject, scaledObjectsIn, undefine } from '../keda/operator.ts'
import { describeOn } from '../support/clusters.ts'
import {
  defineKind,
  mayManage,
  mayNoLongerManage,
  redefineKind,
  undefineKind,
  type CustomKind,
} from '../support/custom-kinds.ts'
import { eventually } from '../support/eventually.ts'
import { asleepNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'

const GROUP = 'kinds.example.com'
const VERSION = 'v1beta2'
const WHEELS = `wheels.${GROUP}` as const
/** Nothing may make them 0. */
const HUBS = `hubs.${GROUP}` as const
/** A kind whose count is at another path than configured. */
const RIMS = `rims.${GROUP}` as const
/** A kind whose definition changes. */
const TYRES = `tyres.${GROUP}` as const
/** A kind with a count that sleeps by a switch. */
const BRAKES = `brakes.${GROUP}` as const
/** Nobody has installed it. */
const SPOKES = `spokes.${GROUP}` as const

/** One with its count at `.spec.size.count`. */
function wheelLike(plural: string, kind: string, minimum = 0): CustomKind {
  const size = { type: 'object', properties: { count: { type: 'integer', minimum } } }
  const workloadRef = { type: 'object', properties: { kind: { type: 'string' }, name: { type: 'string' } } }
  const schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { size, workloadRef, off: { type: 'boolean' } } },
      status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
  }
  return { group: GROUP, version: VERSION, plural, kind, schema, countPath: '.spec.size.count' }
}
const TYRE = wheelLike('tyres', 'Tyre')
/** Not configured, and at a later version: the group prefers that one. */
const CAP = { ...wheelLike('caps', 'Cap'), version: 'v2' }
const DEFINED = [
  wheelLike('wheels', 'Wheel'),
  wheelLike('hubs', 'Hub', 1),
  wheelLike('rims', 'Rim'),
  wheelLike('brakes', 'Brake'),
  TYRE,
  CAP,
] as const

describeOn('configured kinds', function (on) {
  this.timeout(240_000)
  before('all kinds but one are defined, and Dormouse may see them', async () => {
    for (const each of DEFINED) await defineKind(on(), each)
    await mayManage(on(), GROUP)
  })

  const at = (resource: string) => ({ resource, specReplicasPath: '.spec.size.count' })
  const OFF = { resource: BRAKES, switch: { path: '.spec.off', asleep: true, awake: false } }
  const here = served(on, {
    newWorkloadGrace: '0s',
    kinds: [at(WHEELS), at(HUBS), at(TYRES), { resource: RIMS }, at(SPOKES), OFF],
  })
  const path = (name = '') =>
    `/apis/${GROUP}/${VERSION}/namespaces/${here.namespace}/wheels${name && `/${name}`}`
  const wheel = (name: string) => here.workload(WHEELS, name)
  const logged = () => here.dormouse.log.map(({ error }) => JSON.stringify(error)).join('\n')
  const stored = async (name: string) =>
    (await on().admin.expect('GET', path(name))) as unknown as {
      spec: { size?: { count?: number } }
      metadata: { labels?: Record<string, string>; annotations?: Record<string, string> }
    }

  after(async () => {
    await mayNoLongerManage(on(), GROUP)
    for (const each of DEFINED) await undefineKind(on(), each)
  })

  /** Creates a wheel; resolves once Dormouse knows it. */
  async function create(name: string, spec: object): Promise<void> {
    const head = { apiVersion: `${GROUP}/${VERSION}`, kind: 'Wheel', metadata: { name } }
    await on().admin.expect('POST', path(), { ...head, spec })
    await eventually('it to be known', async () => (await wheel(name).attempt('GET', '')).status === 200)
  }

  it('sleep with a count of 0 at the configured path, and wake to the kept one', async () => {
    await create('rolling', { size: { count: 5 } })
    expect(await wheel('rolling').enable({ schedule: asleepNow() })).to.include({
      type: 'wheel',
      is_snoozed: true,
      current_replicas: 0,
      last_replicas: 5,
    })
    const asleep = await stored('rolling')
    expect(asleep.spec.size).to.deep.equal({ count: 0 })
    expect(asleep.metadata.labels).to.include({ 'dormouse.dev/asleep': '5' })
    expect(await wheel('rolling').wake()).to.include({ current_replicas: 5 })
    expect((await stored('rolling')).spec.size).to.deep.equal({ count: 5 })
  })

  it('sleep at the version that serves them, while their group prefers one of another kind', async () => {
    const { preferredVersion } = await on().admin.expect('GET', `/apis/${GROUP}`)
    expect(preferredVersion).to.have.property('version', 'v2')
    await create('older', { size: { count: 3 } })
    await wheel('older').enable()
    expect(await wheel('older').snooze()).to.include({ is_snoozed: true, last_replicas: 3 })
  })

  it('wake where their definition has moved while they slept, and are told where it has moved its count', async () => {
    const tyre = here.workload(TYRES, 'moved')
    const pathAt = (version: string, name = '') =>
      `/apis/${GROUP}/${version}/namespaces/${here.namespace}/tyres${name && `/${name}`}`
    const metadata = { name: 'moved' }
    await on().admin.expect('POST', pathAt(VERSION), {
      apiVersion: `${GROUP}/${VERSION}`,
      kind: 'Tyre',
      metadata,
      spec: { size: { count: 4 } },
    })
    await eventually('it to be known', async () => (await tyre.attempt('GET', '')).status === 200)
    await tyre.enable()
    expect(await tyre.snooze()).to.include({ is_snoozed: true })
    const later = { ...TYRE, version: 'v2' }
    await redefineKind(on(), later, [VERSION])
    await eventually('it to wake', async () => (await tyre.attempt('POST', 'wake')).status === 200)
    expect(await on().admin.expect('GET', pathAt('v2', 'moved'))).to.have.nested.property(
      'spec.size.count',
      4,
    )
    await eventually('it to be watched again', async () => (await tyre.attempt('GET', '')).status === 200)
    const isTold = (what: string) =>
      eventually(`that to be told: ${what}`, async () => {
        const { status, body } = await tyre.attempt('GET', '')
        return status === 503 && body.error.message.includes(what)
      })
    await redefineKind(on(), { ...later, countPath: '.spec.size.other' }, [VERSION])
    await isTold('its count stands at .spec.size.other')
    await redefineKind(on(), later, [VERSION])
    await eventually(
      'it to be managed again',
      async () => (await tyre.attempt('POST', 'snooze')).status === 200,
    )
    await redefineKind(on(), TYRE, ['v2'])
    await eventually('it to wake back at the first version', async () => {
      await tyre.attempt('POST', 'wake')
      const { spec } = await on().admin.expect('GET', pathAt(VERSION, 'moved'))
      return (spec?.['size'] as { count?: number } | undefined)?.count === 4
    })
  })

  it('that cannot sleep, stand elsewhere or are not installed are told, and hold up no other', async () => {
    for (const [kind, why] of [
      [HUBS, 'allows no count below 1'],
      [RIMS, 'its count stands at .spec.size.count, not at .spec.replicas'],
      [SPOKES, 'is its CustomResourceDefinition installed?'],
    ] as const) {
      const { status, body } = await here.workload(kind, 'any').attempt('GET', '')
      expect([status, body.error.code]).to.deep.equal([503, 'CLUSTER_UNAVAILABLE'])
      expect(body.error.message).to.include(why)
      await eventually('the log to say so', () => logged().includes(why))
    }
    const { status } = await here.api.call('GET', `/namespaces/${here.namespace}/unknown.example.com/x`)
    expect(status).to.equal(404)
  })

  it('have their ScaledObjects paused while they sleep', async () => {
    await define(on())
    await create('driven', { size: { count: 2 } })
    const target = { apiVersion: `${GROUP}/${VERSION}`, kind: 'Wheel', name: 'driven' }
    const collection = scaledObjectsIn(here.namespace)
    await eventually('ScaledObjects to be served', async () => {
      const object = scaledObject('driven', { type: 'none' }, { target, min: 1 })
      return (await on().admin.send('POST', collection, object)).status === 201
    })
    const pause = async () =>
      annotationsOf(await on().admin.expect('GET', scaledObjectsIn(here.namespace, 'driven')))
    await wheel('driven').enable()
    await wheel('driven').snooze()
    await eventually(
      'KEDA to be paused',
      async () => (await pause())['autoscaling.keda.sh/paused-replicas'] === '0',
    )
    expect(await wheel('driven').wake()).to.include({ current_replicas: 2 })
    await eventually('KEDA to go on', async () => Object.keys(await pause()).length === 0)
    await undefine(on())
  })

  it('sleep and wake by their switch, whatever KEDA does with their count', async () => {
    await define(on())
    const collection = path().replace(/wheels$/, 'brakes')
    const head = { apiVersion: `${GROUP}/${VERSION}`, kind: 'Brake' }
    await on().admin.expect('POST', collection, {
      ...head,
      metadata: { name: 'driven' },
      spec: { size: { count: 2 } },
    })
    const object = scaledObject('braked', { type: 'none' }, { target: { ...head, name: 'driven' }, min: 0 })
    await eventually(
      'ScaledObjects to be served',
      async () => (await on().admin.send('POST', scaledObjectsIn(here.namespace), object)).status === 201,
    )
    const brake = here.workload(BRAKES, 'driven')
    await eventually('it to be known', async () => (await brake.attempt('GET', '')).status === 200)
    await brake.enable()
    const isOff = async () => {
      const { spec } = await on().admin.expect('GET', `${collection}/driven`)
      return spec?.['off']
    }
    expect(await brake.snooze()).to.include({ is_snoozed: true })
    expect(await isOff()).to.equal(true)
    expect(await brake.wake()).to.include({ is_snoozed: false })
    expect(await isOff()).to.equal(false)
    expect(
      annotationsOf(await on().admin.expect('GET', scaledObjectsIn(here.namespace, 'braked'))),
    ).to.deep.equal({})
    await undefine(on())
  })

  it('leave a Deployment alone that one of them scales in its place', async () => {
    const workload = await here.enabled('deployments', 'made-by-a-wheel', { replicas: 2 })
    await create('makes', {
      size: { count: 1 },
      workloadRef: { kind: 'Deployment', name: 'made-by-a-wheel' },
    })
    const { status, body } = await workload.attempt('POST', 'snooze')
    expect([status, body.error.code]).to.deep.equal([409, 'OWNED'])
    expect(body.error.message).to.include(`${WHEELS}/makes`)
    expect((await workload.status()).reason).to.include('left alone: wheel')
    await on().admin.expect('DELETE', path('makes'))
    await eventually('it to be managed again', async () => {
      return (await workload.attempt('POST', 'snooze')).status === 200
    })
  })

  it('whose definition goes away and comes back are left and taken up again, and the others go on', async () => {
    await undefineKind(on(), DEFINED[0])
    await eventually(
      'the kind to be missed',
      async () => (await wheel('rolling').attempt('GET', '')).status === 503,
      { timeout: 90_000 },
    )
    const other = await here.enabled('deployments', 'other')
    expect(await other.snooze('?wait=60s')).to.include({ is_snoozed: true })
    await defineKind(on(), DEFINED[0])
    await create('again', { size: { count: 2 } })
    await wheel('again').enable()
    expect(await wheel('again').snooze()).to.include({ is_snoozed: true, last_replicas: 2 })
  })
})

import { expect } from 'chai'
import { Agent, request } from 'undici'
import { ANNOTATION, ASLEEP_LABEL, HELD_LABEL, type BuiltInKind } from '../../src/domain/workload/workload.ts'
import type { ReviewAnswer } from '../../src/service/webhook/answer.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { changing, reviewBody } from '../support/reviews.ts'
import { grant, user } from '../support/rights.ts'
import { marksOf } from './agreement.ts'

const COUNT = 3
const CFO = 'k8s:cfo@example.com'
const KIND = 'statefulsets'
const container = (args: readonly string[]) => ({ name: 'app', image: 'app', args })
/** The API server writes each < of a review as six characters. */
const LARGE = '<'.repeat(1_090_000)

/**
 * Ways for a write to be stored although Dormouse has not read it. `away` stands for all causes that let it pass as it
 * is: too many, too late, unchecked, failed (test/service/webhook/unread.test.ts).
 */
const UNREAD: Readonly<Record<string, { spec?: object; status?: object; isAway?: true }>> = {
  'too large': {
    spec: { template: { spec: { containers: [container([LARGE])] } } },
    status: { conditions: [{ type: 'x', status: 'True', message: LARGE }] },
  },
  unexpected: { spec: { template: { spec: { containers: [container(Array<string>(310_000).fill(''))] } } } },
  away: { spec: {}, status: {}, isAway: true },
}

/** A pin, an author, a history and a count of somebody's own making. */
function forged(
  kind: string,
  { asleep }: { asleep: boolean },
): Record<'labels' | 'annotations', Record<string, string>> {
  const at = new Date().toISOString()
  const state = {
    v: 2,
    kind,
    counter: 50,
    asleep,
    snoozed: { at, replicas: 9, by: CFO },
    pin: { state: asleep ? 'active' : 'snoozed', replicas: 9, at, by: CFO },
  }
  return {
    labels: { [HELD_LABEL]: 'pin', ...(asleep ? { [ASLEEP_LABEL]: '3' } : {}) },
    annotations: {
      [ANNOTATION.state]: JSON.stringify(state),
      [ANNOTATION.history]: `${at} @1w9/api+5 ["${CFO}"]`,
    },
  }
}

describeOn('a state that somebody forged', function (on) {
  this.timeout(240_000)
  const here = enforced(on)
  const as = (name: string) => ({ 'impersonate-user': name })
  const merging = { 'content-type': 'application/strategic-merge-patch+json' }

  before('bob and stat, and their rights', async () => {
    const apps = { apiGroups: ['apps'], verbs: ['get', 'create', 'patch', 'delete'] }
    const rights = [{ ...apps, resources: ['deployments', 'statefulsets', 'replicasets'] }]
    await grant(on().admin, user('bob'), { name: 'bob', rights, namespace: here.namespace })
    const status = [{ ...apps, resources: ['statefulsets/status'] }]
    await grant(on().admin, user('stat'), { name: 'stat', rights: status, namespace: here.namespace })
  })

  const stranger = new Agent({ connect: { rejectUnauthorized: false } })
  after(() => stranger.destroy())
  afterEach(() => here.balancer.to([here.port]))

  /** It runs as before, with the count that it had, in nobody's hands, and says nothing of the forger's. */
  async function comesToNothing(kind: BuiltInKind, name: string, kept?: number): Promise<void> {
    const object = await eventually(`${name} to be put right`, async () => {
      const found = await here.get(kind, name)
      const text = JSON.stringify([found.metadata.annotations, found.metadata.labels])
      return !text.includes('cfo') && !text.includes(HELD_LABEL) && found
    })
    const { replicas, label, state } = marksOf(object)
    expect([replicas, label], name).to.deep.equal(kept === undefined ? [COUNT, undefined] : [0, String(kept)])
    expect(state?.pin, name).to.equal(undefined)
    const scaled = await on().admin.send('PATCH', `${here.path(kind, name)}/scale?dryRun=All`, {
      spec: { replicas: 7 },
    })
    expect(scaled.status, scaled.body.message).to.equal(200)
  }

  const STANDS: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
    awake: (name) => here.enabled(KIND, name, { replicas: COUNT }),
    asleep: (name) => here.asleep(KIND, name, { replicas: COUNT }),
    unmanaged: (name) => here.create(KIND, name, { replicas: COUNT }),
    held: async (name) => (await here.enabled(KIND, name, { replicas: COUNT })).pin(),
  }
  for (const [cause, { spec, status, isAway }] of Object.entries(UNREAD))
    for (const [stand, arrange] of Object.entries(STANDS))
      it(`by a write that was ${cause} counts for nothing on one that is ${stand}`, async () => {
        const writes = [
          ...(spec ? [{ path: '', body: { spec }, by: 'bob' }] : []),
          ...(status ? [{ path: '/status', body: { status }, by: 'stat' }] : []),
        ]
        for (const { path, body, by } of writes) {
          const name = `${stand}-${cause.replace(' ', '-')}-${by}`
          await arrange(name)
          if (isAway) here.balancer.to([], { cut: true })
          const metadata = forged(KIND, { asleep: stand === 'asleep' })
          const patch = { ...body, metadata }
          const answer = await on().admin.send('PATCH', `${here.path(KIND, name)}${path}`, patch, {
            ...as(by),
            ...merging,
          })
          here.balancer.to([here.port])
          // While nobody answers, nothing is denied but what is held.
          const isDenied = stand === 'held' || isAway !== true
          if (isDenied) expect(answer.status, `${name}: it is denied`).to.be.above(399)
          else expect(answer.status, answer.body.message).to.equal(200)
          if (stand === 'held')
            expect(marksOf(await here.get(KIND, name)).state?.pin).to.deep.include({
              state: 'active',
              replicas: COUNT,
            })
          else await comesToNothing(KIND, name, stand === 'asleep' ? COUNT : undefined)
        }
      })

  it('by a forged review, which Dormouse answers with a signed one, is not stored by what it cannot read', async () => {
    await here.enabled(KIND, 'oracle', { replicas: COUNT })
    const before = await here.get(KIND, 'oracle')
    const { namespace, name, annotations } = before.metadata
    const asking = {
      ...before,
      metadata: { ...before.metadata, annotations: { ...annotations, [ANNOTATION.request]: 'pin' } },
    }
    const userInfo = { username: 'cfo@example.com', groups: ['system:masters'] }
    const body = reviewBody(changing({ kind: KIND, namespace, name }, before, asking, { userInfo }))
    const url = `https://127.0.0.1:${here.port}/webhook/workloads`
    const answer = await request(url, { method: 'POST', body, dispatcher: stranger })
    const { patch = '' } = ((await answer.body.json()) as ReviewAnswer).response
    const operations = JSON.parse(Buffer.from(patch, 'base64').toString()) as {
      path: string
      value?: string
    }[]
    const state = operations.find(({ path }) => path.endsWith('~1state'))?.value
    expect(state, 'the port is open to strangers').to.include('cfo').and.to.include('"tag"')
    const marks = { labels: { [HELD_LABEL]: 'pin' }, annotations: { [ANNOTATION.state]: state } }
    const large = { spec: { template: { spec: { containers: [container([LARGE])] } } }, metadata: marks }
    const stored = await on().admin.send('PATCH', here.path(KIND, name), large, { ...as('bob'), ...merging })
    expect(stored.status, 'what only Dormouse writes is denied where it is not read').to.be.above(399)
    await comesToNothing(KIND, name)
  })

  it('by labels alone, or by no state at all, holds nothing and stops nothing where that was not read', async () => {
    await here.asleep(KIND, 'labelled', { replicas: COUNT })
    const spec = { template: { spec: { containers: [container([LARGE])] } } }
    for (const metadata of [
      { labels: { [HELD_LABEL]: 'pin', [ASLEEP_LABEL]: '9' } },
      { annotations: { [ANNOTATION.state]: '{"v":9}' } },
      { annotations: { [ANNOTATION.state]: null, [ANNOTATION.history]: null } },
    ]) {
      const patch = { spec, metadata }
      const path = here.path(KIND, 'labelled')
      const answer = await on().admin.send('PATCH', path, patch, { ...as('bob'), ...merging })
      expect(answer.status, JSON.stringify(metadata)).to.be.above(399)
    }
    await comesToNothing(KIND, 'labelled', COUNT)
    await here.workload(KIND, 'labelled').wake()
  })

  for (const [cause, { spec, isAway }] of Object.entries(UNREAD))
    it(`by a creation that was ${cause} counts for nothing but its count`, async () => {
      for (const asleep of [false, true]) {
        const name = `created-${cause.replace(' ', '-')}-${asleep ? 'asleep' : 'awake'}`
        const whole = manifest('deployments', name, { replicas: asleep ? 0 : COUNT, paused: true })
        const { labels, annotations } = forged('deployments', { asleep })
        const metadata = { name, labels, annotations: { ...annotations, [ANNOTATION.enabled]: 'true' } }
        const template = (spec as { template?: { spec: object } }).template?.spec
        const pods = (whole.spec as { template: { metadata: object; spec: object } }).template
        const sent = {
          ...whole,
          metadata,
          spec: { ...whole.spec, template: { ...pods, spec: { ...pods.spec, ...template } } },
        }
        if (isAway) here.balancer.to([], { cut: true })
        const answer = await on().admin.send('POST', here.path('deployments'), sent, as('bob'))
        here.balancer.to([here.port])
        expect(answer.status, answer.body.message).to.equal(201)
        await comesToNothing('deployments', name, asleep ? COUNT : undefined)
      }
    })

  it('on a ReplicaSet counts for nothing once that loses its owner, nor beside one', async () => {
    await here.create('deployments', 'owner', { replicas: 1 })
    const { uid } = (await here.get('deployments', 'owner')).metadata
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'owner', uid, controller: true }
    const whole = manifest('replicasets', 'owned', { replicas: COUNT })
    const { labels, annotations } = forged('replicasets', { asleep: false })
    const metadata = {
      name: 'owned',
      labels,
      annotations: { ...annotations, [ANNOTATION.enabled]: 'true' },
      ownerReferences: [owner],
    }
    const created = await on().admin.send('POST', here.path('replicasets'), { ...whole, metadata }, as('bob'))
    expect(created.status, created.body.message).to.equal(201)
    const freed = { metadata: { ownerReferences: null } }
    await on().admin.expect('PATCH', here.path('replicasets', 'owned'), freed, as('bob'))
    await comesToNothing('replicasets', 'owned')
    const gained = {
      metadata: {
        ...forged('replicasets', { asleep: false }),
        ownerReferences: [{ ...owner, controller: false }],
      },
    }
    here.balancer.to([], { cut: true })
    await on().admin.expect('PATCH', here.path('replicasets', 'owned'), gained, as('bob'))
    here.balancer.to([here.port])
    await comesToNothing('replicasets', 'owned')
  })

  it('while nobody leads has the count of the label, and the history and an Event say so', async () => {
    await here.asleep(KIND, 'while-away', { replicas: COUNT })
    here.balancer.to([], { cut: true })
    await here.dormouse.terminate()
    const patch = { metadata: forged(KIND, { asleep: true }) }
    await on().admin.expect('PATCH', here.path(KIND, 'while-away'), patch, as('bob'))
    await here.dormouse.start()
    here.balancer.to([here.port])
    await comesToNothing(KIND, 'while-away', COUNT)
    const { state } = marksOf(await here.get(KIND, 'while-away'))
    expect(state?.history.map(({ trigger }) => trigger)).to.deep.equal(['unsigned'])
    const event = await eventually('an Event to say so', async () =>
      (await here.events('while-away')).find(({ reason }) => reason === 'StateNotSigned'),
    )
    expect(event.type).to.equal('Warning')
    await here.workload(KIND, 'while-away').wake('?wait=60s')
    expect(marksOf(await here.get(KIND, 'while-away')).replicas).to.equal(COUNT)
  })
})

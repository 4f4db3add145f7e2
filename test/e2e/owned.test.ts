import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { encodeState } from '../../src/domain/workload/state-codec.ts'
import { EMPTY_STATE, type StoredState } from '../../src/domain/workload/state.ts'
import { ANNOTATION, ASLEEP_LABEL, HELD_LABEL } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'

const COUNT = 2
const BY = 'k8s:cfo'
const stored: StoredState = { ...EMPTY_STATE, kind: 'replicasets', counter: 9 }

/** Annotations that somebody wrote on it, each with another count than its own. */
const FORGED = {
  'that it sleeps': {
    schedule: awakeNow(),
    replicas: 0,
    labels: { [ASLEEP_LABEL]: '5' },
    state: { ...stored, asleep: true, snoozed: { at: 0, replicas: 5, trigger: 'api', by: BY } },
  },
  'that it is pinned asleep': {
    schedule: awakeNow(),
    replicas: COUNT,
    labels: { [HELD_LABEL]: 'pin' },
    state: { ...stored, asleep: true, pin: { state: 'snoozed', replicas: 5, at: 0, by: BY } },
  },
  'that it is managed': { schedule: asleepNow(), replicas: COUNT, labels: {}, state: stored },
} as const

describeOn('a ReplicaSet with a controller owner that is created with a state of our kind', function (on) {
  this.timeout(120_000)
  const here = enforced(on, { settings: { newWorkloadGrace: '0s' } })
  let ownerReferences: readonly object[]

  before('its owner, which is no Deployment and does nothing', async () => {
    const path = `/api/v1/namespaces/${here.namespace}/configmaps`
    const { metadata } = await on().admin.expect('POST', path, { metadata: { name: 'owner' } })
    const uid = metadata?.['uid']
    ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, controller: true }]
  })

  for (const [what, { schedule, replicas, labels, state }] of Object.entries(FORGED))
    it(`is left alone, whatever it says, here ${what}`, async () => {
      const name = `owned-${randomUUID().slice(0, 8)}`
      const annotations = { ...annotated(schedule), [ANNOTATION.state]: encodeState(state).state }
      const since = Date.now()
      const made = manifest('replicasets', name, { replicas, annotations, labels })
      await on().admin.expect('POST', here.path('replicasets'), {
        ...made,
        metadata: { ...made.metadata, ownerReferences },
      })
      // Created later and written: by then this one was seen, too.
      await here.asleep('replicasets', `free-${name}`, { replicas: 1 })
      const { metadata, spec } = await here.get('replicasets', name)
      expect(spec.replicas).to.equal(replicas)
      expect(metadata.annotations).to.deep.equal(annotations)
      expect(metadata.labels ?? {}).to.deep.equal(labels)
      expect(await here.patches(since, 'replicasets', name)).to.equal(0)
      const events = await here.events(name)
      // The controller's own Events.
      expect(events.filter(({ reason }) => reason !== 'SuccessfulCreate')).to.deep.equal([])
      const { status, body } = await here.workload('replicasets', name).attempt('POST', 'wake')
      expect([status, body.error.code]).to.deep.equal([409, 'OWNED'])
      const scaled = await here.attempt('scale', 'replicaset', name, '--replicas=3')
      expect(scaled, scaled.stderr).to.include({ code: 0 })
      expect(scaled.stderr).to.not.include('Dormouse')
    })
})

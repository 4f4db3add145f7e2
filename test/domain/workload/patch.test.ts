import { expect } from 'chai'
import { changeObject, jsonPatch, reviewPatch } from '../../../src/domain/workload/patch.ts'
import type { Change } from '../../../src/domain/workload/change.ts'
import { releaseChange } from '../../../src/domain/deciding/release.ts'
import { ANNOTATION, ASLEEP_LABEL, SNOOZE_KEY, type Kind } from '../../../src/domain/workload/workload.ts'
import type { WorkloadObject } from '../../../src/kubernetes/api-object.ts'
import { trim } from '../../../src/kubernetes/trim.ts'
import { applied } from '../../support/json-patch.ts'
import { at, RULES } from '../../support/rules.ts'

interface Shape {
  annotations?: Record<string, string>
  labels?: Record<string, string>
  nodeSelector?: Record<string, string>
  replicas?: number
}

/** An object as the API server shows one. */
function anObject({ annotations, labels, nodeSelector, replicas = 3 }: Shape = {}) {
  const managedFields: { manager: string; time: string; fieldsV1: Record<string, Record<string, object>> }[] =
    [
      { manager: 'helm', time: '2026-01-01T00:00:00Z', fieldsV1: { 'f:spec': { 'f:template': {} } } },
      {
        manager: 'dormouse',
        time: '2026-01-02T00:00:00Z',
        fieldsV1: { 'f:metadata': {}, 'f:spec': { 'f:replicas': {} } },
      },
    ]
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'aa-bb',
      resourceVersion: '812',
      generation: 4,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...(annotations ? { annotations } : {}),
      ...(labels ? { labels } : {}),
      managedFields,
    },
    spec: {
      replicas,
      template: {
        spec: { containers: [{ name: 'web', resources: {} }], ...(nodeSelector ? { nodeSelector } : {}) },
      },
    },
    status: { observedGeneration: 4, replicas, readyReplicas: replicas },
  }
}

function patchFor(object: WorkloadObject, change: Change, kind: Kind = 'deployments') {
  return jsonPatch(trim(kind, object), change)
}

const SNOOZE: Change = { annotations: { state: '{"v":1}' }, label: '3', replicas: 0 }

describe('the one patch of a change', () => {
  const shapes: [string, Shape][] = [
    ['neither annotations nor labels', {}],
    ['annotations and labels of others', { annotations: { 'a/b~c': 'x' }, labels: { app: 'web' } }],
    ['annotations alone', { annotations: { [ANNOTATION.enabled]: 'true', [ANNOTATION.state]: 'old' } }],
    ['labels alone', { labels: { app: 'web', [ASLEEP_LABEL]: '7' } }],
  ]
  for (const [what, shape] of shapes) {
    it(`changes what the change names, and nothing else, on an object with ${what}`, () => {
      const object = anObject(shape)
      const expected = anObject({
        annotations: { ...shape.annotations, [ANNOTATION.state]: '{"v":1}' },
        labels: { ...shape.labels, [ASLEEP_LABEL]: '3' },
      })
      expected.spec.replicas = 0
      expect(applied(object, patchFor(object, SNOOZE))).to.deep.equal(expected)
    })
  }

  it('removes what is null, unless it is absent', () => {
    const object = anObject({
      annotations: { [ANNOTATION.state]: 'old', [ANNOTATION.timezone]: 'UTC', keep: 'me' },
      labels: { [ASLEEP_LABEL]: '3', app: 'web' },
    })
    const change: Change = { annotations: { timezone: null, schedule: null }, label: null, replicas: 3 }
    const expected = anObject({
      annotations: { [ANNOTATION.state]: 'old', keep: 'me' },
      labels: { app: 'web' },
    })
    expect(applied(object, patchFor(object, change))).to.deep.equal(expected)
    const bare = anObject()
    expect(applied(bare, patchFor(bare, { annotations: { schedule: null }, label: null }))).to.deep.equal(
      bare,
    )
  })

  it('adds and removes the key of a DaemonSet and leaves the rest of the selector', () => {
    for (const nodeSelector of [undefined, { disk: 'ssd' }]) {
      const object = anObject(nodeSelector ? { nodeSelector } : {})
      const asleep = applied(object, patchFor(object, { annotations: {}, snoozeKey: 'true' }, 'daemonsets'))!
      expect(asleep.spec.template.spec.nodeSelector).to.deep.equal({ ...nodeSelector, [SNOOZE_KEY]: 'true' })
      const edited = structuredClone(asleep)
      edited.spec.template.spec.nodeSelector!['zone'] = 'a'
      const awake = applied(edited, patchFor(edited, { annotations: {}, snoozeKey: null }, 'daemonsets'))!
      expect(awake.spec.template.spec.nodeSelector).to.deep.equal({ ...nodeSelector, zone: 'a' })
      expect(awake.spec.replicas).to.equal(object.spec.replicas)
    }
  })

  it('removes the key of a DaemonSet whatever its value, and tests the value that was read', () => {
    for (const value of ['true', 'false', '']) {
      const object = anObject({ nodeSelector: { [SNOOZE_KEY]: value, disk: 'ssd' } })
      const workload = trim('daemonsets', object)
      const patch = jsonPatch(
        workload,
        releaseChange(workload, at('Mon 19:00'), RULES) ?? { annotations: {} },
      )
      expect(applied(object, patch)?.spec.template.spec.nodeSelector).to.deep.equal({ disk: 'ssd' })
      const other = anObject({ nodeSelector: { [SNOOZE_KEY]: 'another', disk: 'ssd' } })
      expect(applied(other, patch)).to.equal(undefined)
    }
  })

  it('removes f:replicas from our own managedFields entry only', () => {
    const object = anObject()
    const after = applied(object, patchFor(object, { annotations: {}, givesUpReplicas: true }))!
    expect(after.metadata.managedFields[0]).to.deep.equal(object.metadata.managedFields[0])
    expect(after.metadata.managedFields[1]?.fieldsV1).to.deep.equal({ 'f:metadata': {}, 'f:spec': {} })
    const moved = anObject()
    moved.metadata.managedFields.reverse()
    expect(applied(moved, patchFor(object, { annotations: {}, givesUpReplicas: true }))).to.equal(undefined)
  })
})

describe('the precondition of a change', () => {
  const plain = anObject()
  const full = anObject({
    annotations: { [ANNOTATION.enabled]: 'true', [ANNOTATION.state]: 'old' },
    labels: { app: 'web' },
    nodeSelector: { disk: 'ssd' },
  })
  type Edit = (object: ReturnType<typeof anObject>) => void
  const stale: [string, ReturnType<typeof anObject>, Edit][] = [
    ['the uid', full, (object) => (object.metadata.uid = 'cc')],
    ['spec.replicas', full, (object) => (object.spec.replicas = 4)],
    ['the state', full, (object) => (object.metadata.annotations![ANNOTATION.state] = 'newer')],
    ['a state that is gone', full, (object) => delete object.metadata.annotations![ANNOTATION.state]],
    [
      'a schedule that was not there',
      full,
      (object) => (object.metadata.annotations![ANNOTATION.schedule] = ''),
    ],
    ['enabled', full, (object) => (object.metadata.annotations![ANNOTATION.enabled] = 'false')],
    ['annotations that are gone altogether', full, (object) => delete object.metadata.annotations],
    [
      'annotations that came',
      plain,
      (object) => (object.metadata.annotations = { [ANNOTATION.enabled]: 'true' }),
    ],
    ['labels that came', plain, (object) => (object.metadata.labels = { app: 'web' })],
  ]
  for (const [what, object, edit] of stale) {
    it(`fails on a change of ${what}`, () => {
      const patch = patchFor(object, SNOOZE)
      const edited = structuredClone(object)
      edit(edited)
      expect(applied(object, patch)).not.to.equal(undefined)
      expect(applied(edited, patch)).to.equal(undefined)
    })
  }

  it('does not fail on a status update, a new resourceVersion or an annotation of others', () => {
    const edited = structuredClone(full)
    edited.status.readyReplicas = 1
    edited.metadata.resourceVersion = '999'
    edited.metadata.annotations!['other'] = 'x'
    edited.metadata.labels!['team'] = 'a'
    expect(applied(edited, patchFor(full, SNOOZE))?.spec.replicas).to.equal(0)
  })

  it('does not fail on the history, which changes with the state, nor on a request, which is never carried out', () => {
    for (const name of ['history', 'request'] as const) {
      const edited = structuredClone(full)
      edited.metadata.annotations![ANNOTATION[name]] = 'x'
      const change = { ...SNOOZE, annotations: { ...SNOOZE.annotations, history: 'y' } }
      const after = applied(edited, patchFor(full, change))
      expect(after?.metadata.annotations?.[ANNOTATION.history], name).to.equal('y')
    }
  })

  it('does not fail on wake-order, nor on catch-up of what is no CronJob, unless the change is of them', () => {
    for (const name of ['wakeOrder', 'catchUp'] as const) {
      const edited = structuredClone(full)
      edited.metadata.annotations![ANNOTATION[name]] = '1'
      expect(applied(edited, patchFor(full, SNOOZE))?.spec.replicas, name).to.equal(0)
      const restored = { ...SNOOZE, annotations: { [name]: '2' } }
      expect(applied(edited, patchFor(full, restored)), name).to.equal(undefined)
    }
  })

  it('of a snooze is that no volumes would be lost, which it was planned on', () => {
    const database = (whenScaled: string) => {
      const object = anObject()
      return {
        ...object,
        spec: { ...object.spec, persistentVolumeClaimRetentionPolicy: { whenScaled } },
      }
    }
    const patch = patchFor(database('Retain'), SNOOZE, 'statefulsets')
    expect(applied(database('Retain'), patch)?.spec.replicas).to.equal(0)
    expect(applied(database('Delete'), patch)).to.equal(undefined)
    const forced = patchFor(database('Delete'), SNOOZE, 'statefulsets')
    expect(applied(database('Delete'), forced)?.spec.replicas).to.equal(0)
    const woken = patchFor(database('Retain'), { annotations: {}, replicas: 5 }, 'statefulsets')
    expect(applied(database('Delete'), woken)?.spec.replicas).to.equal(5)
    expect(applied(plain, patchFor(plain, SNOOZE, 'statefulsets'))?.spec.replicas).to.equal(0)
  })

  it('of a DaemonSet is its key, not its count', () => {
    for (const object of [plain, full]) {
      const patch = patchFor(object, { annotations: {}, snoozeKey: 'true' }, 'daemonsets')
      const counted = structuredClone(object)
      counted.spec.replicas = 9
      expect(applied(counted, patch)).not.to.equal(undefined)
      const keyed = structuredClone(object)
      keyed.spec.template.spec.nodeSelector = { [SNOOZE_KEY]: 'true' }
      expect(applied(keyed, patch)).to.equal(undefined)
    }
  })

  it('of a DaemonSet without a nodeSelector is that it still has none', () => {
    const patch = patchFor(plain, { annotations: {}, snoozeKey: 'true' }, 'daemonsets')
    const edited = structuredClone(plain)
    edited.spec.template.spec.nodeSelector = { disk: 'ssd' }
    expect(applied(edited, patch)).to.equal(undefined)
  })
})

describe('the change of a whole object', () => {
  it('is made only where its patch would apply: a restored cluster has another one of the same version', () => {
    const copy = trim('deployments', anObject({ replicas: 3 }))
    const isMade = [3, 5].map((replicas) => changeObject(anObject({ replicas }), copy, SNOOZE))
    expect(isMade).to.deep.equal([true, false])
  })
})

describe('the patch of an object under review', () => {
  const owners = (managedFields: object[]) => {
    const object = anObject()
    const reviewed = {
      ...object,
      metadata: { ...object.metadata, managedFields },
    } as unknown as WorkloadObject
    const operations = reviewPatch(trim('deployments', reviewed), { annotations: {}, replicas: 0 })
    const { managedFields: after } = (applied(reviewed, operations) as WorkloadObject).metadata
    return after?.map(({ manager, fieldsV1 }) => [manager, fieldsV1])
  }
  const helm = { manager: 'helm', operation: 'Update', fieldsV1: { 'f:spec': { 'f:template': {} } } }
  const kubectl = { manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:spec': { 'f:replicas': {} } } }

  it('makes us the owner of a count that nobody owns, as a patch of our own would', () => {
    expect(owners([helm])).to.deep.equal([
      ['helm', helm.fieldsV1],
      ['dormouse', { 'f:spec': { 'f:replicas': {} } }],
    ])
  })

  it('leaves an owner as it is, and an object without owners', () => {
    expect(owners([kubectl])).to.deep.equal([['kubectl', kubectl.fieldsV1]])
    expect(owners([])).to.deep.equal([])
  })
})

import { expect } from 'chai'
import type { PatchOperation } from '../../../src/domain/json-patch.ts'
import { COUNT } from '../../../src/domain/sleeping/count.ts'
import type { Form } from '../../../src/domain/sleeping/form.ts'
import { switchOf } from '../../../src/domain/sleeping/switch.ts'
import { changed } from '../../../src/domain/workload/change.ts'
import { jsonPatch, reviewPatch } from '../../../src/domain/workload/patch.ts'
import { pointerTo } from '../../../src/domain/json-pointer.ts'
import type { WorkloadObject } from '../../../src/kubernetes/api-object.ts'
import { heldCondition } from '../../../src/kubernetes/registration/match-conditions.ts'
import { trim } from '../../../src/kubernetes/trim.ts'
import { changesMore } from '../../../src/service/webhook/object-diff.ts'
import { applied as patched } from '../../support/json-patch.ts'

const ODD = 'a/b~c.d'
const KIND = 'boats.example.org'

function applied<T extends object>(object: T, patch: readonly PatchOperation[]): T {
  const after = patched(object, patch)
  if (after === undefined) throw new Error('the patch does not apply')
  return after
}

describe('a field whose name has a slash, a tilde or a dot', () => {
  const field = pointerTo(['spec', ODD])
  const sleeping = { form: COUNT, field, hasScale: true }
  const boat = (count: number) => ({
    apiVersion: 'example.org/v1',
    kind: 'Boat',
    metadata: {
      name: 'ferry',
      namespace: 'shop',
      uid: 'u',
      resourceVersion: '7',
      managedFields: [
        { manager: 'dormouse', time: '2026-01-01T00:00:00Z', fieldsV1: { 'f:spec': { [`f:${ODD}`]: {} } } },
      ],
    },
    spec: { [ODD]: count, other: 1 },
  })
  const read = (object: object) =>
    trim(KIND, object as WorkloadObject, undefined, new Map([[KIND, sleeping]]))

  it('is read, changed, given up and compared as any other count', () => {
    const workload = read(boat(3))
    expect(workload).to.include({ replicas: 3, ownReplicasEntry: 0 })
    const given = applied(boat(3), jsonPatch(workload, { annotations: {}, givesUpReplicas: true }))
    expect(read(given).ownReplicasEntry).to.equal(undefined)
    const change = { annotations: {}, replicas: 0 }
    const asleep = applied(boat(3), jsonPatch(workload, change))
    expect(asleep.spec).to.deep.equal({ [ODD]: 0, other: 1 })
    const unowned = { ...workload, replicasManager: undefined, ownReplicasEntry: undefined }
    expect(read(applied(boat(3), reviewPatch(unowned, change)))).to.include({ replicas: 0 })
    expect(changesMore(workload, boat(3), asleep)).to.equal(false)
    expect(changesMore(workload, boat(3), { ...asleep, spec: { ...asleep.spec, other: 2 } })).to.equal(true)
    expect(heldCondition([field]).expression).to.include(`object[?'spec'][?'${ODD}'] != oldObject`)
  })
})

describe('a field that is changed from whatever stands there', () => {
  const words = { asleep: 'paused', awake: 'unpaused', woken: 'resumed', empties: 'pauses' }
  const metadata = { name: 'db', namespace: 'shop', uid: 'u', resourceVersion: '7' }
  const [hibernation, paused] = ['/metadata/annotations/cnpg.io~1hibernation', '/spec/run/paused']
  const [onOff, pause] = [
    switchOf({ asleep: 'on', awake: 'off', words }),
    switchOf({ asleep: true, awake: false, words }),
  ]
  const annotated = (value: string) => ({
    metadata: { ...metadata, annotations: { 'cnpg.io/hibernation': value } },
  })
  const cases: [
    what: string,
    form: Form,
    field: string,
    object: object,
    replicas: number,
    meanwhile?: object,
  ][] = [
    ['a switch that is on', onOff, hibernation, annotated('off'), 1, annotated('on')],
    ['a switch that is off', onOff, hibernation, annotated('on'), 0],
    ['an annotation with another value', onOff, hibernation, annotated('maybe'), 1, annotated('off')],
    ['no annotations', onOff, hibernation, {}, 1, annotated('')],
    ['other annotations', onOff, hibernation, { metadata: { ...metadata, annotations: { a: 'b' } } }, 1],
    ['a field with another value', pause, paused, { spec: { run: { paused: 'x' } } }, 1, {}],
    ['a null', pause, paused, { spec: { run: null } }, 1, { spec: { run: { paused: false } } }],
    ['a switch in an absent object', pause, paused, { spec: {} }, 1, { spec: { run: {} } }],
    ['a count in an absent object', COUNT, '/spec/size/count', { spec: {} }, 1, { spec: { size: {} } }],
  ]

  for (const [what, form, field, object, replicas, meanwhile] of cases)
    it(`${what} is tested and set, with our annotations`, () => {
      const sleeping = { form, field, hasScale: false }
      const read = (each: object) => trim(KIND, { metadata, ...each }, undefined, new Map([[KIND, sleeping]]))
      const workload = read(object)
      expect(workload.replicas).to.equal(replicas)
      const change = { annotations: { enabled: 'true' }, replicas: 1 - replicas }
      const patch = jsonPatch(workload, change)
      const moved = applied({ metadata, ...object }, patch)
      expect(read(moved)).to.deep.include({ replicas: 1 - replicas, annotations: change.annotations })
      expect(read(moved)).not.to.have.property('found')
      if (meanwhile)
        expect(patched<object>({ metadata, ...meanwhile }, patch), 'changed meanwhile').to.equal(undefined)
      expect(changesMore(workload, { metadata, ...object }, moved)).to.equal(false)
      const back = { annotations: {}, replicas }
      expect(read(applied(moved, jsonPatch(changed(workload, change), back))).replicas).to.equal(replicas)
    })
})

import { expect } from 'chai'
import type { PatchOperation } from '../../../src/domain/json-patch.ts'
import { switchOf } from '../../../src/domain/sleeping/switch.ts'
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
  const read = (object: object) => trim(KIND, object as WorkloadObject, undefined, new Map([[KIND, field]]))

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

describe('a switch', () => {
  const field = '/metadata/annotations/cnpg.io~1hibernation'
  const form = switchOf({ asleep: 'on', awake: 'off' })
  const cluster = (value: string) => ({ metadata: { annotations: { 'cnpg.io/hibernation': value } } })

  it('is read and set at its annotation, and counts as 1 or 0', () => {
    const [awake, asleep] = [cluster('off'), cluster('on')]
    const [runs, sleeps] = [form.read(awake, field), form.read(asleep, field)]
    expect([runs.replicas, sleeps.replicas]).to.deep.equal([1, 0])
    for (const [object, position, wake, to] of [
      [awake, runs, false, asleep],
      [asleep, sleeps, true, awake],
    ] as const) {
      const move = form.move(position, wake, 3) ?? {}
      const patch = [...form.tests(position, field), ...form.operations(position, field, move)]
      expect(applied(object, patch)).to.deep.equal(to)
      expect(form.move(form.read(to, field), wake, 3)).to.equal(undefined)
      expect(patched<object>(to, patch)).to.equal(undefined)
    }
  })
})

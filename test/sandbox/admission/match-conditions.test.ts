import { expect } from 'chai'
import { HELD_LABEL } from '../../../src/domain/workload/workload.ts'
import { scopeOf, twinsOf } from '../../../src/kubernetes/registration/held-scope.ts'
import { heldCondition, unheldCondition } from '../../../src/kubernetes/registration/match-conditions.ts'
import { areMet } from '../../../src/sandbox/admission/match-conditions.ts'
import type { AdmissionAttributes } from '../../../src/sandbox/admission/admission-review.ts'
import { served } from '../../../src/sandbox/store/resources.ts'

const object = (labels: Record<string, string>, spec: object, annotations: Record<string, string> = {}) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop', labels, annotations },
  spec,
})

/** An update of `shop/web`, which is held, from 3 replicas. */
function update(after: object, changes: Partial<AdmissionAttributes> = {}): AdmissionAttributes {
  return {
    operation: 'UPDATE',
    resource: served('apps', 'deployments'),
    namespace: 'shop',
    name: 'web',
    object: after as NonNullable<AdmissionAttributes['object']>,
    oldObject: object({ [HELD_LABEL]: 'pin' }, { replicas: 3 }) as NonNullable<AdmissionAttributes['object']>,
    options: {},
    dryRun: false,
    user: { username: 'alice', groups: [] },
    ...changes,
  }
}

describe('the conditions that the sandbox knows', () => {
  const HELD = { [HELD_LABEL]: 'pin' }
  for (const [what, write, breaks] of [
    ['a count', update(object(HELD, { replicas: 4 })), true],
    ['a suspension', update(object(HELD, { replicas: 3, suspend: true })), true],
    ['the label', update(object({}, { replicas: 3 })), true],
    [
      'an annotation of ours',
      update(object(HELD, { replicas: 3 }, { 'dormouse.dev/request': 'wake' })),
      true,
    ],
    ['a template', update(object(HELD, { replicas: 3, template: {} })), false],
    ['an annotation of others', update(object(HELD, { replicas: 3 }, { other: 'x' })), false],
    ['a count, by the status', update(object(HELD, { replicas: 4 }), { subresource: 'status' }), false],
    [
      'a creation',
      update(object(HELD, { replicas: 4 }), { operation: 'CREATE', oldObject: undefined }),
      false,
    ],
  ] as const)
    it(`send a write of what is held to one of two webhooks: ${what}`, () => {
      expect(areMet([heldCondition([])], write)).to.equal(breaks)
      expect(areMet([unheldCondition([])], write)).to.equal(!breaks)
    })

  it('send a scaling to one of two webhooks, by the list', () => {
    const { held, others } = twinsOf(scopeOf(['deployments/shop/web']))
    const scaling = update(object({}, { replicas: 4 }), { subresource: 'scale' })
    for (const [name, listed] of [
      ['web', true],
      ['we', false],
    ] as const) {
      expect(areMet(held?.matchConditions ?? [], { ...scaling, name })).to.equal(listed)
      expect(areMet(others?.matchConditions ?? [], { ...scaling, name })).to.equal(!listed)
    }
  })

  it('are no others: those the handler checks itself', () => {
    const never = { name: 'not-exempt', expression: 'false' }
    expect(areMet([never], update(object({}, { replicas: 4 })))).to.equal(true)
  })
})

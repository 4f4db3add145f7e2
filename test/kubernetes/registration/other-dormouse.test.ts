import { expect } from 'chai'
import { otherDormouse, type Configuration } from '../../../src/kubernetes/registration/configuration.ts'

const OURS = { namespace: 'dormouse', url: 'https://hooks.example/base/' }

function found(owner?: string, url?: string): Configuration {
  const ownerReferences = owner === undefined ? [] : [{ apiVersion: 'v1', kind: 'Namespace', name: owner }]
  const webhooks =
    url === undefined
      ? []
      : [{ name: 'workloads.dormouse.dev', clientConfig: { url: `${url}/webhook/workloads` } }]
  return { metadata: { name: 'dormouse', uid: '1', resourceVersion: '1', ownerReferences }, webhooks }
}

describe('the webhook configuration at the start', () => {
  for (const [what, object, told] of [
    ['does not exist', undefined, undefined],
    ['is as the chart brings it', found(), undefined],
    ['belongs to our Namespace, whatever its URL', found('dormouse', 'https://else'), undefined],
    ['leads to our URL', found(undefined, 'https://hooks.example/base'), undefined],
    ['belongs to another Namespace', found('staging'), 'belongs to the Namespace staging'],
    ['leads to another URL', found(undefined, 'https://else'), 'points at https://else'],
  ] as const)
    it(`is ${told ? '' : "nobody's or ours, not "}another Dormouse's where it ${what}`, async () => {
      const client = { call: async <T>() => ({ items: object ? [object] : [] }) as T }
      expect(await otherDormouse(client, OURS, new AbortController().signal)).to.equal(told)
    })
})

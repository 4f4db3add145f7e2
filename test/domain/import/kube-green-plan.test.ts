import { expect } from 'chai'
import { nameOf, type ImportedObject } from '../../../src/domain/import/imported-object.ts'
import { byNamespace, planOfKubeGreen } from '../../../src/domain/import/kube-green-plan.ts'

const info: ImportedObject = {
  apiVersion: 'kube-green.com/v1alpha1',
  kind: 'SleepInfo',
  metadata: { namespace: 'shop', name: 'hours' },
  spec: { weekdays: '1-5', sleepAt: '20:00', wakeUpAt: '08:00', timeZone: 'Europe/Berlin' },
}
const web: ImportedObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'shop', name: 'web' },
  spec: { replicas: 0 },
}
const base64 = (text: string) => Buffer.from(text).toString('base64')
const secret = (data: Record<string, string>): ImportedObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'shop', name: 'sleepinfo-hours' },
  data: Object.fromEntries(Object.entries(data).map(([name, text]) => [name, base64(text)])),
})
const planOf = (data: Record<string, string>) =>
  byNamespace([info, web, secret(data)]).flatMap(planOfKubeGreen)
const KEPT_OF_WEB = { 'Deployment.apps': { web: '{"spec":{"replicas":3}}' } }

describe('a SleepInfo, and with it its Secret,', () => {
  it('goes once all that it keeps is taken over', () => {
    const steps = planOf({ 'original-resource-info': JSON.stringify(KEPT_OF_WEB) })
    expect(steps.find(({ goes }) => goes)?.object).to.equal(info)
    expect(steps.some(({ verdict }) => verdict === 'refused')).to.equal(false)
  })

  it('stays while it keeps anything of a kind that nobody reads: it would be lost', () => {
    const rollouts = { 'Rollout.argoproj.io': { shop: '{"spec":{"replicas":4}}' } }
    const steps = planOf({ 'original-resource-info': JSON.stringify({ ...KEPT_OF_WEB, ...rollouts }) })
    expect(steps.some(({ goes }) => goes)).to.equal(false)
    const left = steps.find(({ object }) => object.kind === 'Rollout')
    expect(left && nameOf(left.object)).to.equal('rollout shop/shop')
    expect(left?.verdict).to.equal('refused')
    expect(left?.says.join('; ')).to.include(`kubectl patch rollout.argoproj.io shop -n shop --type merge -p '{"spec":{"replicas":4}}'`)
  })

  it('asks for nothing in the name of who imports, whatever somebody wrote into it', () => {
    const annotations = { 'dormouse.dev/request': 'unpin' }
    const kept = { 'Deployment.apps': { web: JSON.stringify({ metadata: { annotations } }) } }
    const steps = planOf({ 'original-resource-info': JSON.stringify(kept) })
    const step = steps.find(({ object }) => object === web)
    expect(step?.verdict).to.equal('refused')
    expect(JSON.stringify(step?.patch ?? {})).to.not.include('request')
    for (const replicas of [1.5, 1e12, -1]) {
      const odd = { 'Deployment.apps': { web: JSON.stringify({ spec: { replicas } }) } }
      const oddSteps = planOf({ 'original-resource-info': JSON.stringify(odd) })
      const first = oddSteps.find(({ object }) => object === web)
      expect(first?.verdict, String(replicas)).to.equal('refused')
    }
  })

  for (const [what, data] of [
    ['no JSON', { 'original-resource-info': '{"Deployment.apps"' }],
    [
      'a patch that is none',
      { 'original-resource-info': JSON.stringify({ 'Deployment.apps': { web: '{' } }) },
    ],
    [
      'no spec',
      { 'original-resource-info': JSON.stringify({ 'Deployment.apps': { web: '{"spec":null}' } }) },
    ],
    ['a list of old that is none', { 'deployment-replicas': 'web=3' }],
  ] as const)
    it(`stays while it cannot be read: ${what}`, () => {
      const steps = planOf(data)
      expect(steps.some(({ goes }) => goes)).to.equal(false)
      expect(steps.find(({ object }) => object.kind === 'Secret')?.verdict).to.equal('refused')
    })
})

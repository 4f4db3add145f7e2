import { expect } from 'chai'
import { sleepingOf } from '../../src/domain/sleeping/forms.ts'
import { PodOwners } from '../../src/kubernetes/pod-owners.ts'
import { aDeployment } from '../support/workloads.ts'

const ROLLOUTS = 'rollouts.argoproj.io'
const configured = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  sleeping: sleepingOf({ kind: ROLLOUTS }),
}
const rollout = (name: string, scales?: string) =>
  aDeployment(`shop/${name}`).with({ kind: ROLLOUTS, uid: name, configured: { ...configured, scales } })
const web = aDeployment('shop/web')
const api = aDeployment('shop/api')
const deployment = (name: string) => ({ kind: 'deployments', namespace: 'shop', name }) as const

describe('what scales a Deployment in its place', () => {
  it('is told of the Deployments that it comes to, leaves and changes to', () => {
    const owners = new PodOwners()
    const canary = rollout('canary', 'web')
    expect(owners.changed(undefined, canary)).to.deep.equal([deployment('web')])
    expect(owners.of(web)).to.deep.equal({ kind: ROLLOUTS, namespace: 'shop', name: 'canary' })
    const moved = rollout('canary', 'api')
    expect(owners.changed(canary, moved)).to.deep.equal([deployment('web'), deployment('api')])
    expect([owners.of(web), owners.of(api)?.name]).to.deep.equal([undefined, 'canary'])
    expect(owners.changed(moved, undefined)).to.deep.equal([deployment('api')])
    expect(owners.of(api)).to.equal(undefined)
  })

  it('is told of none by a change of something else, nor by what names none', () => {
    const owners = new PodOwners()
    const canary = rollout('canary', 'web')
    owners.changed(undefined, canary)
    expect(owners.changed(canary, canary.with({ replicas: 7 }))).to.deep.equal([])
    expect(owners.changed(undefined, rollout('alone'))).to.deep.equal([])
    expect(owners.changed(undefined, web)).to.deep.equal([])
  })

  it('stays the first of two that name one Deployment, until that is gone', () => {
    const owners = new PodOwners()
    const [first, second] = [rollout('first', 'web'), rollout('second', 'web')]
    owners.changed(undefined, first)
    expect(owners.changed(undefined, second)).to.deep.equal([])
    expect(owners.changed(first, undefined)).to.deep.equal([deployment('web')])
    expect(owners.of(web)?.name).to.equal('second')
  })
})

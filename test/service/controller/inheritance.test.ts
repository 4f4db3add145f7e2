import { expect } from 'chai'
import { compilePolicy } from '../../../src/domain/policy/configured.ts'
import { Inheritance, type Namespace } from '../../../src/domain/policy/inheritance.ts'
import { aNamespace } from '../../domain/policy/inheriting.ts'
import { settled } from '../../support/fake-time.ts'
import { at } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { aRig } from './rig.ts'

const WORK = '8:00-18:00,Mon-Fri'

/** A controller whose Namespace shop the test sets. */
function inShop(policies: Parameters<typeof compilePolicy>[0][] = []) {
  const rig = aRig(at('Mon 20:00'))
  const inheritance = new Inheritance(policies.map(compilePolicy))
  let shop: Namespace | undefined
  rig.rules.inherited = (workload) =>
    shop && !shop.deleting && workload.namespace === shop.name ? inheritance.of(shop).by(workload) : undefined
  const becomes = async (change: Partial<Namespace> | undefined) => {
    shop = change && aNamespace(change)
    rig.cluster.inputsChanged(rig.cluster.list('shop'))
    await settled()
  }
  return { ...rig, becomes }
}

const ENABLED = { annotations: { enabled: 'true', schedule: WORK } }
const web = aDeployment('shop/web').withReplicas(3)

describe('the controller and what workloads inherit', () => {
  it('decides about none before its Namespace is known, and then at once', async () => {
    const { cluster, start, moves, becomes, told } = inShop()
    cluster.put(web)
    cluster.put(aDeployment('shop/own').withReplicas(1).enabled().scheduled(WORK))
    await start()
    expect(cluster.sent).to.equal(0)
    await becomes(ENABLED)
    expect(told.lags, 'the edge of 18:00 was not missed').to.deep.equal([])
    expect(moves().toSorted()).to.deep.equal(['snooze shop/own', 'snooze shop/web'])
  })

  it('hears of a Namespace that other policies choose now, though no more and no fewer than before', () => {
    const policy = (name: string, selector: string) =>
      compilePolicy({ name, namespaces: { selector }, enabled: true, schedule: WORK })
    const inheritance = new Inheritance([policy('dev', 'env=dev'), policy('staging', 'env=staging')])
    const [dev, staging] = ['dev', 'staging'].map((env) => aNamespace({ labels: { env } }))
    const same = (before: Namespace | undefined, after: Namespace | undefined) =>
      before && after && inheritance.isSame(before, after)
    expect(same(dev, staging)).to.equal(false)
    expect(same(dev, aNamespace({ labels: { env: 'dev', more: 'x' }, resourceVersion: '2' }))).to.equal(true)
    expect(same(dev, aNamespace({ labels: { env: 'dev' }, deleting: true }))).to.equal(false)
    expect(same(dev, aNamespace({ labels: { env: 'dev' }, annotations: { timezone: '' } }))).to.equal(false)
  })
})

import { expect } from 'chai'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { scopeOf } from '../../../src/kubernetes/registration/held-scope.ts'
import { HeldWorkloads } from '../../../src/kubernetes/registration/held-workloads.ts'
import { FakeTime } from '../../support/fake-time.ts'
import { aCronJob, aDaemonSet, aDeployment } from '../../support/workloads.ts'

const MINUTE = 60_000
const NOTHING = scopeOf([])
const web = aDeployment('shop/web').enabled()
const WEB = scopeOf(['deployments/shop/web'])

/** The watcher of holds, its clock, and the informer's part. */
function watching() {
  const time = new FakeTime(0)
  const listed = Promise.withResolvers<void>()
  let change: (before: Workload | undefined, after: Workload | undefined) => void = () => {}
  const workloads = {
    onChange: (listener: typeof change) => void (change = listener),
    complete: () => listed.promise,
  }
  const held = new HeldWorkloads(workloads, time.monotonic, time.later)
  let told = 0
  held.onChange(() => (told += 1))
  return {
    held,
    time,
    changed: (before: Workload | undefined, after: Workload | undefined) => change(before, after),
    told: () => told,
    listed: async () => {
      listed.resolve()
      await listed.promise
      await Promise.resolve()
    },
  }
}

describe('the workloads that are held', () => {
  it('are listed from the first sight of their label, and that is told once', () => {
    const { held, changed, told } = watching()
    changed(undefined, web)
    expect(told()).to.equal(0)
    changed(web, web.pinned())
    changed(web.pinned(), web.pinned().withReplicas(2))
    expect([held.scope(NOTHING), told()]).to.deep.equal([WEB, 1])
  })

  it('are those with a scale: others are reviewed as objects only', () => {
    const { held, changed } = watching()
    for (const workload of [aDaemonSet().pinned(), aCronJob().pinned()]) changed(undefined, workload)
    expect(held.scope(NOTHING)).to.deep.equal(NOTHING)
  })

  for (const [what, after] of [
    ['unpinned', web],
    ['deleted', undefined],
  ] as const)
    it(`leave five minutes after their last hold: ${what}`, async () => {
      const { held, time, changed, told, listed } = watching()
      await listed()
      changed(undefined, web.pinned())
      changed(web.pinned(), after)
      await time.pass(5 * MINUTE - 1)
      expect(held.scope(NOTHING)).to.deep.equal(WEB)
      const before = told()
      await time.pass(1)
      expect(held.scope(NOTHING)).to.deep.equal(NOTHING)
      expect(told()).to.be.above(before)
    })

  it('stay where they are held again meanwhile, which tells nobody anything', async () => {
    const { held, time, changed, told } = watching()
    changed(undefined, web.pinned())
    changed(web.pinned(), web)
    await time.pass(4 * MINUTE)
    changed(web, web.overridden())
    await time.pass(60 * MINUTE)
    expect([held.scope(NOTHING), told()]).to.deep.equal([WEB, 1])
  })

  it('never leave what was written before every kind was listed, and for five minutes after', async () => {
    const { held, time, changed, listed, told } = watching()
    const written = scopeOf(['deployments/blog/api'])
    const both = scopeOf(['deployments/blog/api', 'deployments/shop/web'])
    changed(undefined, web.pinned())
    await time.pass(60 * MINUTE)
    expect(held.scope(written), 'a kind is not listed yet').to.deep.equal(both)
    await listed()
    await time.pass(5 * MINUTE - 1)
    expect(held.scope(written)).to.deep.equal(both)
    const before = told()
    await time.pass(1)
    expect(held.scope(written)).to.deep.equal(WEB)
    expect(told()).to.equal(before + 1)
  })
})

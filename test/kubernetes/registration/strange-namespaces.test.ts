import { expect } from 'chai'
import type { Namespace } from '../../../src/domain/policy/inheritance.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { StrangeNamespaces } from '../../../src/kubernetes/registration/strange-namespaces.ts'
import { FakeTime } from '../../support/fake-time.ts'
import { aDeployment } from '../../support/workloads.ts'

const MINUTE = 60_000
const web = aDeployment('shop/web')

/** The list, its clock, and the part of both informers. `listed`: whether all workloads are known at the beginning. */
async function watching({ listed = true } = {}) {
  const time = new FakeTime(0)
  const complete = Promise.withResolvers<void>()
  let change: (before: Workload | undefined, after: Workload | undefined) => void = () => {}
  let namespace: (before: Namespace | undefined, after: Namespace | undefined) => void = () => {}
  const workloads = {
    onChange: (listener: typeof change) => void (change = listener),
    complete: () => complete.promise,
  }
  const namespaces = { onChange: (listener: typeof namespace) => void (namespace = listener) }
  const strange = new StrangeNamespaces(workloads, namespaces, ['kube-system'], time.monotonic, time.later)
  const told: string[] = []
  strange.onChange((isUrgent) => told.push(`${isUrgent ? 'at once' : 'soon'}: ${strange.names.join()}`))
  const list = async () => {
    complete.resolve()
    await time.pass(0)
  }
  if (listed) await list()
  return {
    strange,
    time,
    told,
    list,
    changed: (before: Workload | undefined, after: Workload | undefined) => change(before, after),
    created: (...names: string[]) => {
      for (const name of names) namespace(undefined, { name } as Namespace)
    },
    deleted: (name: string) => namespace({ name } as Namespace, undefined),
  }
}

describe('strange namespaces', () => {
  it('are those in which nothing has had a mark for a minute; the excluded ones are not named', async () => {
    const { strange, time, created, changed } = await watching()
    created('shop', 'blog', 'kube-system')
    changed(undefined, web.enabled())
    changed(undefined, aDeployment('blog/api'))
    await time.pass(MINUTE - 1)
    expect(strange.names).to.deep.equal([])
    await time.pass(1)
    expect(strange.names).to.deep.equal(['blog'])
  })

  for (const [what, marked] of [
    ['a setting', web.enabled()],
    ['a pin', web.pinned()],
  ] as const)
    it(`are reviewed again at the first sight of ${what}, and strange a minute after the last`, async () => {
      const { time, created, changed, told } = await watching()
      created('shop')
      changed(undefined, web)
      await time.pass(MINUTE)
      changed(web, marked)
      changed(undefined, aDeployment('shop/api').enabled())
      changed(marked, web)
      await time.pass(5 * MINUTE)
      changed(aDeployment('shop/api').enabled(), undefined)
      await time.pass(MINUTE)
      expect(told).to.deep.equal(['soon: shop', 'at once: ', 'soon: shop'])
    })

  it('are none before every kind was listed: a mark may be on what is not seen yet', async () => {
    const { strange, time, created, list } = await watching({ listed: false })
    created('shop')
    await time.pass(10 * MINUTE)
    expect(strange.names).to.deep.equal([])
    await list()
    await time.pass(MINUTE)
    expect(strange.names).to.deep.equal(['shop'])
  })

  it('leave the list with their deletion, also if that is seen before that of their workloads', async () => {
    const { strange, time, created, deleted, changed } = await watching()
    created('shop', 'blog')
    changed(undefined, web.enabled())
    await time.pass(MINUTE)
    deleted('blog')
    deleted('shop')
    changed(web.enabled(), undefined)
    await time.pass(5 * MINUTE)
    expect(strange.names).to.deep.equal([])
  })

  it('are at most a thousand', async () => {
    const { strange, time, created } = await watching()
    created(...Array.from({ length: 1200 }, (_, at) => `of-${at}`))
    await time.pass(MINUTE)
    expect(strange.names).to.have.length(1000)
  })
})

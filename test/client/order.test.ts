import { expect } from 'chai'
import { ClusterDormouse } from '../../src/client/cluster/cluster-dormouse.ts'
import { at, SECOND } from '../support/rules.ts'
import { objectOf } from '../support/workload-object.ts'
import { aDeployment } from '../support/workloads.ts'

const EDGE = at('Tue 8:00')
const asleep = (name: string, wakeOrder?: string) =>
  aDeployment(`shop/${name}`)
    .withReplicas(2)
    .enabled()
    .scheduled('8:00-18:00,Mon-Fri')
    .annotated({ wakeOrder })
    .snoozed({ at: at('Mon 18:00') })
const slow = asleep('slow', '1').woken({ at: EDGE, trigger: 'schedule' }).unsettled()
const front = asleep('front')
const done = slow.settled()

/** The client over a namespace with these, some seconds after the edge that wakes them. */
function clientOver(workloads: readonly (typeof slow)[], data: Record<string, string> = {}) {
  const listed: string[] = []
  const all = workloads.map((each) => ({ apiVersion: 'apps/v1', kind: 'Deployment', ...objectOf(each) }))
  const answer = (status: number, body: object) => {
    const text = JSON.stringify(body)
    const chunks = (async function* () {
      yield Buffer.from(text)
    })()
    return { status, headers: {}, text, body: chunks }
  }
  const transport = {
    async send({ path }: { readonly path: string }) {
      const [bare = ''] = path.split('?')
      const one = all.find(({ metadata: { name } }) => bare.endsWith(`/deployments/${name}`))
      if (one) return answer(200, one)
      if (bare.endsWith('/configmaps/dormouse')) return answer(200, { data })
      const metadata = { name: 'shop', uid: 'n', resourceVersion: '1' }
      return bare.endsWith('/namespaces/shop') ? answer(200, { metadata }) : answer(404, {})
    },
    async open({ path }: { readonly path: string }) {
      listed.push(path)
      const items = path.includes('/deployments?') ? all : []
      return { ...answer(200, { metadata: { resourceVersion: '9' }, items }), text: async () => '' }
    },
    close: async () => {},
  }
  const dormouse = new ClusterDormouse({
    transport,
    context: 'dev',
    namespace: 'shop',
    clock: () => EDGE + 5 * SECOND,
    warn() {},
    signal: new AbortController().signal,
  })
  const of = (name: string) => dormouse.get({ kind: 'deployments', namespace: 'shop', name })
  return { dormouse, listed, of }
}

describe('the client, of what waits by wake-order,', () => {
  const SAYS =
    /^waits for 1 workload of wake order 1 to be ready, at most until 2026-03-03T08:02:00Z \(then: awake/

  it('says what the service says, of one and in a list', async () => {
    const { dormouse, of } = clientOver([slow, front])
    const { record } = await of('front')
    expect(record.reason).to.match(SAYS)
    expect(record).to.include({ reason_code: 'wake_order' })
    const list = await dormouse.list({ namespace: 'shop' })
    expect(list.find(({ record: { name } }) => name === 'front')?.record).to.deep.equal(record)
  })

  it('waits as long as the service is configured to', async () => {
    const { record } = await clientOver([slow, front], { wakeOrderTimeout: '60000' }).of('front')
    expect(record.reason).to.include('at most until 2026-03-03T08:01:00Z')
  })

  it('says nothing of it once those are ready, and reads the namespace only where something is to wake', async () => {
    expect((await clientOver([done, front]).of('front')).record.reason).to.match(/^is to wake by schedule/)
    const { of, listed } = clientOver([slow, front])
    await of('slow')
    expect(listed).to.deep.equal([])
  })
})

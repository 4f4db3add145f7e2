import { expect } from 'chai'
import type { StatusRecord } from '../../src/domain/records/record.ts'
import { describeOn } from '../support/clusters.ts'
import { EventStream } from '../support/event-stream.ts'
import { eventually } from '../support/eventually.ts'
import { served } from '../support/served.ts'

describeOn('lists as streams', function (on) {
  this.timeout(180_000)
  const here = served(on, { newWorkloadGrace: '0s' })
  const open: EventStream[] = []

  afterEach(async () => {
    for (const stream of open.splice(0)) await stream.close()
  })

  const watch = async (path: string, token: string) => {
    const stream = await EventStream.open(`${here.api.url}/api/v1${path}`, token)
    open.push(stream)
    return stream
  }
  const mine = () => here.dormouse.tokens.token()
  const inNamespace = () => `/workloads?watch=true&namespace=${here.namespace}`

  it('tell each change as it happens, whoever makes it, and begin anew for who connects again', async () => {
    const web = await here.enabled('deployments', 'web', { replicas: 2 })
    const listed = () => here.api.call<StatusRecord[]>('GET', `/namespaces/${here.namespace}/deployments`)
    await eventually('it to be listed', async () => (await listed()).body.data.length === 1)
    const stream = await watch(inNamespace(), await mine())
    await stream.until('listed')
    expect(stream.told[0]).to.equal(`added ${here.namespace}/web`)
    await web.snooze()
    await stream.until('changed', ({ is_snoozed: asleep }) => asleep === true)
    await here.kubectl('scale', 'deployment/web', '--replicas=3')
    await stream.until('changed', ({ current_replicas: count }) => count === 3)
    await here.create('statefulsets', 'db')
    await stream.until('added', ({ name }) => name === 'db')
    await stream.close()
    await here.kubectl('delete', 'statefulset', 'db')
    const again = await watch(inNamespace(), await mine())
    await again.until('listed')
    // The Deployment's controller may still be at its status: a change after the list is none of its beginning.
    expect(again.told.slice(0, 2)).to.deep.equal([`added ${here.namespace}/web`, 'listed'])
  })

  it('end when Dormouse stops, and begin anew with the next process', async () => {
    const stream = await watch(inNamespace(), await mine())
    await stream.until('listed')
    expect(await here.dormouse.terminate()).to.equal(0)
    await eventually('the end of the stream', () => stream.ended)
    expect(stream.told.at(-1)).to.equal('end')
    await here.dormouse.start()
    const again = await eventually('an answer', async () => {
      const answered = await watch(inNamespace(), await mine())
      return answered.status === 200 && answered
    })
    await again.until('listed')
  })
})

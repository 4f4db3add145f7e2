import { expect } from 'chai'
import fc from 'fast-check'
import { propertyRuns } from '../../support/property-runs.ts'
import { ANY_REQUEST, wire } from './arbitrary-requests.ts'
import { expectDocumented } from './documented.ts'
import { answersIn, raw } from './raw.ts'
import { Service, token } from './service.ts'
import { inBackoff, managed, owned, pinned, unreadable } from './states.ts'

describe('arbitrary requests over the wire', function () {
  this.timeout(1_200_000)
  let service: Service
  let bearer: string

  before(async () => {
    service = await Service.start()
    bearer = await token()
  })

  beforeEach(() => {
    for (const workload of [
      managed(),
      managed(pinned, { name: 'pinned' }),
      managed(inBackoff, { name: 'shop', kind: 'statefulsets' }),
      owned('web'),
      unreadable({ name: 'unreadable' }),
    ])
      service.cluster.put(workload)
  })

  after(async () => await service.stop())

  it('are answered as the document says, never with a 500, and leave no error in the log', async () => {
    const seen = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(ANY_REQUEST, async (request) => {
        const received = await raw(service.server, wire(request, bearer))
        const [first, ...others] = answersIn(received, request.method)
        // A body that is longer than its Content-Length begins with another request, which is none.
        for (const { status, body } of others) {
          expect(status).to.equal(400)
          expectDocumented('', '', status, JSON.parse(body))
        }
        if (!first) return
        seen.set(first.status, (seen.get(first.status) ?? 0) + 1)
        expect(first.status).to.be.below(500)
        const [path = ''] = request.path.split('?')
        if (first.body === '') expect(first.status === 204 || request.method === 'HEAD').to.equal(true)
        else expectDocumented(request.method, path, first.status, JSON.parse(first.body))
      }),
      propertyRuns(1000),
    )
    expect(service.log.filter(({ level }) => level === 'error')).to.deep.equal([])
    // The property would hold of a server that refuses everything, too.
    for (const status of [200, 400, 401, 404, 405, 415, 422])
      expect([...seen.keys()], `answered ${status}`).to.include(status)
  })

  it('and the service still answers', async () => {
    expect((await service.call('GET shop/deployments/pinned')).body.data).to.include({ pin_state: 'active' })
  })
})

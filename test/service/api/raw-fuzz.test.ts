import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import fc from 'fast-check'
import { propertyRuns } from '../../support/property-runs.ts'
import { ANY_REQUEST, wire } from './arbitrary-requests.ts'
import { expectDocumented } from './documented.ts'
import { Service, token } from './service.ts'
import { inBackoff, managed, owned, pinned, unreadable } from './states.ts'

/** Sends bytes as they are; resolves with all that comes back until the server closes. */
async function raw(url: string, bytes: Uint8Array): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = ''
  // Unread bytes of a refused request reset the connection once it is closed.
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => (received += chunk.toString()))
  socket.end(bytes)
  await once(socket, 'close')
  return received
}

/**
 * The answers in a server's bytes, without 100 Continue; each body has its Content-Length, but the answer to HEAD has
 * none.
 */
function answersIn(received: string, method: string): { status: number; body: string }[] {
  const bytes = Buffer.from(received)
  const answers: { status: number; body: string }[] = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\r\n\r\n', at)
    const head = bytes.toString('utf8', at, end)
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(head) ?? []
    if (end === -1 || status === undefined) throw new Error(`no answer: ${bytes.toString('utf8', at)}`)
    // Bytes that are no request are answered with a body, whatever preceded them.
    const isBare = method === 'HEAD' && answers.length === 0 && end + 4 === bytes.length
    const [, length] = /^content-length: *(\d+)/im.exec(head) ?? []
    at = end + 4 + (isBare ? 0 : Number(length ?? 0))
    if (at > bytes.length) throw new Error(`an answer ends early: ${received}`)
    if (status >= '200') answers.push({ status: Number(status), body: bytes.toString('utf8', end + 4, at) })
  }
  return answers
}

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
  after(() => service.stop())

  it('are answered as the document says, never with a 500, and leave no error in the log', async () => {
    const seen = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(ANY_REQUEST, async (request) => {
        const received = await raw(service.server.url, wire(request, bearer))
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
    const { data } = (await service.call('GET shop/deployments/pinned')).body
    expect(data, 'the service still answers').to.include({ pin_state: 'active' })
    // The property would hold of a server that refuses everything, too.
    for (const status of [200, 400, 401, 404, 405, 415, 422])
      expect([...seen.keys()], `answered ${status}`).to.include(status)
  })
})

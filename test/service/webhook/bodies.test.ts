import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { keyOf } from '../../../src/domain/workload/workload.ts'
import type { ReviewAnswer } from '../../../src/service/webhook/answer.ts'
import { SMALL_BODY } from '../../../src/service/webhook/routes.ts'
import { eventually } from '../../support/eventually.ts'
import { reviewBody, scaling, updating } from '../../support/reviews.ts'
import { aDeployment } from '../../support/workloads.ts'
import { Reviewing } from './reviewing.ts'

const MIB = 1024 * 1024
const HEAD = 'POST /webhook/workloads HTTP/1.1\r\nHost: a\r\n'
/** A body announced with as many bytes as are kept of one review. */
const LIMIT = 6 * MIB
const pinned = aDeployment('shop/web').withReplicas(3).enabled().pinned()

describe('the bodies of reviews', () => {
  let here: Reviewing
  let sockets: Socket[]

  beforeEach(async () => {
    here = new Reviewing()
    sockets = []
    await here.start()
    here.copies.set(keyOf(pinned), pinned)
  })

  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    await here.stop()
  })

  /** A connection that has sent these bytes, and collects the answer. */
  const sent = async (...parts: string[]) => {
    const socket = connect(here.port, '127.0.0.1')
    const connection = { socket, received: '' }
    sockets.push(socket)
    socket.on('data', (chunk) => (connection.received += chunk.toString()))
    // A refused connection is reset when it goes on sending.
    socket.on('error', () => undefined)
    await new Promise((resolve) => socket.write(parts.join(''), resolve))
    return connection
  }
  const unfinished = (text = '') => sent(HEAD, `Content-Length: ${LIMIT}\r\n\r\n`, text.padEnd(3.5 * MIB))

  /** Statuses and answers of those that were answered. */
  const answersOf = (all: readonly { received: string }[]) =>
    all
      .filter(({ received }) => received !== '')
      .map(({ received }) => {
        const [head = '', body = ''] = received.split('\r\n\r\n')
        return { head, ...(JSON.parse(body) as ReviewAnswer & { error?: { code: string; message: string } }) }
      })

  it('share 20 MiB: beyond that the largest gets 429, and smaller ones are answered', async () => {
    const all = await Promise.all(Array.from({ length: 12 }, () => unfinished()))
    await eventually('some to be turned away', () => answersOf(all).length >= 6)
    // Less than the other bodies take.
    const answer = await here.review('/webhook/scale', scaling(pinned, 5))
    expect(answer).to.deep.include({ http: 200, allowed: false })
    for (const { head, error } of answersOf(all).slice(0, 6)) {
      expect(head).to.match(/^HTTP\/1\.1 429 /)
      expect(error?.message).to.equal('reviews of more than 20 MiB are under way. Try again')
    }
  })

  it('that are turned away are denied where their beginning names what is held', async () => {
    const [beginning = ''] = reviewBody(updating(pinned, {})).split('"object":')
    const all = await Promise.all(Array.from({ length: 12 }, () => unfinished(`${beginning}"object":{}`)))
    await eventually('some to be turned away', () => answersOf(all).length >= 6)
    for (const { head, response } of answersOf(all)) {
      expect(head).to.match(/^HTTP\/1\.1 200 /)
      expect(response).to.deep.include({ uid: 'r-1', allowed: false })
      expect(response.status?.message).to.match(/^Dormouse: deployment shop\/web is held by a pin/)
    }
  })

  it('that take too long are denied where their beginning names what is held, in time for the API server', async function () {
    this.timeout(10_000)
    const [beginning = ''] = reviewBody(updating(pinned, {})).split('"object":')
    const begun = performance.now()
    const slow = await sent(HEAD, 'Content-Length: 100000\r\n\r\n', `${beginning}"object":{`)
    const unknown = await sent(HEAD, 'Content-Length: 100000\r\n\r\n', '{')
    await eventually('both to be answered', () => answersOf([slow, unknown]).length === 2)
    expect(performance.now() - begun).to.be.below(3000)
    const [denied, refused] = answersOf([slow, unknown])
    expect(denied?.response).to.deep.include({ uid: 'r-1', allowed: false })
    expect(denied?.response.status?.message).to.match(/^Dormouse: deployment .* took too long. Try again$/)
    expect(refused?.head).to.match(/^HTTP\/1\.1 429 /)
  })

  it('are dropped by their announced size: a real one of 3 MiB is decided beside forged ones that arrive slowly', async () => {
    const half = () => sent(HEAD, `Content-Length: ${LIMIT}\r\n\r\n`, ' '.repeat(1.9 * MIB))
    const all = await Promise.all(Array.from({ length: 15 }, half))
    const padding = 'a'.repeat(1.5 * MIB)
    const answer = await here.review('/webhook/workloads', updating(pinned, { labels: { padding } }))
    expect(answer).to.deep.include({ http: 200, allowed: true })
    expect(answer.warnings?.join()).not.to.include('not checked')
    await eventually('some to be turned away', () => answersOf(all).length > 0)
  })

  it('of one namespace push out none of another, however large that is', async () => {
    const other = aDeployment('flood/web').withReplicas(3).enabled()
    const [beginning = ''] = reviewBody(updating(other, {})).split('"object":')
    const size = 400 * 1024
    const flood = () =>
      sent(HEAD, `Content-Length: ${size}\r\n\r\n`, `${beginning}"object":{`.padEnd(size - 1))
    const all = await Promise.all(Array.from({ length: 60 }, flood))
    const padding = 'a'.repeat(1.2 * MIB)
    const answer = await here.review('/webhook/workloads', updating(pinned, { labels: { padding } }))
    expect(answer).to.deep.include({ http: 200, allowed: true })
    expect(answer.warnings?.join()).not.to.include('not checked')
    await eventually('some of the flood to be turned away', () => answersOf(all).length > 0)
  })

  it('in the smallest of chunks take no more memory than others', async () => {
    const chunks = JSON.stringify({ padding: ' '.repeat(32 * 1024) })
      .split('')
      .map((each) => `1\r\n${each}\r\n`)
    const connection = await sent(HEAD, 'Transfer-Encoding: chunked\r\n\r\n', chunks.join(''), '0\r\n\r\n')
    while (connection.received === '') await new Promise((resolve) => setTimeout(resolve, 5))
    expect(connection.received).to.match(/^HTTP\/1\.1 400 /)
  })

  it('free their memory when they are answered, too long, or broken off', async () => {
    for (let round = 0; round < 6; round++) {
      expect((await here.post('/webhook/workloads', ' '.repeat(3.5 * MIB))).status).to.equal(400)
      expect((await here.post('/webhook/workloads', ' '.repeat(9 * MIB))).status).to.equal(413)
      const { socket } = await unfinished()
      const closed = once(socket, 'close')
      socket.destroy()
      await closed
    }
    expect((await here.post('/webhook/workloads', ' '.repeat(3.5 * MIB))).status).to.equal(400)
  })

  it('free their memory when they are small and broken off, too', async () => {
    const half = ' '.repeat(SMALL_BODY - 1)
    // Together more than all bodies may take.
    for (let round = 0; round < 6; round++) {
      const all = await Promise.all(
        Array.from({ length: 64 }, () => sent(HEAD, `Content-Length: ${SMALL_BODY}\r\n\r\n`, half)),
      )
      for (const { socket } of all) {
        const closed = once(socket, 'close')
        socket.destroy()
        await closed
      }
    }
    expect((await here.post('/webhook/workloads', ' '.repeat(3.5 * MIB))).status).to.equal(400)
  })
})

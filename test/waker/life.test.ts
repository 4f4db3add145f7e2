import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from 'chai'
import type { Knocking, SleepingPort } from '../../src/waker/ports.ts'
import { answering, AWaker, OWN } from './a-waker.ts'

/** Another address of loopback. */
const PEER = '127.0.0.2'
const settled = () => new Promise((resolve) => setImmediate(resolve))
const REQUEST = 'GET / HTTP/1.1\r\nHost: web\r\n\r\n'

describe('the life of a waker', function () {
  this.timeout(20_000)
  let waker: AWaker

  beforeEach(async () => {
    waker = new AWaker()
  })
  afterEach(() => waker.stop())

  it('is ready once its ports listen and a knock was answered', async () => {
    let answers = false
    const failing: string[] = []
    await waker.start({
      send: async () => {
        if (answers) return answering('off')
        failing.push('knock')
        throw new Error('no answer')
      },
    })
    while (failing.length < 2) await settled()
    expect(waker.waker.missing.join()).to.match(/no knock was answered/)
    answers = true
    while (waker.waker.missing.length > 0) await settled()
  })

  it('does not begin where a port is taken, and says which', async () => {
    const other = createServer().listen(0, OWN)
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const message = await new AWaker()
      .start({ ports: { from: port, to: port } })
      .then(() => 'it began')
      .catch(String)
    expect(message).to.contain(`port ${port} (EADDRINUSE)`).and.contain('waker.ports')
    other.close()
  })

  it('leaves once no slice names it: until then it serves on, and is not ready', async () => {
    await waker.start()
    waker.allocate('any')
    const pod = await waker.pod((socket) => void socket.pipe(socket))
    const stopped = waker.waker.stop().then(() => true)
    expect(waker.waker.missing).to.include('it stops')
    const client = (await waker.client()).send('\0a')
    while (waker.waker.held < 1) await settled()
    // The leader names another one.
    waker.allocate('any', { addresses: ['10.0.0.9'] })
    waker.ready([pod])
    await client.until((text) => text === '\0a')
    client.socket.end()
    expect(await stopped).to.equal(true)
    expect(waker.waker.open).to.equal(0)
  })

  it('leaves after 30 s at most, and closes what is left', async () => {
    // Pauses are a hundredth here.
    await waker.start()
    waker.allocate('any')
    const client = (await waker.client()).send('\0a')
    while (waker.waker.held < 1) await settled()
    await Promise.all([waker.waker.stop(), client.ended])
    expect(waker.waker.held + waker.waker.open).to.equal(0)
  })

  it('answers pages by the port that each request came to, even on one connection', async () => {
    const asked: [SleepingPort, Knocking][] = []
    await waker.start({
      answer: (port, knocking, _, response) => {
        asked.push([port, knocking])
        response.end('a page')
      },
    })
    waker.allocate('page')
    const client = (await waker.client()).send(REQUEST)
    await client.until((text) => text.endsWith('a page'))
    expect(asked[0]?.[0]).to.include({ service: 'web', port: 'tcp', mode: 'page' })
    expect(await asked[0]?.[1].wake()).to.include({ state: 'waking' })
    expect(waker.knocks.map(({ wake }) => wake)).to.deep.equal([true])
    // The port becomes another mode's: this connection cannot be joined any more.
    waker.allocate('any')
    client.send(REQUEST)
    await client.ended
    expect(client.text).to.match(/HTTP\/1\.1 503 /)
  })

  it('goes on by a port after its slice is gone and back', async () => {
    await waker.start()
    waker.allocate('page')
    waker.allocate(undefined)
    waker.allocate('any')
    waker.ready([await waker.pod((socket) => void socket.pipe(socket))])
    await (await waker.client()).send('\0a').until((text) => text === '\0a')
  })

  it('knocks on while Dormouse cannot be asked, and joins once it can', async () => {
    let fails = 3
    await waker.start()
    const pod = await waker.pod((socket) => void socket.pipe(socket))
    waker.knock = () => {
      if (fails-- > 0) throw new Error('no answer')
      waker.ready([pod])
      return answering('waking')
    }
    waker.allocate('any')
    await (await waker.client()).send('\0a').until((text) => text === '\0a')
    expect(waker.results.filter((each) => each === 'failed')).to.have.length(3)
  })

  it('leads nobody in a circle by a slice of others that names it', async () => {
    await waker.start({ hold: 300 })
    waker.allocate('any')
    waker.ready([{ host: OWN, port: waker.port }])
    const client = (await waker.client()).send('\0a')
    await client.ended
    expect(waker.refused).to.deep.equal(['late'])
  })

  it('leads nobody in a circle by a slice of others that names another waker', async () => {
    await waker.start({ hold: 300 })
    const ports = { from: waker.port, to: waker.port + 1 }
    const peer = await new AWaker().start({ hold: 300, hosts: [PEER], addresses: [PEER], ports })
    try {
      const circle = [OWN, PEER].map((host) => ({ host, port: waker.port }))
      for (const each of [waker, peer]) {
        each.allocate('any', { addresses: [OWN, PEER], port: waker.port })
        each.ready(circle)
      }
      await (await waker.client()).send('\0a').ended
      expect([waker.refused, peer.refused]).to.deep.equal([['late'], []])
    } finally {
      await peer.stop()
    }
  })
})

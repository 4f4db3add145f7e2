import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { AWaker, type Client } from './a-waker.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))
const HEAD = 'GET / HTTP/1.1\r\nHost: web\r\n'

/** Whatever clients and pods do, the waker serves the next one, and nothing of them is left. */
describe('a hostile connection', function () {
  this.timeout(40_000)
  let waker: AWaker

  beforeEach(async () => {
    waker = await new AWaker().start({ heldPerService: 1024 })
  })
  afterEach(async () => {
    while (waker.waker.held > 0 || waker.waker.open > 0) await settled()
    expect(waker.following).to.equal(0)
    waker.allocate('any')
    waker.ready([await waker.pod((socket) => void socket.pipe(socket))])
    await (await waker.client()).send('\0still here').until((text) => text === '\0still here')
    await waker.stop()
  })

  const steps: readonly [step: string, bytes: string, isJoined: boolean][] = [
    ['connected', '', false],
    ['said one byte', 'G', false],
    ['begun a head', HEAD, false],
    ['asked', `${HEAD}\r\n`, false],
    ['begun TLS', '\x16\x03\x01', false],
    ['been joined', '\0a', true],
  ]
  for (const [step, bytes, isJoined] of steps)
    for (const end of ['resets', 'leaves'] as const)
      it(`${end} once it has ${step}`, async () => {
        waker.allocate('any')
        const pod = await waker.pod((socket) => {
          socket.pipe(socket)
          socket.on('end', () => socket.end())
        })
        if (isJoined) waker.ready([pod])
        const client = await waker.client()
        if (bytes !== '') client.send(Buffer.from(bytes, 'latin1'))
        if (isJoined) await client.until((text) => text === bytes)
        else while (waker.waker.open === 0) await settled()
        if (end === 'resets') client.socket.resetAndDestroy()
        else client.socket.destroy()
      })

  it('meets a pod that resets it at each byte', async () => {
    waker.allocate('any')
    for (let most = 1; most < 4; most++) {
      const pod = await waker.pod((socket) => {
        let bytes = 0
        socket.on('data', (chunk: Buffer) => (bytes += chunk.length) >= most && socket.resetAndDestroy())
      })
      waker.ready([pod])
      await (await waker.client()).send('\0abc').ended
    }
  })

  it('says a head byte by byte, for ever', async () => {
    waker.allocate('any')
    waker.allocate('page', { at: 1, service: 'api' })
    const slow = await Promise.all([waker.client(0), waker.client(1)])
    const ended: Client[] = []
    for (const client of slow) void client.ended.then(() => ended.push(client))
    for (const client of slow) client.send(HEAD)
    while (ended.length < 2) {
      for (const client of slow) if (client.socket.writable) client.send('a')
      await pause(200)
    }
    for (const { text } of slow) expect(text).to.match(/^HTTP\/1\.1 (?:503|408) /)
    expect(waker.knocks).to.have.length(0)
    for (const { socket } of slow) socket.destroy()
  })

  it('has 40 KiB of cookies, which proxies and apps take', async () => {
    waker.allocate('page')
    const page = (await waker.client()).send(`${HEAD}Cookie: ${'x'.repeat(40 * 1024)}\r\n\r\n`)
    await page.until((text) => text.includes('\r\n\r\n'))
    expect(page.text).to.match(/^HTTP\/1\.1 503 [^]*page of web/)
    page.socket.destroy()
  })

  it('has a head of a megabyte', async () => {
    const huge = `${HEAD}X: ${'x'.repeat(1024 * 1024)}\r\n\r\n`
    waker.allocate('page')
    const page = (await waker.client()).send(huge)
    await page.ended
    expect(page.text).to.match(/^HTTP\/1\.1 431 /)
    page.socket.destroy()
    waker.allocate('any')
    let heard = 0
    const pod = await waker.pod((socket) =>
      socket.on('data', (chunk: Buffer) => {
        heard += chunk.length
        if (heard === huge.length) socket.end('HTTP/1.1 431 Too Large\r\n\r\n')
      }),
    )
    waker.ready([pod])
    const any = (await waker.client()).send(huge)
    await any.ended
    expect(any.text).to.match(/^HTTP\/1\.1 431 Too Large/)
    any.socket.destroy()
  })

  for (const [lie, text] of [
    ['a length without a body', `${HEAD}Content-Length: 1000000\r\n\r\n`],
    ['a body beyond its length', `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n${'x'.repeat(99)}`],
    ['two lengths', `${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nx`],
    ['a length and chunks', `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a chunk that never comes', `${HEAD}Transfer-Encoding: chunked\r\n\r\nffffffff\r\n`],
    ['100-continue', `POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n`],
    ['an upgrade', `${HEAD}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`],
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00'],
    ['nothing that is HTTP', '\0\0\0\x08'],
  ] as const)
    it(`comes to a page with ${lie}`, async () => {
      waker.allocate('page')
      const client = (await waker.client()).send(Buffer.from(text, 'latin1'))
      // It may be answered and kept: then it ends its half itself.
      client.socket.end()
      await client.ended
      expect(client.text).to.match(/^(?:$|HTTP\/1\.1 (?:400|503) )/)
      client.socket.destroy()
    })

  it('comes with 300 others, which say nothing, ask and leave at once', async () => {
    waker.allocate('any')
    waker.allocate('page', { at: 1, service: 'api' })
    const clients: Client[] = []
    for (let turn = 0; turn < 100; turn++) {
      clients.push(await waker.client(), await waker.client(1))
      clients.push((await waker.client()).send(Buffer.from('\0a')))
    }
    for (const { socket } of clients) socket.resetAndDestroy()
  })
})

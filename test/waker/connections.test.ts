import { once } from 'node:events'
import { createServer as createHttp, type IncomingMessage } from 'node:http'
import { connect as connectH2, createServer as createH2 } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { answering, AWaker, OWN } from './a-waker.ts'

const STARTUP = Buffer.from('\0\0\0\x15\0\x03\0\0user\0shop\0\0', 'latin1')
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('a connection to a sleeper', function () {
  this.timeout(20_000)
  let waker: AWaker

  beforeEach(async () => {
    waker = await new AWaker().start()
  })
  afterEach(() => waker.stop())

  const echo = () =>
    waker.pod((socket) => {
      socket.pipe(socket)
    })

  it('wakes by its first byte, waits for a ready pod, and gets what it sent to it', async () => {
    waker.allocate('any')
    const pod = await echo()
    const client = await waker.client()
    await settled()
    expect(waker.knocks).to.have.length(0)
    client.send(STARTUP)
    while (waker.knocks.length === 0) await settled()
    waker.ready([pod])
    await client.until((text) => text.length === STARTUP.length)
    expect(client.received.equals(STARTUP)).to.equal(true)
    expect(waker.knocks[0]).to.deep.equal({
      namespace: 'shop',
      service: 'web',
      port: 'tcp',
      workloads: ['deployments/web'],
      wake: true,
    })
    expect(waker.protocols).to.deep.equal(['raw'])
    expect(waker.seconds).to.have.length(1)
    expect(waker.waker.held).to.equal(0)
  })

  it('wakes by itself in the mode connect, where the server speaks first', async () => {
    waker.allocate('connect')
    const pod = await waker.pod((socket) => socket.write('220 mail\r\n'))
    const client = await waker.client()
    waker.ready([pod])
    await client.until((text) => text === '220 mail\r\n')
    expect(waker.knocks.length).to.be.greaterThan(0)
  })

  it('asks again within a second where Dormouse has not seen yet that it sleeps', async () => {
    await waker.stop()
    const pauses: number[] = []
    await waker.start({
      delay: async (milliseconds, signal) => {
        pauses.push(milliseconds)
        await settled()
        signal?.throwIfAborted()
      },
    })
    waker.knock = () => answering(waker.knocks.length === 1 ? 'awake' : 'waking')
    waker.allocate('connect')
    const pod = await waker.pod((socket) => socket.write('220 mail\r\n'))
    const client = await waker.client()
    while (pauses.length === 0) await settled()
    waker.ready([pod])
    await client.until((text) => text === '220 mail\r\n')
    expect(pauses[0]).to.equal(1000)
  })

  it('is joined at once where pods are ready already', async () => {
    waker.allocate('any')
    waker.ready([await echo()])
    waker.allocate(undefined)
    const client = (await waker.client()).send('\0late')
    await client.until((text) => text === '\0late')
  })

  it('waits for a pod that refuses, and takes another one where there is one', async () => {
    waker.allocate('any')
    const closed = await echo()
    closed.server.close()
    await once(closed.server, 'close')
    waker.ready([closed])
    const client = (await waker.client()).send('\0a')
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(client.text).to.equal('')
    waker.ready([closed, await echo()])
    await client.until((text) => text === '\0a')
  })

  it('passes HTTP/1 with a body of 64 KiB and of 1 MiB, at the pace of the slower side', async () => {
    waker.allocate('any')
    const server = createHttp((request: IncomingMessage, response) => {
      let bytes = 0
      request.on('data', (chunk: Buffer) => (bytes += chunk.length))
      request.on('end', () => response.end(`${bytes} bytes`))
    })
    server.listen(0, OWN)
    await once(server, 'listening')
    const pod = { host: OWN, port: (server.address() as AddressInfo).port }
    try {
      for (const size of [64 * 1024, 1024 * 1024]) {
        waker.ready([])
        const answer = fetch(`http://${OWN}:${waker.port}/`, {
          method: 'POST',
          body: 'x'.repeat(size),
          headers: { connection: 'close' },
        })
        await new Promise((resolve) => setTimeout(resolve, 50))
        waker.ready([pod])
        expect(await (await answer).text()).to.equal(`${size} bytes`)
      }
    } finally {
      server.closeAllConnections()
      server.close()
    }
    expect(waker.protocols).to.deep.equal(['http1', 'http1'])
  })

  it('passes HTTP/2 of prior knowledge', async () => {
    waker.allocate('any')
    const server = createH2((_, response) => void response.end('over h2'))
    server.listen(0, OWN)
    await once(server, 'listening')
    const session = connectH2(`http://${OWN}:${waker.port}`)
    try {
      const stream = session.request({ ':path': '/' })
      stream.setEncoding('utf8').end()
      let text = ''
      stream.on('data', (chunk: string) => (text += chunk))
      waker.ready([{ host: OWN, port: (server.address() as AddressInfo).port }])
      await once(stream, 'end')
      expect(text).to.equal('over h2')
    } finally {
      session.destroy()
      server.close()
    }
    expect(waker.protocols).to.deep.equal(['h2'])
  })

  it('passes the upgrade to a websocket and what follows, both ways', async () => {
    waker.allocate('any')
    const server = createHttp()
    server.on('upgrade', (_, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
      socket.pipe(socket)
    })
    server.listen(0, OWN)
    await once(server, 'listening')
    waker.ready([{ host: OWN, port: (server.address() as AddressInfo).port }])
    const client = await waker.client()
    client.send('GET /ws HTTP/1.1\r\nHost: web\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
    await client.until((text) => text.includes('101'))
    client.send('\x81\x02hi')
    await client.until((text) => text.endsWith('\x81\x02hi'))
    server.close()
  })

  it('passes the end of each half, and what the other half still says', async () => {
    waker.allocate('any')
    const pod = await waker.pod((socket) => {
      let heard = ''
      socket.on('data', (chunk: Buffer) => (heard += chunk.toString('latin1')))
      socket.on('end', () => socket.end(`heard ${heard.length}`))
    })
    // It ends its half while it waits.
    const early = (await waker.client()).send('\0one')
    early.socket.end()
    while (waker.knocks.length === 0) await settled()
    waker.ready([pod])
    await early.ended
    expect(early.text).to.equal('heard 4')
    // And after it was joined.
    const late = (await waker.client()).send('\0three')
    await new Promise((resolve) => setTimeout(resolve, 50))
    late.socket.end('more')
    await late.ended
    expect(late.text).to.equal('heard 10')
  })

  for (const [mode, first] of [
    ['any', 'POST / HTTP/1.1\r\nHost: web\r\nContent-Length: 4\r\n\r\n'],
    ['any', '\x16\x03\x01'],
    ['connect', ''],
  ] as const)
    it(`passes the end of a half in the mode ${mode} after ${JSON.stringify(first.slice(0, 4))}, once it is joined`, async () => {
      waker.allocate(mode)
      const pod = await waker.pod((socket) => {
        socket.write('joined ')
        socket.resume().once('end', () => socket.end('and heard to the end'))
      })
      waker.ready([pod])
      const client = (await waker.client()).send(first)
      await client.until((text) => text === 'joined ')
      client.socket.end('body')
      await client.ended
      expect(client.text).to.equal('joined and heard to the end')
    })

  it('is cut where the pod is', async () => {
    waker.allocate('any')
    const pod = await waker.pod((socket) => socket.once('data', () => socket.resetAndDestroy()))
    waker.ready([pod])
    const client = (await waker.client()).send('\0a')
    await client.ended
    while (waker.waker.open > 0) await settled()
  })

  it('holds no more than TCP does of a client that sends much', async () => {
    waker.allocate('any')
    const client = await waker.client()
    const size = 32 * 1024 * 1024
    client.send(Buffer.alloc(size))
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(client.socket.bytesWritten - client.socket.writableLength, 'sent').to.be.lessThan(16 * 1024 * 1024)
    const heard = Promise.withResolvers<number>()
    const pod = await waker.pod((socket) => {
      let bytes = 0
      socket.on('data', (chunk: Buffer) => (bytes += chunk.length))
      socket.on('end', () => heard.resolve(bytes))
    })
    waker.ready([pod])
    client.socket.end()
    expect(await heard.promise).to.equal(size)
  })

  it('holds no place once its client has left', async () => {
    waker.allocate('any')
    const reset = (await waker.client()).send('\0a')
    const left = (await waker.client()).send('GET / HTTP/1.1\r\nHost: web\r\n\r\n')
    const silent = await waker.client()
    while (waker.waker.held < 2) await settled()
    reset.socket.resetAndDestroy()
    left.socket.end()
    silent.socket.end()
    while (waker.waker.open > 0) await settled()
    expect(waker.waker.held).to.equal(0)
    expect(waker.following).to.equal(0)
  })

  it('shares one knock and one watch with the others of its Service', async () => {
    waker.allocate('any')
    const clients = await Promise.all(Array.from({ length: 20 }, () => waker.client()))
    for (const client of clients) client.send('\0a')
    while (waker.waker.held < 20) await settled()
    expect(waker.knocks).to.have.length(1)
    expect(waker.following).to.equal(1)
    waker.ready([await echo()])
    for (const client of clients) await client.until((text) => text === '\0a')
    expect(waker.following).to.equal(0)
  })

  it('is closed where no Service has the port, or two have it', async () => {
    await (
      await waker.client()
    ).ended
    waker.allocate('any')
    waker.allocate('any', { service: 'api' })
    await (
      await waker.client()
    ).ended
    expect(waker.refused).to.deep.equal(['no-port', 'no-port'])
    waker.allocate(undefined, { service: 'api' })
    waker.ready([await echo()])
    await (await waker.client()).send('\0a').until((text) => text === '\0a')
  })

  describe('that is not to wake it', () => {
    const REQUEST = 'GET / HTTP/1.1\r\nHost: web\r\n'

    it('is answered by a 503 where a probe asks, and an empty 200 where a scraper or a balancer does', async () => {
      waker.allocate('any')
      const probe = (await waker.client()).send(`${REQUEST}User-Agent: kube-probe/1.34\r\n\r\n`)
      await probe.ended
      expect(probe.text).to.match(/^HTTP\/1\.1 503 .*\r\n(?:.*\r\n)*Retry-After: \d+\r\n/)
      for (const agent of ['Prometheus/3.0', 'GoogleHC/1.0']) {
        const watcher = (await waker.client()).send(`${REQUEST}User-Agent: ${agent}\r\n\r\n`)
        await watcher.ended
        expect(watcher.text)
          .to.match(/^HTTP\/1\.1 200 OK\r\n/)
          .and.contain('Content-Length: 0')
      }
      expect(waker.knocks).to.have.length(0)
      expect(waker.refused).to.deep.equal(['automatic', 'automatic', 'automatic'])
    })

    it('is told so by Dormouse: a 503 until then, or a closed connection', async () => {
      waker.knock = () => answering('held', { until: new Date(Date.now() + 90_000).toISOString() })
      waker.allocate('any')
      const browser = (await waker.client()).send(`${REQUEST}\r\n`)
      await browser.ended
      expect(browser.text).to.match(/503 [^]*Retry-After: (?:89|90)\r\n/)
      const raw = (await waker.client()).send('\0a')
      await raw.ended
      expect(raw.text).to.equal('')
      expect(waker.refused).to.deep.equal(['held', 'held'])
    })

    it('is joined all the same where a pod is ready', async () => {
      waker.knock = () => answering('off')
      waker.allocate('any')
      waker.ready([await echo()])
      await (await waker.client()).send('\0a').until((text) => text === '\0a')
    })
  })
})

describe('the limits of connections that wait', function () {
  this.timeout(20_000)
  let waker: AWaker
  const REQUEST = 'GET / HTTP/1.1\r\nHost: web\r\n\r\n'

  afterEach(() => waker.stop())

  async function limited(change: Parameters<AWaker['start']>[0]): Promise<void> {
    waker = await new AWaker().start(change)
    waker.allocate('any')
  }

  it('end a hold: a 503 for HTTP, else a closed connection', async () => {
    await limited({ hold: 100 })
    const browser = (await waker.client()).send(REQUEST)
    const raw = (await waker.client()).send('\0a')
    await Promise.all([browser.ended, raw.ended])
    expect(browser.text).to.match(/^HTTP\/1\.1 503 /)
    expect(waker.refused).to.deep.equal(['late', 'late'])
    expect(waker.following).to.equal(0)
  })

  it('are of each Service, and of all', async () => {
    await limited({ held: 3, heldPerService: 2 })
    waker.allocate('any', { at: 1, service: 'api' })
    const held = [await waker.client(), await waker.client()].map((each) => each.send('\0a'))
    while (waker.waker.held < 2) await settled()
    const third = (await waker.client()).send(REQUEST)
    await third.ended
    expect(third.text).to.match(/^HTTP\/1\.1 503 /)
    const other = (await waker.client(1)).send('\0a')
    while (waker.waker.held < 3) await settled()
    const fifth = (await waker.client(1)).send('\0a')
    await fifth.ended
    expect(waker.refused).to.deep.equal(['service-full', 'full'])
    for (const { socket } of [...held, other]) socket.resetAndDestroy()
    while (waker.waker.held > 0) await settled()
    const again = (await waker.client()).send('\0a')
    while (waker.waker.held < 1) await settled()
    again.socket.resetAndDestroy()
  })

  it('are of those who have asked for something: who only connects takes no place', async () => {
    await limited({ held: 2, heldPerService: 2 })
    for (let times = 0; times < 4; times++) await waker.client()
    while (waker.waker.open < 4) await settled()
    const asks = (await waker.client()).send('\0a')
    while (waker.waker.held < 1) await settled()
    waker.ready([await waker.pod((socket) => void socket.pipe(socket))])
    await asks.until((text) => text === '\0a')
    expect(waker.refused).to.deep.equal([])
  })

  it('let one that has ended its half go first: it may have given up, which TCP does not tell', async () => {
    await limited({ held: 3, heldPerService: 2 })
    const [stays, ends] = [await waker.client(), await waker.client()].map((each) => each.send('\0a'))
    ends?.socket.end()
    while (waker.waker.held < 2 || waker.knocks.length === 0) await settled()
    await new Promise((resolve) => setTimeout(resolve, 50))
    const third = (await waker.client()).send('\0a')
    await ends?.ended
    const fourth = (await waker.client()).send(REQUEST)
    await fourth.ended
    expect(fourth.text).to.match(/^HTTP\/1\.1 503 /)
    waker.ready([await waker.pod((socket) => void socket.pipe(socket))])
    await third.until((text) => text === '\0a')
    await stays?.until((text) => text === '\0a')
    expect(waker.refused).to.deep.equal(['service-full'])
  })
})

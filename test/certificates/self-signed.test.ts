import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:tls'
import { expect } from 'chai'
import { describe as detailsOf, fromSecretData, toSecretData } from '../../src/certificates/material.ts'
import { issueCa, issueLeaf } from '../../src/certificates/issue.ts'
import { foreign, OTHER_KEYS } from './foreign.ts'
import { LIFETIMES, NAMES, Replicas, split, verifies } from './replicas.ts'

const DAY = 86_400_000

function withoutKey(data: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).filter(([name]) => name !== 'tls.key'))
}

describe('self-signed certificates', () => {
  let all: Replicas

  beforeEach(() => {
    all = new Replicas()
  })

  afterEach(() => all.stop())

  it('are one and the same for replicas that start together', async () => {
    await all.start(4)
    const [first, ...others] = all.replicas.map(({ current }) => current)
    for (const other of others) expect(other).to.deep.equal(first)
    expect(new Set(all.replicas.map(({ caBundle }) => caBundle))).to.have.property('size', 1)
    expect(all.shared.writes).to.have.length(1)
  })

  it('are taken from the Secret by a replica that comes later', async () => {
    await all.start(1)
    await all.start(1)
    expect(all.replicas[1]?.current).to.deep.equal(all.leader.current)
    expect(all.shared.writes).to.deep.equal(['0'])
  })

  it('serve a real handshake that is verified by the bundle alone', async () => {
    await all.start(1)
    const server = createServer({ ...all.leader.current }, (socket) => socket.end('served'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const ca = all.leader.caBundle ?? ''
    const socket = connect({ port, host: '127.0.0.1', servername: 'dormouse.dormouse.svc', ca })
    const [text] = (await once(socket, 'data')) as [Buffer]
    expect(text.toString()).to.equal('served')
    socket.destroy()
    server.close()
  })

  it('are trusted at every instant of many rotations, by all replicas', async () => {
    await all.start(3)
    const authorities = new Set<string>()
    let moves = 0
    while (authorities.size < 4 && moves++ < 500) {
      await all.moveOn()
      for (const ca of split(all.published)) authorities.add(ca)
    }
    expect(authorities).to.have.property('size', 4)
    expect(all.served.size).to.be.above(8)
    expect(all.failures).to.deep.equal([])
    expect(new Set(all.replicas.map(({ current }) => current.cert))).to.have.property('size', 1)
  })

  it('do not serve by a new CA that was not published', async () => {
    await all.start(2)
    all.publishing = false
    const [ca = ''] = split(all.published)
    while (split(all.leader.caBundle ?? '').length < 2) await all.moveOn()
    for (let moves = 0; moves < 5; moves++) await all.moveOn()
    expect(verifies(all.leader.current.cert, ca, all.time.now)).to.equal(true)
    all.publishing = true
    all.published = all.leader.caBundle ?? ''
    all.leader.published(all.published)
    while (verifies(all.leader.current.cert, ca, all.time.now)) await all.moveOn()
    expect(all.failures).to.deep.equal([])
  })

  it('let the old CA go once its last leaf has run out', async () => {
    await all.start(1)
    const [ca = ''] = split(all.published)
    while (verifies(all.leader.current.cert, ca, all.time.now)) await all.moveOn()
    expect(split(all.published)).to.include(ca)
    while (split(all.published).includes(ca)) await all.moveOn()
    expect(split(all.published)).to.have.length(1)
    expect(all.failures).to.deep.equal([])
  })

  it('are renewed at the part of their life that is set, and not before', async () => {
    const born = all.time.now
    await all.start(1)
    const { cert } = all.leader.current
    while (all.leader.current.cert === cert) await all.moveOn()
    expect((all.time.now - born) / LIFETIMES.leaf).to.be.within(0.6, 0.7)
  })

  const damages: [string, (data: Record<string, string>) => Record<string, string> | undefined][] = [
    ['deleted', () => undefined],
    ['emptied', () => ({})],
    ['half written', withoutKey],
    ['filled with garbage', (data) => ({ ...data, 'ca.crt': 'garbage', 'tls.crt': '-----BEGIN' })],
  ]
  for (const [damage, change] of damages) {
    it(`are made anew when the Secret is ${damage}, and no review fails`, async () => {
      await all.start(2)
      const [old = ''] = split(all.published)
      all.shared.set(change(all.shared.secret?.data ?? {}))
      await all.idle()
      expect(all.shared.secret?.data).to.include.keys('ca.crt', 'ca.key', 'tls.crt', 'tls.key')
      expect(all.logged.filter((line) => line.includes('"level":40'))).not.to.deep.equal([])
      while (split(all.published).includes(old)) await all.moveOn()
      expect(new Set(all.replicas.map(({ current }) => current.cert))).to.have.property('size', 1)
      expect(all.failures).to.deep.equal([])
    })
  }

  it('are repaired where a key is of another certificate', async () => {
    await all.start(1)
    const other = await issueCa(all.time.now, LIFETIMES.ca)
    all.shared.set({ ...all.shared.secret?.data, 'ca.key': other.key })
    await all.idle()
    expect(all.shared.secret?.data['ca.key']).not.to.equal(other.key)
  })

  for (const [kind, algorithm] of OTHER_KEYS) {
    it(`are made anew where the CA's key is ${kind}, which nothing can be renewed by`, async () => {
      all.shared.set(toSecretData(await foreign(algorithm, all.time.now)))
      await all.start(1)
      const { publicKey } = new X509Certificate(all.leader.caBundle ?? '')
      expect(publicKey.asymmetricKeyDetails).to.deep.include({ namedCurve: 'prime256v1' })
      expect(verifies(all.leader.current.cert, all.published, all.time.now)).to.equal(true)
      expect(all.logged.join('')).to.include('ca.key is not an ECDSA P-256 key: made anew')
      while (all.shared.writes.length < 3) await all.moveOn()
    })
  }

  it('are made anew at the start when the Secret has expired', async () => {
    const before = all.time.now - 10 * LIFETIMES.ca
    const ca = await issueCa(before, LIFETIMES.ca)
    const leaf = await issueLeaf(ca, NAMES, before, LIFETIMES.leaf)
    all.shared.set(toSecretData({ ca, leaf }))
    await all.start(2)
    expect(verifies(all.leader.current.cert, all.leader.caBundle ?? '', all.time.now)).to.equal(true)
    expect(all.replicas[1]?.current).to.deep.equal(all.leader.current)
  })

  it('get a new leaf of a CA that still lives when only the leaf has expired', async () => {
    const before = all.time.now - 2 * LIFETIMES.leaf
    const ca = await issueCa(before, LIFETIMES.ca)
    all.shared.set(toSecretData({ ca, leaf: await issueLeaf(ca, NAMES, before, LIFETIMES.leaf) }))
    await all.start(1)
    expect(all.leader.caBundle).to.equal(ca.cert)
    expect(all.leader.expiresAt).to.be.above(all.time.now)
  })

  it('are for the names of both where replicas of two configurations run side by side', async () => {
    await all.start(1)
    await all.start(1, LIFETIMES, ['other.example'])
    const writes = all.shared.writes.length
    for (let moves = 0; moves < 3; moves++) await all.moveOn()
    const { cert } = all.leader.current
    expect(verifies(cert, all.published, all.time.now)).to.equal(true)
    expect(all.shared.writes).to.have.length(writes)
  })

  it('wait for the cluster at the start, and go on without it afterwards', async () => {
    all.shared.failing = true
    const started = all.start(1)
    while (all.time.armed === 0) await new Promise(setImmediate)
    expect(() => all.leader.current).to.throw(TypeError, /start/)
    all.shared.failing = false
    all.time.toNextAlarm()
    await started
    const { current } = all.leader
    all.shared.failing = true
    for (let moves = 0; moves < 12; moves++) await all.moveOn()
    expect(all.leader.current).to.equal(current)
  })

  it('stop while they wait for the cluster', async () => {
    all.shared.failing = true
    const started = all.start(1)
    while (all.time.armed === 0) await new Promise(setImmediate)
    await all.stop()
    all.time.later(() => {}, 0)
    await started
  })

  describe('when the clock of one replica is six days ahead', () => {
    const lifetimes = { leaf: 7 * DAY, ca: 365 * DAY, renewAt: 2 / 3 }

    beforeEach(async () => {
      await all.start(3, lifetimes)
      all.ahead[2] = 6 * DAY
    })

    it('are good at the others meanwhile, and at all when it is right again', async () => {
      for (let moves = 0; moves < 10; moves++) await all.moveOn()
      expect(all.shared.writes).to.include('2')
      expect(all.failures.filter((failure) => !failure.startsWith('replica 2'))).to.deep.equal([])
      all.ahead[2] = 0
      for (let moves = 0; moves < 3; moves++) await all.moveOn()
      all.failures.length = 0
      for (let moves = 0; moves < 10; moves++) await all.moveOn()
      expect(all.failures).to.deep.equal([])
      expect(new Set(all.replicas.map(({ current }) => current.cert))).to.have.property('size', 1)
      expect(all.leader.current.cert).to.equal(all.shared.secret?.data['tls.crt'])
    })

    it('are not fought over at full speed', async () => {
      const [begun, writes] = [all.time.now, all.shared.writes.length]
      for (let moves = 0; moves < 20; moves++) await all.moveOn()
      const minutes = Math.ceil((all.time.now - begun) / 60_000)
      const repairs = all.shared.writes.slice(writes).filter((name) => name !== '2')
      expect(repairs.length).to.be.within(1, 2 * (minutes + 1))
    })
  })

  it('are served once they are valid where a clock was a little ahead', async () => {
    await all.start(1)
    const { ca } = fromSecretData(all.shared.secret?.data ?? {}).material ?? {}
    if (!ca) throw new TypeError('no CA')
    const soon = await issueLeaf(ca, NAMES, all.time.now + 2 * 60_000, LIFETIMES.leaf)
    const { notBefore } = detailsOf(soon.cert)
    expect(notBefore).to.be.above(all.time.now)
    all.shared.set(toSecretData({ ca, leaf: soon }))
    await all.idle()
    while (all.time.now < notBefore) {
      expect(all.leader.current.cert).not.to.equal(soon.cert)
      await all.moveOn()
    }
    expect(all.leader.current.cert).to.equal(soon.cert)
    expect(all.time.now).to.equal(notBefore)
  })

  it('never write a key into the log', async () => {
    await all.start(2)
    all.shared.set({ ...all.shared.secret?.data, 'ca.crt': 'garbage' })
    for (let moves = 0; moves < 100; moves++) await all.moveOn()
    const keys = [...Object.values(all.shared.secret?.data ?? {}), all.leader.current.key]
    const lines = all.logged.join('')
    expect(lines).not.to.include('PRIVATE KEY')
    for (const key of keys) expect(lines).not.to.include(key.split('\n')[1])
  })
})

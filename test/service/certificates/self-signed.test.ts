import { X509Certificate } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { fromSecretData, toSecretData } from '../../../src/service/certificates/secret-data.ts'
import { readCertificate } from '../../../src/service/certificates/x509.ts'
import { issueCa, issueLeaf } from '../../../src/service/certificates/issue.ts'
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

  it('are the same for all replicas that start together', async () => {
    await all.start(4)
    const [first, ...others] = all.sources.map(({ current }) => current)
    for (const other of others) expect(other).to.deep.equal(first)
    expect(new Set(all.sources.map(({ caBundle }) => caBundle))).to.have.property('size', 1)
    expect(all.shared.writes).to.have.length(1)
  })

  it('are taken from the Secret by a replica that comes later', async () => {
    await all.start(1)
    await all.start(1)
    expect(all.sources[1]?.current).to.deep.equal(all.source.current)
    expect(all.shared.writes).to.deep.equal(['0'])
  })

  it('are trusted at every instant of many rotations, whichever replica serves them', async () => {
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
    expect(new Set(all.sources.map(({ current }) => current.cert))).to.have.property('size', 1)
  })

  it('are not signed by a new CA before it is published', async () => {
    await all.start(2)
    all.publishing = false
    const [ca = ''] = split(all.published)
    while (split(all.source.caBundle ?? '').length < 2) await all.moveOn()
    for (let moves = 0; moves < 5; moves++) await all.moveOn()
    expect(verifies(all.source.current.cert, ca, all.time.clock())).to.equal(true)
    all.publishing = true
    all.published = all.source.caBundle ?? ''
    all.leader.published(all.published)
    while (verifies(all.source.current.cert, ca, all.time.clock())) await all.moveOn()
    expect(all.failures).to.deep.equal([])
  })

  it('are signed by a new CA within two minutes, though the clock was ahead when that was published', async () => {
    await all.start(1)
    all.publishing = false
    const [ca = ''] = split(all.published)
    while (split(all.source.caBundle ?? '').length < 2) await all.moveOn()
    all.published = all.source.caBundle ?? ''
    const from = all.time.clock()
    all.ahead[0] = LIFETIMES.leafLifetime / 2
    all.leader.published(all.published)
    all.ahead[0] = 0
    while (verifies(all.source.current.cert, ca, all.time.clock())) await all.moveOn()
    expect(all.time.clock() - from).to.be.at.most(2 * 60_000)
  })

  it('are looked at again, whatever moment of a round the next one is asked for in', async () => {
    const day = 24 * 3_600_000
    await all.start(1, { leafLifetime: 7 * day, caLifetime: 365 * day, renewAt: 2 / 3 })
    for (let turns = 0; turns < 10; turns++) {
      all.time.passToNext()
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      all.time.passToNext()
      await pause(1)
      expect(all.time.armed, `after ${turns} turns`).to.equal(1)
    }
  })

  it('drop the old CA once its last leaf has expired', async () => {
    await all.start(1)
    const [ca = ''] = split(all.published)
    while (verifies(all.source.current.cert, ca, all.time.clock())) await all.moveOn()
    expect(split(all.published)).to.include(ca)
    while (split(all.published).includes(ca)) await all.moveOn()
    expect(split(all.published)).to.have.length(1)
    expect(all.failures).to.deep.equal([])
  })

  it('are renewed at the configured fraction of their lifetime, and not before', async () => {
    const born = all.time.clock()
    await all.start(1)
    const { cert } = all.source.current
    while (all.source.current.cert === cert) await all.moveOn()
    expect((all.time.clock() - born) / LIFETIMES.leafLifetime).to.be.within(0.6, 0.7)
  })

  const damages: [string, (data: Record<string, string>) => Record<string, string> | undefined][] = [
    ['deleted', () => undefined],
    ['emptied', () => ({})],
    ['half written', withoutKey],
    ['given a key of another certificate', (data) => ({ ...data, 'ca.key': data['tls.key'] ?? '' })],
    ['filled with garbage', (data) => ({ ...data, 'ca.crt': 'garbage', 'tls.crt': '-----BEGIN' })],
  ]
  for (const [damage, change] of damages) {
    it(`are issued again when the Secret is ${damage}, and no review fails`, async () => {
      await all.start(2)
      const [old = ''] = split(all.published)
      all.shared.set(change(all.shared.secret?.data ?? {}))
      await all.idle()
      expect(all.shared.secret?.data).to.include.keys('ca.crt', 'ca.key', 'tls.crt', 'tls.key')
      expect(all.logged.filter((line) => line.includes('"level":40'))).not.to.deep.equal([])
      while (split(all.published).includes(old)) await all.moveOn()
      expect(new Set(all.sources.map(({ current }) => current.cert))).to.have.property('size', 1)
      expect(all.failures).to.deep.equal([])
    })
  }

  for (const [kind, algorithm] of OTHER_KEYS) {
    it(`are issued again when the CA's key is ${kind}, with which we cannot renew`, async () => {
      all.shared.set(toSecretData(await foreign(algorithm, all.time.clock())))
      await all.start(1)
      const { publicKey } = new X509Certificate(all.source.caBundle ?? '')
      expect(publicKey.asymmetricKeyDetails).to.deep.include({ namedCurve: 'prime256v1' })
      expect(verifies(all.source.current.cert, all.published, all.time.clock())).to.equal(true)
      expect(all.logged.join('')).to.include('ca.key is not an ECDSA P-256 key: replacing it')
      while (all.shared.writes.length < 3) await all.moveOn()
    })
  }

  it('are issued again at the start when those in the Secret have expired', async () => {
    const before = all.time.clock() - 10 * LIFETIMES.caLifetime
    const ca = await issueCa(before, LIFETIMES.caLifetime)
    const leaf = await issueLeaf(ca, NAMES, before, LIFETIMES.leafLifetime)
    all.shared.set(toSecretData({ ca, leaf }))
    await all.start(2)
    expect(verifies(all.source.current.cert, all.source.caBundle ?? '', all.time.clock())).to.equal(true)
    expect(all.sources[1]?.current).to.deep.equal(all.source.current)
  })

  it('get a new leaf from the same CA when only the leaf has expired', async () => {
    const before = all.time.clock() - 2 * LIFETIMES.leafLifetime
    const ca = await issueCa(before, LIFETIMES.caLifetime)
    all.shared.set(toSecretData({ ca, leaf: await issueLeaf(ca, NAMES, before, LIFETIMES.leafLifetime) }))
    await all.start(1)
    expect(all.source.caBundle).to.equal(ca.cert)
    expect(all.source.expiresAt).to.be.above(all.time.clock())
  })

  it('have the names of both configurations while replicas of two run side by side', async () => {
    await all.start(1)
    await all.start(1, LIFETIMES, ['other.example'])
    const writes = all.shared.writes.length
    for (let moves = 0; moves < 3; moves++) await all.moveOn()
    const { cert } = all.source.current
    expect(verifies(cert, all.published, all.time.clock())).to.equal(true)
    expect(all.shared.writes).to.have.length(writes)
  })

  it('wait for the cluster at the start, and are served without it afterwards', async () => {
    all.shared.failing = true
    const started = all.start(1)
    while (all.time.armed === 0) await new Promise(setImmediate)
    expect(() => all.source.current).to.throw(TypeError, /start/)
    all.shared.failing = false
    all.time.passToNext()
    await started
    const { current } = all.source
    all.shared.failing = true
    for (let moves = 0; moves < 12; moves++) await all.moveOn()
    expect(all.source.current).to.equal(current)
  })

  it('can be stopped while they wait for the cluster', async () => {
    all.shared.failing = true
    const started = all.start(1)
    while (all.time.armed === 0) await new Promise(setImmediate)
    await all.stop()
    all.time.later(() => {}, 0)
    await started
  })

  describe('when the clock of one replica is six days ahead', () => {
    const lifetimes = { leafLifetime: 7 * DAY, caLifetime: 365 * DAY, renewAt: 2 / 3 }

    beforeEach(async () => {
      await all.start(3, lifetimes)
      all.ahead[2] = 6 * DAY
    })

    it('are valid at the others meanwhile, and at all replicas once that clock is right again', async () => {
      for (let moves = 0; moves < 10; moves++) await all.moveOn()
      expect(all.shared.writes).to.include('2')
      expect(all.failures.filter((failure) => !failure.startsWith('replica 2'))).to.deep.equal([])
      all.ahead[2] = 0
      for (let moves = 0; moves < 3; moves++) await all.moveOn()
      all.failures.length = 0
      for (let moves = 0; moves < 10; moves++) await all.moveOn()
      expect(all.failures).to.deep.equal([])
      expect(new Set(all.sources.map(({ current }) => current.cert))).to.have.property('size', 1)
      expect(all.source.current.cert).to.equal(all.shared.secret?.data['tls.crt'])
    })

    it('are replaced about once a minute, not in a loop', async () => {
      const [begun, writes] = [all.time.clock(), all.shared.writes.length]
      for (let moves = 0; moves < 20; moves++) await all.moveOn()
      const minutes = Math.ceil((all.time.clock() - begun) / 60_000)
      const repairs = all.shared.writes.slice(writes).filter((name) => name !== '2')
      expect(repairs.length).to.be.within(1, 2 * (minutes + 1))
    })
  })

  it('are served once they are valid when a clock was a little ahead', async () => {
    await all.start(1)
    const { ca } = fromSecretData(all.shared.secret?.data ?? {}).set ?? {}
    if (!ca) throw new TypeError('no CA')
    const soon = await issueLeaf(ca, NAMES, all.time.clock() + 2 * 60_000, LIFETIMES.leafLifetime)
    const { notBefore } = readCertificate(soon.cert)
    expect(notBefore).to.be.above(all.time.clock())
    all.shared.set(toSecretData({ ca, leaf: soon }))
    await all.idle()
    while (all.time.clock() < notBefore) {
      expect(all.source.current.cert).not.to.equal(soon.cert)
      await all.moveOn()
    }
    expect(all.source.current.cert).to.equal(soon.cert)
    expect(all.time.clock()).to.equal(notBefore)
  })

  it('are logged without any private key', async () => {
    await all.start(2)
    all.shared.set({ ...all.shared.secret?.data, 'ca.crt': 'garbage' })
    for (let moves = 0; moves < 100; moves++) await all.moveOn()
    const keys = [...Object.values(all.shared.secret?.data ?? {}), all.source.current.key]
    const lines = all.logged.join('')
    expect(lines).not.to.include('PRIVATE KEY')
    for (const key of keys) expect(lines).not.to.include(key.split('\n')[1])
  })
})

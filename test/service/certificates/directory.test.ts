import { once } from 'node:events'
import { mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { pino } from 'pino'
import { DirectoryCertificates } from '../../../src/service/certificates/directory.ts'
import { issueCa, issueLeaf, type KeyPair } from '../../../src/service/certificates/issue.ts'
import { split, verifies } from './replicas.ts'
import { FakeTime } from '../../support/fake-time.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

interface Issued {
  readonly ca: KeyPair
  readonly leaf: KeyPair
}

async function issued(lifetime = HOUR): Promise<Issued> {
  const ca = await issueCa(Date.now(), lifetime)
  return { ca, leaf: await issueLeaf(ca, ['localhost'], Date.now(), lifetime) }
}

describe('certificates from a directory', () => {
  const at = temporaryFolder()
  let log: PassThrough
  let certificates: DirectoryCertificates

  beforeEach(async () => {
    log = new PassThrough({ encoding: 'utf8' })
    certificates = new DirectoryCertificates({ directory: at(), clock: Date.now, logger: pino({}, log) })
  })

  afterEach(async () => {
    await certificates.stop()
  })

  const write = (name: string, text: string) => writeFile(at(name), text)
  const put = async ({ cert, key }: KeyPair) => {
    await write('tls.crt', cert)
    await write('tls.key', key)
  }
  const next = () => new Promise<KeyPair>((resolve) => void certificates.source.onChange(resolve))
  const logged = async (text: string) => {
    for (let lines = ''; !lines.includes(text);) lines += String((await once(log, 'data'))[0])
  }

  it('are read at the start, with the CA if there is one', async () => {
    const { ca, leaf } = await issued()
    await put(leaf)
    await write('ca.crt', ca.cert)
    await certificates.start()
    expect(certificates.source.current).to.deep.equal(leaf)
    expect(certificates.source.caBundle).to.equal(ca.cert)
    expect(certificates.source.expiresAt).to.be.closeTo(Date.now() + HOUR, 60_000)
  })

  it('are read again when the files are written', async () => {
    await put((await issued()).leaf)
    await certificates.start()
    const { leaf } = await issued()
    const change = next()
    await put(leaf)
    expect(await change).to.deep.equal(leaf)
    expect(certificates.source.current).to.deep.equal(leaf)
  })

  it('are read again when they change while they are read', async () => {
    await put((await issued()).leaf)
    await certificates.start()
    // Some 50 ms after the first file was written, both are read.
    for (let pause = 46; pause < 56; pause++) {
      const { leaf } = await issued()
      const change = next()
      await write('tls.crt', leaf.cert)
      await sleep(pause)
      await write('tls.key', leaf.key)
      expect(await change).to.deep.equal(leaf)
    }
  })

  it('are read again when Kubernetes swaps the whole directory by a symbolic link', async () => {
    const version = async (name: string, { cert, key }: KeyPair) => {
      await mkdir(at(name))
      await write(`${name}/tls.crt`, cert)
      await write(`${name}/tls.key`, key)
    }
    await version('..1', (await issued()).leaf)
    await symlink('..1', at('..data'))
    for (const file of ['tls.crt', 'tls.key']) await symlink(`..data/${file}`, at(file))
    await certificates.start()
    const { leaf } = await issued()
    const change = next()
    await version('..2', leaf)
    await symlink('..2', at('..data_tmp'))
    await rename(at('..data_tmp'), at('..data'))
    expect(await change).to.deep.equal(leaf)
  })

  it('stay the same while the new files are half written, with a warning', async () => {
    const before = (await issued()).leaf
    await put(before)
    await certificates.start()
    const { leaf } = await issued()
    await write('tls.crt', leaf.cert)
    await logged('do not belong together')
    expect(certificates.source.current).to.deep.equal(before)
    const change = next()
    await write('tls.key', leaf.key)
    expect(await change).to.deep.equal(leaf)
  })

  it('stay the same when the files are deleted', async () => {
    const { leaf } = await issued()
    await put(leaf)
    await certificates.start()
    for (const file of await readdir(at())) await rm(at(file))
    await logged('tls.crt is missing')
    expect(certificates.source.current).to.deep.equal(leaf)
  })

  it('are required to start: a certificate and its own key', async () => {
    const fault = () => certificates.start().then(() => '', String)
    expect(await fault()).to.match(/tls\.crt is missing/)
    const { leaf } = await issued()
    await put({ cert: leaf.cert, key: (await issued()).leaf.key })
    expect(await fault()).to.match(/do not belong together/)
  })

  describe('of a new CA', () => {
    let time: FakeTime
    let swaps: number[]
    let bundles: { at: number; caBundle: string | undefined; serving: KeyPair }[]

    beforeEach(() => {
      time = new FakeTime(Date.now())
      const { clock, later } = time
      certificates = new DirectoryCertificates({
        directory: at(),
        clock,
        later,
        logger: pino({}, log.resume()),
      })
      swaps = []
      bundles = []
    })

    const putAll = async ({ ca, leaf }: Issued) => {
      await put(leaf)
      await write('ca.crt', ca.cert)
    }
    const begin = async (first: Issued) => {
      await putAll(first)
      await certificates.start()
      certificates.source.onChange(() => swaps.push(time.clock()))
      certificates.source.onCaBundle((caBundle) => {
        bundles.push({ at: time.clock(), caBundle, serving: certificates.source.current })
      })
    }
    /** Moves time on, and checks that the bundle trusts the certificate at every instant. */
    const pass = async (milliseconds: number) => {
      for (const end = time.clock() + milliseconds; time.clock() < end;) {
        time.passToNext()
        while (time.armed === 0) await new Promise(setImmediate)
        expect(
          verifies(certificates.source.current.cert, certificates.source.caBundle ?? '', time.clock()),
        ).to.equal(true)
      }
    }

    it('are served two minutes after the bundle has that CA beside the former one', async () => {
      const [a, b] = [await issued(), await issued(3 * HOUR)]
      await begin(a)
      await putAll(b)
      await pass(5 * MINUTE)
      expect(bundles).to.have.length(1)
      expect(split(bundles[0]?.caBundle ?? '').join('\n')).to.equal((b.ca.cert + a.ca.cert).trim())
      expect(bundles[0]?.serving).to.deep.equal(a.leaf)
      expect(certificates.source.current).to.deep.equal(b.leaf)
      expect(swaps).to.have.length(1)
      expect(Number(swaps[0]) - Number(bundles[0]?.at)).to.be.within(2 * MINUTE, 2 * MINUTE + 1000)
    })

    it('keep the former CA in the bundle until its certificate has expired', async () => {
      const [a, b] = [await issued(), await issued(3 * HOUR)]
      await begin(a)
      const expiry = certificates.source.expiresAt
      await putAll(b)
      await pass(2 * HOUR)
      expect(bundles.map(({ caBundle }) => split(caBundle ?? '').length)).to.deep.equal([2, 1])
      expect(certificates.source.caBundle).to.equal(b.ca.cert)
      expect(bundles[1]?.at).to.equal(expiry)
    })

    it('are served at once when the former certificate expires within two minutes', async () => {
      // Longer than it takes until the files are read once more, which time passes on to.
      const [a, b] = [await issued(1.5 * MINUTE), await issued()]
      await begin(a)
      await putAll(b)
      await pass(1000)
      expect(certificates.source.current).to.deep.equal(b.leaf)
      expect(split(certificates.source.caBundle ?? '')).to.have.length(2)
    })

    it('are served at once when they are of the same CA', async () => {
      const { ca, leaf } = await issued()
      await begin({ ca, leaf })
      const renewed = await issueLeaf(ca, ['localhost'], time.clock(), HOUR)
      await put(renewed)
      await pass(1000)
      expect(certificates.source.current).to.deep.equal(renewed)
      expect(bundles).to.deep.equal([])
    })

    it('are served at once, without any bundle, when there is no ca.crt', async () => {
      await put((await issued()).leaf)
      await certificates.start()
      expect(certificates.source.caBundle).to.equal(undefined)
      const { leaf } = await issued()
      await put(leaf)
      time.passToNext()
      while (time.armed === 0) await new Promise(setImmediate)
      expect(certificates.source.current).to.deep.equal(leaf)
      expect(certificates.source.caBundle).to.equal(undefined)
    })

    it('wait again when yet another CA replaces it meanwhile', async () => {
      const [a, b, c] = [await issued(), await issued(), await issued()]
      await begin(a)
      await putAll(b)
      await pass(MINUTE)
      await putAll(c)
      await pass(MINUTE)
      expect(certificates.source.current).to.deep.equal(a.leaf)
      await pass(2 * MINUTE)
      expect(certificates.source.current).to.deep.equal(c.leaf)
      expect(swaps).to.have.length(1)
    })

    it('are not served after the end', async () => {
      await begin(await issued())
      await putAll(await issued())
      await pass(1000)
      await certificates.stop()
      expect(time.armed).to.equal(0)
      expect(swaps).to.deep.equal([])
    })
  })
})

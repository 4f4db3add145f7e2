import { once } from 'node:events'
import { mkdtemp, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { pino } from 'pino'
import { DirectoryCertificates } from '../../../src/webhook/certificates/directory.ts'
import { issueCa, issueLeaf, type Pair } from '../../../src/webhook/certificates/issue.ts'
import type { ServingCertificate } from '../../../src/webhook/certificates.ts'

const HOUR = 3_600_000

async function issued(): Promise<{ ca: Pair; leaf: Pair }> {
  const ca = await issueCa(Date.now(), HOUR)
  return { ca, leaf: await issueLeaf(ca, ['localhost'], Date.now(), HOUR) }
}

describe('certificates from a directory', () => {
  let directory: string
  let log: PassThrough
  let certificates: DirectoryCertificates

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'dormouse-certificates-'))
    log = new PassThrough({ encoding: 'utf8' })
    certificates = new DirectoryCertificates({ directory, clock: Date.now, log: pino({}, log) })
  })

  afterEach(async () => {
    await certificates.stop()
    await rm(directory, { recursive: true, force: true })
  })

  const write = (name: string, text: string) => writeFile(join(directory, name), text)
  const put = async ({ cert, key }: Pair) => {
    await write('tls.crt', cert)
    await write('tls.key', key)
  }
  const next = () => new Promise<ServingCertificate>((resolve) => void certificates.onChange(resolve))
  const logged = async (text: string) => {
    for (let lines = ''; !lines.includes(text);) lines += String((await once(log, 'data'))[0])
  }

  it('are read at the start, with the CA where there is one', async () => {
    const { ca, leaf } = await issued()
    await put(leaf)
    await write('ca.crt', ca.cert)
    await certificates.start()
    expect(certificates.current).to.deep.equal(leaf)
    expect(certificates.caBundle).to.equal(ca.cert)
    expect(certificates.expiresAt).to.be.closeTo(Date.now() + HOUR, 60_000)
  })

  it('have no bundle without ca.crt', async () => {
    await put((await issued()).leaf)
    await certificates.start()
    expect(certificates.caBundle).to.equal(undefined)
  })

  it('are read again when the files are written', async () => {
    await put((await issued()).leaf)
    await certificates.start()
    const { leaf } = await issued()
    const change = next()
    await put(leaf)
    expect(await change).to.deep.equal(leaf)
    expect(certificates.current).to.deep.equal(leaf)
  })

  it('are read again when Kubernetes swaps the whole directory by its link', async () => {
    const version = async (name: string, { cert, key }: Pair) => {
      await mkdir(join(directory, name))
      await write(`${name}/tls.crt`, cert)
      await write(`${name}/tls.key`, key)
    }
    await version('..1', (await issued()).leaf)
    await symlink('..1', join(directory, '..data'))
    for (const file of ['tls.crt', 'tls.key']) await symlink(`..data/${file}`, join(directory, file))
    await certificates.start()
    const { leaf } = await issued()
    const change = next()
    await version('..2', leaf)
    await symlink('..2', join(directory, '..data_tmp'))
    await rename(join(directory, '..data_tmp'), join(directory, '..data'))
    expect(await change).to.deep.equal(leaf)
  })

  it('stay what they were while the new ones are half written, with a warning', async () => {
    const before = (await issued()).leaf
    await put(before)
    await certificates.start()
    const { leaf } = await issued()
    await write('tls.crt', leaf.cert)
    await logged('do not belong together')
    expect(certificates.current).to.deep.equal(before)
    const change = next()
    await write('tls.key', leaf.key)
    expect(await change).to.deep.equal(leaf)
  })

  it('stay what they were when the files are gone', async () => {
    const { leaf } = await issued()
    await put(leaf)
    await certificates.start()
    for (const file of await readdir(directory)) await rm(join(directory, file))
    await logged('tls.crt is missing')
    expect(certificates.current).to.deep.equal(leaf)
  })

  it('let nothing start without a certificate and its own key', async () => {
    const fault = () => certificates.start().then(() => '', String)
    expect(await fault()).to.match(/tls\.crt is missing/)
    const { leaf } = await issued()
    await put({ cert: leaf.cert, key: (await issued()).leaf.key })
    expect(await fault()).to.match(/do not belong together/)
  })
})

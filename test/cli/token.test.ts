import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { decodeJwt, decodeProtectedHeader, importSPKI, jwtVerify } from 'jose'
import { registerKeyPair } from '../../src/cli/key-pair.ts'
import { MAX_TTL, newKeyPair, signToken } from '../../src/service/auth/local-token.ts'
import { registerToken } from '../../src/cli/token.ts'
import { call } from './terminal.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const NOW = Date.parse('2026-03-02T12:00:00Z')

describe('dormouse key-pair and dormouse token', () => {
  const at = temporaryFolder()
  let key: string
  const keyPair = (...args: string[]) => call(registerKeyPair, ['key-pair', ...args])
  const token = (...args: string[]) => call(registerToken, ['token', ...args], NOW)
  const some = (...args: string[]) =>
    token('--key', key, '--subject', 'me', '--namespaces', 'shop,blog', ...args)

  beforeEach(async () => {
    key = at('private.pem')
  })

  for (const algorithm of ['EdDSA', 'ES256']) {
    it(`issues a token that the public key verifies: ${algorithm}`, async () => {
      expect((await keyPair(at(), '--algorithm', algorithm)).code).to.equal(0)
      const { code, out } = await some('--scope', 'dormouse:read,dormouse:write', '--ttl', '8h')
      expect(code).to.equal(0)
      const publicKey = await importSPKI(await readFile(at('public.pem'), 'utf8'), algorithm)
      const { payload } = await jwtVerify(out.trim(), publicKey, {
        currentDate: new Date(NOW),
        algorithms: [algorithm],
      })
      expect(payload).to.deep.equal({
        iss: 'dormouse',
        aud: 'dormouse',
        sub: 'me',
        scope: 'dormouse:read dormouse:write',
        'dormouse.dev/namespaces': ['shop', 'blog'],
        iat: NOW / 1000,
        exp: NOW / 1000 + 8 * 3600,
      })
    })
  }

  it('issues by default a token to read, for one hour; takes issuer and audience from options', async () => {
    await keyPair(at())
    const { out } = await some('--issuer', 'here', '--audience', 'there')
    expect(decodeProtectedHeader(out.trim()).alg).to.equal('EdDSA')
    expect(decodeJwt(out.trim())).to.include({
      iss: 'here',
      aud: 'there',
      scope: 'dormouse:read',
      exp: NOW / 1000 + 3600,
    })
  })

  it('lets only the owner read the private key, and does not print it', async () => {
    const inside = at('keys')
    const { out, err } = await keyPair(inside)
    expect(out + err).not.to.contain('PRIVATE')
    expect((await stat(join(inside, 'private.pem'))).mode & 0o777).to.equal(0o600)
    expect((await stat(inside)).mode & 0o777).to.equal(0o700)
  })

  it('overwrites no key, and leaves no half-written pair', async () => {
    await writeFile(key, 'precious')
    const { code, err } = await keyPair(at())
    expect(code).to.equal(2)
    expect(err).to.contain('is there already')
    expect(await readFile(key, 'utf8')).to.equal('precious')
    expect(await readdir(at())).to.deep.equal(['private.pem'])
  })

  for (const [rule, option, value, told = option] of [
    ['a token for more than 24 hours', '--ttl', '24h1s', 'from 1s to 1d.'],
    ['a token for no time', '--ttl', '0s'],
    ['a time without a unit', '--ttl', '8', 'from 1s to 1d: did you mean 8m or 8h?'],
    ['an unknown scope', '--scope', 'dormouse:admin'],
    ['a namespace that cannot be', '--namespaces', 'Shop'],
    ['an empty list', '--namespaces', ''],
    ['an empty subject', '--subject', ''],
    ['a subject of several lines', '--subject', 'me\nyou'],
  ] as const)
    it(`refuses ${rule}`, async () => {
      await keyPair(at())
      const { code, out, err } = await some(option, value)
      expect([code, out]).to.deep.equal([2, ''])
      expect(err).to.contain(told).and.contain(option)
    })

  it('says that a key cannot be read, or is not a private key', async () => {
    const told = `error: --key ${key}: there is no such file\n`
    expect(await some()).to.deep.equal({ code: 2, out: '', err: told })
    await keyPair(at('keys'))
    key = at('keys', 'public.pem')
    expect((await some()).err).to.contain('not a private key in PEM')
  })

  it('never signs for longer than 24 hours, even when called without the option', async () => {
    const { privateKey } = newKeyPair('EdDSA')
    const claims = { issuer: 'i', audience: 'a', subject: 's', scopes: [], namespaces: [] }
    const failure = await signToken({ ...claims, privateKey, ttl: MAX_TTL + 1 }, NOW).catch(
      (error: unknown) => error,
    )
    expect(failure).to.be.instanceOf(TypeError)
  })
})

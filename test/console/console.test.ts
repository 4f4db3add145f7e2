import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { ConsoleRequest } from '../../src/service/api/ports.ts'
import { Console, newSecret, signInUrl, pageFiles } from '../../src/console/console.ts'
import { pageSources } from '../../src/console/sources.ts'
import { Service } from '../service/api/service.ts'
import { rawHttp } from './raw.ts'

describe("the console's files", () => {
  it('take less than 60 KB on the way to a browser, all of them', async () => {
    const files = [...(await pageFiles()).values()]
    const bytes = files.reduce((sum, { gzip }) => sum + gzip.length, 0)
    expect(bytes)
      .to.be.above(20_000)
      .and.at.most(60 * 1024)
  })

  it('import one another by paths alone, each of which there is', async () => {
    const files = await pageSources()
    const paths = [...files].flatMap(([file, text]) =>
      [...text.matchAll(/\bfrom\s*["']([^"']+)["']/g)].map(([, path = '']) => ({ file, path })),
    )
    expect(paths).to.have.length.above(40)
    const unknown = paths.filter(({ path }) => !path.startsWith('./') || !files.has(path.slice(2)))
    expect(unknown).to.deep.equal([])
  })

  it('have types that browsers take', async () => {
    const types = new Set([...(await pageFiles()).values()].map(({ type }) => type))
    expect([...types]).to.have.members([
      'text/html; charset=utf-8',
      'text/css; charset=utf-8',
      'text/javascript; charset=utf-8',
      'image/svg+xml',
    ])
  })
})

describe('the console', () => {
  const pages = new Console()
  const request = (
    path: string,
    given: Partial<ConsoleRequest> & { headers?: Record<string, string> } = {},
  ) => {
    const headers: Record<string, string> = { Host: '127.0.0.1:8181', ...given.headers }
    return {
      method: 'GET',
      path,
      header: (name: string) => headers[name] ?? '',
      localAddress: '127.0.0.1',
      localPort: 8181,
      ...given,
    }
  }
  it('sends small files to who takes them so, under a tag of their own', async () => {
    const plain = await pages.answer(request('/console/style.css'))
    const small = await pages.answer(
      request('/console/style.css', { headers: { 'Accept-Encoding': 'gzip, br' } }),
    )
    expect([plain?.headers['Content-Encoding'], small?.headers['Content-Encoding']]).to.deep.equal([
      undefined,
      'gzip',
    ])
    expect(gunzipSync(small?.body as Buffer).equals(plain?.body as Buffer)).to.equal(true)
    expect(small?.headers['ETag']).to.not.equal(plain?.headers['ETag'])
  })

  const statusOf = async (...args: Parameters<typeof request>) =>
    (await pages.answer(request(...args)))?.status

  it('is at /console, and has no other paths', async () => {
    expect(await statusOf('/console')).to.equal(200)
    expect(await statusOf('/console/')).to.equal(200)
    expect(await statusOf('/console/main.js')).to.equal(200)
    for (const path of [
      '/console/main.ts',
      '/console/../package.json',
      '/console/tsconfig.json',
      '/console/index.html/x',
      '/console/%2e%2e/x',
    ])
      expect(await statusOf(path), path).to.equal(404)
    for (const path of ['/consoles', '/api/v1']) expect(await statusOf(path), path).to.equal(undefined)
  })

  it('is where a browser is led that asks for the server alone', async () => {
    const answer = await pages.answer(request('/'))
    expect([answer?.status, answer?.headers['Location']]).to.deep.equal([302, '/console'])
    expect(await statusOf('/', { method: 'HEAD' })).to.equal(302)
    expect(await statusOf('/', { method: 'POST' })).to.equal(undefined)
  })

  it('only reads: other methods are refused', async () => {
    const answer = await pages.answer(request('/console', { method: 'POST' }))
    expect([answer?.status, answer?.headers['Allow']]).to.deep.equal([405, 'GET, HEAD'])
  })

  it('allows its own sources alone, no inline script, no frames, and no text that becomes markup', async () => {
    const policy = (await pages.answer(request('/console')))?.headers['Content-Security-Policy'] ?? ''
    expect(policy.split('; ')).to.include.members([
      "default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'",
      "require-trusted-types-for 'script'", "trusted-types 'none'",
    ]) // prettier-ignore
    expect(policy).not.to.match(/unsafe|\*|data:|https?:/)
    const html = (await pageSources()).get('index.html') ?? ''
    expect(html).not.to.match(/<script(?![^>]*\bsrc=)|\bon\w+=|\bstyle=/)
  })

  it('is not sent again while it is the same', async () => {
    const first = await pages.answer(request('/console/main.js'))
    const again = await pages.answer(
      request('/console/main.js', { headers: { 'If-None-Match': first?.headers['ETag'] ?? '' } }),
    )
    expect([again?.status, again?.body]).to.deep.equal([304, undefined])
  })

  it("tells the page where a proxy's sign-out is, whatever is in that address", async () => {
    const url = '/signed-in?a=b&logout="><script>'
    const page = await new Console(undefined, url).answer(request('/console'))
    expect(String(page?.body)).to.include(
      '<meta name="sign-out" content="/signed-in?a=b&#38;logout=&#34;&#62;&#60;script&#62;" />',
    )
    expect(String((await pages.answer(request('/console')))?.body)).not.to.include('sign-out')
  })

  it('tells the page how people get in where a link signs in, and whether a pasted token is of any use', async () => {
    const signIn = { secret: 'x', token: () => 'a.b.c', otherwise: 'start it again' }
    const bodyOf = async (served: Console) => String((await served.answer(request('/console')))?.body)
    const byLink = await bodyOf(new Console({ ...signIn, takesTokens: false }))
    expect(byLink).to.include('<meta name="sign-in" content="start it again" />')
    expect(byLink).to.include('<meta name="tokens" content="none" />')
    expect(await bodyOf(new Console(signIn))).not.to.include('name="tokens"')
    expect(await bodyOf(pages)).not.to.match(/<meta name="(?:sign-in|tokens)"/)
  })

  it('has no sign-in by a link unless it is on loopback', async () => {
    expect(await statusOf('/console/sign-in', { method: 'POST' })).to.equal(404)
  })
})

describe('the sign-in by a link', () => {
  const secret = newSecret()
  let pages: Console
  const signIn = async (headers: Record<string, string>, method = 'POST') => {
    const all: Record<string, string> = { Host: '127.0.0.1:8181', 'X-Dormouse-Secret': secret, ...headers }
    return await pages.answer({
      method, path: '/console/sign-in', header: (name) => all[name] ?? '', localAddress: '::ffff:127.0.0.1', localPort: 8181,
    }) // prettier-ignore
  }

  beforeEach(() => {
    pages = new Console({ secret, token: () => 'a.b.c' })
  })

  it('gives the token for the secret, once', async () => {
    const first = await signIn({})
    expect([first?.status, first?.body]).to.deep.equal([200, '{"token":"a.b.c"}'])
    expect(first?.headers['Cache-Control']).to.equal('no-store')
    const second = await signIn({})
    expect(second?.status).to.equal(403)
    expect(String(second?.body)).to.include('this link has been used')
  })

  it('is by a secret that nobody guesses, behind # so that no server sees it', () => {
    expect(Buffer.from(secret, 'base64url')).to.have.length(32)
    expect(new URL(signInUrl('http://127.0.0.1:8181', secret)).hash).to.equal(`#secret=${secret}`)
  })

  for (const wrong of ['', 'x', secret.slice(1), `${secret}x`])
    it(`refuses another secret, of ${wrong.length} characters, and stays open for the right one`, async () => {
      expect((await signIn({ 'X-Dormouse-Secret': wrong }))?.status).to.equal(403)
      expect((await signIn({}))?.status).to.equal(200)
    })

  for (const origin of ['http://evil.example', 'https://127.0.0.1:8181', 'http://127.0.0.1:8182', 'null'])
    it(`refuses pages of ${origin}`, async () => {
      expect((await signIn({ Origin: origin }))?.status).to.equal(403)
    })

  it('takes pages of its own', async () => {
    expect((await signIn({ Origin: 'http://127.0.0.1:8181' }))?.status).to.equal(200)
  })

  for (const host of [
    'evil.example:8181',
    '127.0.0.1',
    '127.0.0.1:8182',
    'localhost.evil.example:8181',
    '127.0.0.1.nip.io:8181',
    '',
  ])
    it(`is not at the address ${JSON.stringify(host)}, nor is the page`, async () => {
      expect((await signIn({ Host: host }))?.status).to.equal(421)
      const page = await pages.answer({
        method: 'GET',
        path: '/console',
        header: () => host,
        localAddress: '127.0.0.1',
        localPort: 8181,
      })
      expect(page?.status).to.equal(421)
    })

  it('is at localhost, too', async () => {
    expect((await signIn({ Host: 'localhost:8181', Origin: 'http://localhost:8181' }))?.status).to.equal(200)
  })

  it('is by POST', async () => {
    expect((await signIn({}, 'GET'))?.status).to.equal(405)
  })
})

describe('the console beside the API', () => {
  it('needs no token, and is not there where the configuration switches it off', async () => {
    const on = await Service.start({}, { console: new Console() })
    const page = await rawHttp(on.server.url, '/console')
    expect(page).to.match(/^HTTP\/1\.1 200 /)
    expect(page).to.include("Content-Security-Policy: default-src 'none'; script-src 'self'")
    expect(page.match(/Content-Security-Policy/gi)).to.have.length(1)
    expect(await rawHttp(on.server.url, '/api/v1/workloads')).to.match(/^HTTP\/1\.1 401 /)
    await on.stop()
    const off = await Service.start()
    expect(await rawHttp(off.server.url, '/console')).to.match(/^HTTP\/1\.1 401 /)
    await off.stop()
  })

  it('refuses a forged Host over the wire', async () => {
    const service = await Service.start({}, { console: new Console({ secret: 'x', token: () => 'a.b.c' }) })
    expect(await rawHttp(service.server.url, '/console')).to.match(/^HTTP\/1\.1 200 /)
    expect(await rawHttp(service.server.url, '/console', 'rebound.example')).to.match(/^HTTP\/1\.1 421 /)
    await service.stop()
  })
})

import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { PROJECT } from '../support/dormouse.ts'
import { runProgram } from '../support/kubectl.ts'

const ADVISORY = {
  id: 1,
  url: 'https://github.com/advisories/GHSA-0000',
  title: 'Koa forgets its manners',
  severity: 'high',
  vulnerable_versions: '<1000.0.0',
  cwe: [],
  cvss: { score: 0, vectorString: null },
}

describe('npm run audit', function () {
  this.timeout(180_000)
  let registry: Server
  let advisories: object | undefined
  let asked: string[]
  let cache: string

  before('a registry that has advisories, and nothing else', async () => {
    cache = await mkdtemp(join(tmpdir(), 'dormouse-npm-'))
    registry = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`)
      const isAudit = request.url === '/-/npm/v1/security/advisories/bulk'
      if (isAudit && advisories) response.end(JSON.stringify(advisories))
      else response.writeHead(isAudit ? 405 : 404).end('{}')
    }).listen(0, '127.0.0.1')
    await once(registry, 'listening')
  })

  beforeEach(() => {
    asked = []
  })

  after(async () => {
    await once(registry.close(), 'close')
    await rm(cache, { recursive: true, force: true })
  })

  const audit = (of: object | undefined, host?: string) => {
    advisories = of
    const { port } = registry.address() as AddressInfo
    const own = { npm_config_registry: host ?? `http://127.0.0.1:${port}/`, npm_config_cache: cache }
    // Not the person's registry, proxy or user agent.
    const env = { PATH: process.env['PATH'], HOME: cache, ...own, npm_config_fetch_retries: '0' }
    return runProgram(process.execPath, ['dependencies/audit.ts'], { cwd: PROJECT, env })
  }

  it('ends with 0 where the registry knows of nothing', async () => {
    const { code, stdout, stderr } = await audit({})
    expect(stderr).to.equal('')
    expect(code).to.equal(0)
    expect(stdout).to.equal('no known vulnerability in a package of production\n')
    expect(asked).to.deep.equal(['POST /-/npm/v1/security/advisories/bulk'])
  })

  it('names each vulnerability of a package of production, and ends with 1', async () => {
    const { code, stderr } = await audit({ koa: [ADVISORY], mocha: [ADVISORY] })
    expect(code).to.equal(1)
    expect(stderr).to.include(`high: koa <1000.0.0: ${ADVISORY.title} (${ADVISORY.url})\n`)
    expect(stderr).to.not.include('mocha')
  })

  it('tells a low one, and ends with 0', async () => {
    const { code, stdout } = await audit({ koa: [{ ...ADVISORY, id: 2, severity: 'low' }] })
    expect(stdout).to.include(`low: koa <1000.0.0: ${ADVISORY.title}`)
    expect(code).to.equal(0)
  })

  it('says that nothing was checked, and ends with 2, where the registry has no advisories or is away', async () => {
    const refused = await audit(undefined)
    expect(refused.code).to.equal(2)
    expect(refused.stderr).to.match(
      /^nothing was checked, the registry's advisories cannot be had: 405 Method Not Allowed - POST http/,
    )
    const away = await audit({}, 'http://127.0.0.1:9/')
    expect(away.code).to.equal(2)
    expect(away.stderr).to.match(/^nothing was checked, .*ECONNREFUSED/)
  })
})

import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { KNOCK_PATH } from '../../src/domain/traffic/knock.ts'
import { KnockClient } from '../../src/waker/knock-client.ts'
import { selfSigned, type Certificate } from '../support/certificate.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { answering } from './a-waker.ts'

const KNOCK = { namespace: 'shop', service: 'web', port: 'http', workloads: ['deployments/web'], wake: true }

describe('the client of knocks', () => {
  const at = temporaryFolder()
  const { signal } = new AbortController()
  const servers: ReturnType<typeof createServer>[] = []
  let certificate: Certificate
  let answer: RequestListener
  let tokens: (string | undefined)[]

  before(async () => (certificate = await selfSigned()))
  beforeEach(async () => {
    tokens = []
    answer = (_, response) => void response.end(JSON.stringify(answering('waking')))
    await writeFile(at('token'), 'first\n')
    await writeFile(at('ca.crt'), certificate.cert)
  })
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close()
      server.closeAllConnections()
    }
  })

  async function client({ cert, key } = certificate): Promise<KnockClient> {
    const server = createServer({ cert, key }, (request, response) => {
      tokens.push(request.headers.authorization)
      expect(request.url).to.equal(KNOCK_PATH)
      answer(request, response)
    })
    servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    return new KnockClient({ url, caFile: at('ca.crt'), tokenFile: at('token') })
  }

  it('sends the token of now, and follows a CA that rotates', async () => {
    const knocks = await client()
    await knocks.send(KNOCK, signal)
    await writeFile(at('token'), 'second')
    expect(await knocks.send(KNOCK, signal)).to.deep.include({ state: 'waking' })
    expect(tokens).to.deep.equal(['Bearer first', 'Bearer second'])
    const other = await selfSigned()
    await writeFile(at('ca.crt'), other.cert)
    await failed(knocks.send(KNOCK, signal))
    await knocks.close()
    const moved = await client(other)
    await moved.send(KNOCK, signal)
    await moved.close()
  })

  for (const [what, body] of [
    ['no JSON', '<html>'],
    ['JSON of something else', '{"state":"dancing"}'],
    ['nothing', ''],
    ['far too much', JSON.stringify({ ...answering('off'), state: 'x'.repeat(300_000) })],
  ] as const)
    it(`takes no answer that is ${what}`, async () => {
      answer = (_, response) => void response.end(body)
      const knocks = await client()
      await failed(knocks.send(KNOCK, signal))
      await knocks.close()
    })

  it('says why it was refused, and never its token', async () => {
    answer = (_, response) => void response.writeHead(403).end('{"error":"only the wakers may knock\u001b"}')
    const knocks = await client()
    const message = await failed(knocks.send(KNOCK, signal))
    expect(message).to.contain('HTTP 403').and.contain('only the wakers').and.not.contain('first')
    await knocks.close()
  })

  it('fails, and is whole again, where the files come later', async () => {
    const knocks = await client()
    await writeFile(at('ca.crt'), '')
    await failed(knocks.send(KNOCK, signal))
    await writeFile(at('ca.crt'), certificate.cert)
    await knocks.send(KNOCK, signal)
    await knocks.close()
  })
})

/** The message with which it failed. */
async function failed(work: Promise<unknown>): Promise<string> {
  const message = await work.then(
    () => undefined,
    (error: unknown) => String(error),
  )
  expect(message, 'it did not fail').to.be.a('string')
  return message ?? ''
}

import { expect } from 'chai'
import { DEPLOYMENTS } from '../cluster.ts'
import { bundle, CONFIGURATIONS, register, sandboxWithWebhook } from '../webhook-server.ts'
import { selfSigned } from '../../support/certificate.ts'

const WEB = `${DEPLOYMENTS}/web`
const FAILED = 'Internal error occurred: failed calling webhook "scale.dormouse.dev": '

describe('sandbox admission: a webhook that fails', () => {
  const ignored: string[] = []
  const logger = {
    error: () => {},
    warn: (fields: object) => ignored.push('err' in fields ? String(fields.err) : ''),
  }
  const { client, server } = sandboxWithWebhook({ logger })

  beforeEach(() => {
    ignored.length = 0
  })

  /** What a write is told under each failurePolicy. */
  async function outcome(changes: object = {}): Promise<string> {
    const webhook = { ...server.webhook(changes) }
    await register(client, [webhook])
    const { status, body } = await client.patch(WEB, { spec: { replicas: 3 } })
    expect([status, body.reason]).to.deep.equal([500, 'InternalError'])
    await client.patch(`${CONFIGURATIONS}/dormouse`, { webhooks: [{ ...webhook, failurePolicy: 'Ignore' }] })
    expect((await client.patch(WEB, { spec: { replicas: 3 } })).status).to.equal(200)
    expect(ignored).to.have.length(1)
    return body.message
  }

  it('is one whose certificate another CA signed', async () => {
    const { cert } = await selfSigned()
    const message = await outcome({ clientConfig: { url: server.url, caBundle: bundle(cert) } })
    expect(message).to.equal(
      `${FAILED}failed to call webhook: Post "${server.url}?timeout=3s": ` +
        'tls: failed to verify certificate: x509: certificate signed by unknown authority',
    )
    expect(server.reviews).to.deep.equal([])
  })

  it('is one whose certificate is for another host', async () => {
    await server.stop()
    await server.start(await selfSigned('webhook', '127.0.0.9'))
    expect(await outcome()).to.match(/x509: certificate is not valid for 127\.0\.0\.1$/)
  })

  it('is one without a caBundle that no public CA signed', async () => {
    expect(await outcome({ clientConfig: { url: server.url } })).to.match(/unknown authority$/)
  })

  it('is one that is not there', async () => {
    const { url } = server
    const webhook = server.webhook()
    await server.stop()
    expect(await outcome(webhook)).to.equal(
      `${FAILED}failed to call webhook: Post "${url}?timeout=3s": ` +
        `dial tcp ${new URL(url).host}: connect: connection refused`,
    )
  })

  it('is one that takes longer than its timeout', async () => {
    server.reply = () => new Promise(() => {})
    expect(await outcome({ timeoutSeconds: 1 })).to.equal(
      `${FAILED}failed to call webhook: Post "${server.url}?timeout=1s": context deadline exceeded`,
    )
  })

  it('is one that names a Service', async () => {
    const service = { namespace: 'dormouse', name: 'dormouse', path: '/mutate' }
    expect(await outcome({ clientConfig: { service } })).to.match(/only clientConfig\.url can be reached$/)
  })

  it('is one that answers with an error', async () => {
    server.reply = () => 500
    expect(await outcome()).to.equal(
      `${FAILED}failed to call webhook: an error on the server ("no") has prevented the request from succeeding`,
    )
  })

  it('is one whose answer is no JSON', async () => {
    server.reply = () => 'hello'
    expect(await outcome()).to.match(/failed to call webhook: .* json parse error/)
  })

  for (const [what, reply, message] of [
    ['no response', '{"kind":"AdmissionReview"}', /webhook response was absent/],
    ['another uid', { uid: 'x', allowed: true }, /expected response\.uid="[^"]+", got "x"/],
    [
      'a patch without its type',
      { allowed: true, patch: 'W10=' },
      /response\.patch but not response\.patchType/,
    ],
    [
      'a type without a patch',
      { allowed: true, patchType: 'JSONPatch' },
      /patchType but not response\.patch/,
    ],
    [
      'a patch of another type',
      { allowed: true, patch: 'e30=', patchType: 'Merge' },
      /unsupported patch type "Merge"/,
    ],
  ] as const)
    it(`is one whose answer is malformed: ${what}`, async () => {
      server.reply = () => reply
      expect(await outcome())
        .to.match(/received invalid webhook response: /)
        .and.match(message)
    })

  it('works again with the right CA, over a connection that it verifies anew', async () => {
    const [old, renewed] = [server.webhook(), await selfSigned()]
    await register(client, [old])
    expect((await client.patch(WEB, { spec: { replicas: 3 } })).status).to.equal(200)
    const distrusted = { url: server.url, caBundle: bundle(renewed.cert) }
    await client.patch(`${CONFIGURATIONS}/dormouse`, { webhooks: [{ ...old, clientConfig: distrusted }] })
    expect((await client.patch(WEB, { spec: { replicas: 4 } })).status).to.equal(500)
    await client.patch(`${CONFIGURATIONS}/dormouse`, { webhooks: [old] })
    expect((await client.patch(WEB, { spec: { replicas: 4 } })).status).to.equal(200)
  })
})

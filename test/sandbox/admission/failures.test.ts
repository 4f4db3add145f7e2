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
    expect(message).to.include(`${FAILED}failed to call webhook: Post "${server.url}?timeout=3s": `)
    expect(server.reviews).to.deep.equal([])
  })

  it('is one that takes longer than its timeout', async () => {
    server.reply = () => new Promise(() => {})
    expect(await outcome({ timeoutSeconds: 1 })).to.match(/context deadline exceeded$/)
  })

  it('is one that names a Service', async () => {
    const service = { namespace: 'dormouse', name: 'dormouse', path: '/mutate' }
    expect(await outcome({ clientConfig: { service } })).to.match(/only clientConfig\.url can be reached$/)
  })

  for (const [what, reply] of [
    ['an error', 500],
    ['no JSON', 'hello'],
    ['no response', '{"kind":"AdmissionReview"}'],
    ['another uid', { uid: 'x', allowed: true }],
    ['a patch without its type', { allowed: true, patch: 'W10=' }],
  ] as const)
    it(`is one that answers with ${what}`, async () => {
      server.reply = () => reply
      expect(await outcome()).to.include(FAILED)
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

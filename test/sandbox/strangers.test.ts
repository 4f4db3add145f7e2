import { expect } from 'chai'
import { warningRecorder } from '../../src/sandbox/http/answer.ts'
import { SandboxCluster } from '../../src/sandbox/sandbox.ts'

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const WEB = `${DEPLOYMENTS}/web`

describe('what a stranger may send to the sandbox', () => {
  const sandbox = new SandboxCluster({ port: 0, clock: () => Date.now() })
  before(() => sandbox.start())
  after(() => sandbox.stop())

  for (const [method, path, status, body, headers] of [
    ['GET', '/nothing', 404],
    ['GET', `${DEPLOYMENTS}/%zz`, 400],
    ['GET', '/apis/apps/v2/deployments', 404],
    ['OPTIONS', WEB, 405],
    ['POST', DEPLOYMENTS, 400, '{'],
    ['POST', DEPLOYMENTS, 400, '[]'],
    ['POST', DEPLOYMENTS, 400, 'k8s', { 'content-type': 'application/vnd.kubernetes.protobuf' }],
    ['POST', DEPLOYMENTS, 415, '{}', { 'content-type': 'text/plain' }],
    ['POST', DEPLOYMENTS, 400, '{"kind":"Pod","apiVersion":"v1"}'],
    ['POST', DEPLOYMENTS, 400, '{"metadata":{"name":"web","annotations":{"a":1}}}'],
    ['POST', DEPLOYMENTS, 400, '{"metadata":{"name":"web"},"spec":{"replicas":"2"}}'],
    ['POST', DEPLOYMENTS, 413, 'x'.repeat(4 * 1024 * 1024)],
    ['GET', `${DEPLOYMENTS}?limit=many`, 400],
    ['GET', `${DEPLOYMENTS}?continue=nonsense`, 400],
    ['GET', `${DEPLOYMENTS}?labelSelector=%3D`, 400],
    ['PATCH', WEB, 415, '[]', { 'content-type': 'text/plain' }],
    ['GET', DEPLOYMENTS, 406, undefined, { accept: 'application/cbor' }],
    ['GET', '/api/v1/namespaces', 401, undefined, { authorization: 'Bearer x' }],
  ] as const)
    it(`is answered with a Status: ${method} ${path} ${body?.slice(0, 50) ?? ''}`, async () => {
      const answer = await fetch(new URL(path, sandbox.url), {
        method,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body }),
      })
      expect(answer.status).to.equal(status)
      expect(await answer.json()).to.include({ kind: 'Status', code: status })
    })

  it('ends no header by the text of a warning', () => {
    let sent: string[] = []
    warningRecorder((values) => (sent = values))('a "b" \\ c\r\nX-Evil: 1')
    expect(sent).to.deep.equal([String.raw`299 - "a \"b\" \\ c X-Evil: 1"`])
  })
})

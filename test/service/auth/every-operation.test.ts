import { expect } from 'chai'
import { operations } from '../../../src/service/api/openapi/document.ts'
import { aWorkload } from '../../support/fake-cluster.ts'
import { Service, token } from '../api/service.ts'

/** Those about no namespace: they show what the caller may see. */
const OF_ALL = ['index', 'listWorkloads', 'listNamespaces']

describe('every operation of the API', () => {
  let service: Service
  before(async () => (service = await Service.start()))
  after(() => service.stop())

  beforeEach(() => {
    service.cluster.put(aWorkload())
  })

  /** The code of each operation's answer for a caller; the workload must be as before. */
  async function answers(bearer: string | null): Promise<Record<string, string>> {
    const before = service.cluster.snapshot()
    const found: Record<string, string> = {}
    for (const { method, path, operation } of operations()) {
      // As the helper has them: below the namespaces.
      const filled = path
        .replace('/api/v1/namespaces/{namespace}', '{namespace}')
        .replace('{namespace}', 'shop')
        .replace('{kind}', 'deployments')
        .replace('{name}', 'web')
      const { code, status } = await service.call(`${method.toUpperCase()} ${filled}`, { token: bearer })
      found[operation.operationId] = code ?? String(status)
    }
    expect(service.cluster.snapshot()).to.equal(before)
    return found
  }

  const expected = (codeOf: (id: string, method: string) => string) =>
    Object.fromEntries(
      operations().map(({ method, operation: { operationId: id } }) => [id, codeOf(id, method)]),
    )

  it('needs a token', async () => {
    expect(await answers(null)).to.deep.equal(expected(() => 'UNAUTHENTICATED'))
  })

  it('that writes is refused to a token that may read', async () => {
    const reader = await token({ claims: { scope: 'dormouse:read' } })
    expect(await answers(reader)).to.deep.equal(
      expected((_id, method) => (method === 'get' ? '200' : 'FORBIDDEN')),
    )
  })

  it('is refused to a token for other namespaces', async () => {
    const stranger = await token({ claims: { 'dormouse.dev/namespaces': ['bank'] } })
    expect(await answers(stranger)).to.deep.equal(
      expected((id) => (OF_ALL.includes(id) ? '200' : 'FORBIDDEN')),
    )
  })
})

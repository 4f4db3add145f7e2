import { expect } from 'chai'
import { aWorkload, Client, DEPLOYMENTS, freshSandbox, startSandbox } from '../cluster.ts'

describe('sandbox faults', () => {
  const here = freshSandbox()
  const { client } = here

  it('answer as many matching requests as told, with the status and headers told', async () => {
    here.sandbox.faults.answer({
      method: 'POST',
      path: /deployments/,
      status: 429,
      headers: { 'retry-after': '3' },
      times: 2,
    })
    expect((await client.get(DEPLOYMENTS)).status).to.equal(200)
    for (let turn = 0; turn < 2; turn++) {
      const { status, headers, body } = await client.post(DEPLOYMENTS, aWorkload('web'))
      expect([status, headers['retry-after'], body.reason]).to.deep.equal([429, '3', 'TooManyRequests'])
    }
    expect((await client.post(DEPLOYMENTS, aWorkload('web'))).status).to.equal(201)
  })

  it('refuse connections, and come back on the same port with everything as it was', async () => {
    const { url } = here.sandbox
    await client.post(DEPLOYMENTS, aWorkload('web'))
    await here.sandbox.faults.refuseConnections()
    const refusal = await client.get(DEPLOYMENTS).then(
      () => 'an answer',
      (error: NodeJS.ErrnoException) => error.code,
    )
    expect(refusal).to.equal('ECONNREFUSED')
    await here.sandbox.faults.acceptConnections()
    expect(here.sandbox.url).to.equal(url)
    expect((await client.get(`${DEPLOYMENTS}/web`)).status).to.equal(200)
  })

  it('tell of every request, also of those that are answered by a fault', async () => {
    const requests: string[] = []
    const watched = await startSandbox({ onRequest: ({ method, url }) => requests.push(`${method} ${url}`) })
    watched.faults.answer({ path: /version/, status: 500 })
    await new Client(watched).get('/version')
    await watched.stop()
    expect(requests).to.deep.equal(['GET /version'])
  })
})

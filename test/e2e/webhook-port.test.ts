import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { Agent, request } from 'undici'
import { freePorts } from '../control-plane/ports.ts'
import { selfSigned, type Certificate } from '../support/certificate.ts'
import { Dormouse } from '../support/dormouse.ts'
import { eventually } from '../support/eventually.ts'
import { startSandboxCluster, type StartedCluster } from '../support/sandbox-cluster.ts'

const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/dormouse'

describe('the port of the webhook, on the sandbox', function () {
  this.timeout(120_000)
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  let cluster: StartedCluster
  let dormouse: Dormouse
  let api: number
  let webhook: number

  const started = async (settings: object = {}) => {
    dormouse = await Dormouse.start(cluster, {
      api: { host: '127.0.0.1', port: api, insecurePort: 0 },
      webhook: { port: webhook, url: `https://127.0.0.1:${webhook}`, ...settings },
    })
  }
  const status = async (port: number, path: string, agent = dispatcher) => {
    const { statusCode, body } = await request(`https://127.0.0.1:${port}${path}`, {
      method: 'POST',
      body: '{}',
      dispatcher: agent,
    })
    await body.dump()
    return statusCode
  }

  before(async () => {
    ;[api, webhook] = await freePorts(2)
    cluster = await startSandboxCluster()
  })
  afterEach(() => dormouse.stop())
  after(async () => {
    await dispatcher.destroy()
    await cluster.stop()
  })

  it('is another than that of the API, and neither answers for the other', async () => {
    await started()
    expect(await status(webhook, '/webhook/scale')).to.equal(400)
    expect(await status(webhook, '/api/v1/workloads')).to.equal(404)
    expect(await status(api, '/webhook/scale')).to.equal(401)
    expect(await status(api, '/api/v1/workloads')).to.equal(401)
  })

  it('and the others are logged as they are bound, while programs get what they can reach from here', async () => {
    dormouse = await Dormouse.start(cluster, {
      api: { host: '0.0.0.0', port: api, insecurePort: 0 },
      webhook: { port: webhook, url: `https://127.0.0.1:${webhook}` },
    })
    const ready = await eventually('the log to say so', async () =>
      dormouse.log.find(({ msg }) => msg === 'ready'),
    )
    expect(ready['webhook']).to.equal(`https://0.0.0.0:${webhook}`)
    expect(ready['metrics']).to.equal(dormouse.metricsUrl.replace('127.0.0.1', '0.0.0.0'))
    expect(ready['api']).to.match(/^http:\/\/0\.0\.0\.0:\d+$/)
    expect(await status(api, '/api/v1/workloads')).to.equal(401)
  })

  it('answers only who shows a certificate of webhook.clientCA, where that is set', async () => {
    const [trusted, other] = await Promise.all([selfSigned('api-server'), selfSigned('api-server')])
    const file = join(await mkdtemp(join(tmpdir(), 'client-ca-')), 'ca.pem')
    await writeFile(file, trusted.cert)
    await started({ clientCA: file })
    const shown = async (certificate?: Certificate) => {
      const agent = new Agent({ connect: { rejectUnauthorized: false, ...certificate } })
      try {
        return await status(webhook, '/webhook/scale', agent)
      } catch {
        return 'refused'
      } finally {
        await agent.destroy()
      }
    }
    expect([await shown(), await shown(other), await shown(trusted)]).to.deep.equal([
      'refused',
      'refused',
      400,
    ])
    expect(await status(api, '/api/v1/workloads')).to.equal(401)
    await rm(dirname(file), { recursive: true })
  })

  it('is closed where the webhook is left out: nothing is registered, and the API keeps its TLS', async () => {
    await cluster.admin.send('DELETE', CONFIGURATION)
    await started({ enabled: false })
    expect(await status(api, '/api/v1/workloads')).to.equal(401)
    const [error] = (await once(connect(webhook, '127.0.0.1'), 'error')) as [NodeJS.ErrnoException]
    expect(error.code).to.equal('ECONNREFUSED')
    const told = dormouse.log.map(({ msg }) => msg).filter((msg) => /not enforced/.test(msg ?? ''))
    expect(told).to.have.length(1)
    expect(told[0]).to.contain('webhook.enabled is false')
    while (!dormouse.log.some(({ msg }) => /leads/.test(msg ?? '')))
      await new Promise((resolve) => setTimeout(resolve, 50))
    expect((await cluster.admin.send('GET', CONFIGURATION)).status).to.equal(404)
  })
})

import { expect } from 'chai'
import { WorkloadPatcher } from '../../src/kubernetes/patcher.ts'
import { trim } from '../../src/kubernetes/trim.ts'
import { WriteGate } from '../../src/kubernetes/write-gate.ts'
import { answer, FakeApiServer } from './fake-api-server.ts'
import { deployment, WEB } from './objects.ts'

describe('a write that is ended', () => {
  let server: FakeApiServer
  let patcher: WorkloadPatcher
  const object = deployment('web', { annotations: {} })
  const plan = () => ({ change: { annotations: {}, replicas: 0 } })

  beforeEach(async () => {
    server = await new FakeApiServer().start()
    const copy = {
      isConnected: () => true,
      suspect: () => {},
      get: () => trim('deployments', object),
      applied: () => {},
    }
    patcher = new WorkloadPatcher({ calls: server.client, copy, gate: new WriteGate() })
  })

  afterEach(async () => {
    await server.close()
  })

  it('is cut although its patch was sent, and not tried again', async () => {
    const cut = new AbortController()
    server.handler = () => cut.abort(new Error('led no longer'))
    const error = await patcher
      .write(WEB, plan, { priority: 'snooze', cut: cut.signal })
      .catch((reason: unknown) => reason)
    expect(error).to.equal(cut.signal.reason)
    expect(server.received).to.have.length(1)
  })

  it('by its signal alone sees through a patch that was sent', async () => {
    const ending = new AbortController()
    server.handler = (_, response) => {
      ending.abort()
      answer(response, 200, object)
    }
    const { wrote } = await patcher.write(WEB, plan, { priority: 'snooze', signal: ending.signal })
    expect(wrote).to.equal(true)
  })
})

import { expect } from 'chai'
import fastJsonPatch from 'fast-json-patch'
import type { Change } from '../../src/domain/workload/change.ts'
import type { Workload } from '../../src/domain/workload/workload.ts'
import { Refusal } from '../../src/process/errors.ts'
import type { WorkloadObject } from '../../src/kubernetes/api-object.ts'
import { ClusterRefusal } from '../../src/kubernetes/failures.ts'
import type { WriteOptions } from '../../src/kubernetes/ports.ts'
import { WorkloadPatcher, type WorkloadCalls } from '../../src/kubernetes/patcher.ts'
import { trim } from '../../src/kubernetes/trim.ts'
import { WriteGate } from '../../src/kubernetes/write-gate.ts'
import { FakeApiServer, answer, failure, type Handler } from './fake-api-server.ts'
import { WEB, deployment, ownsReplicas } from './objects.ts'

const SNOOZE: Change = { annotations: { state: '{"v":1}' }, label: '3', replicas: 0 }
const TEST_FAILED = failure(422, 'the server rejected our request due to an error in our request', 'Invalid')
const REQUEST = { priority: 'request' } as const
const CONTROLLER = { priority: 'snooze' } as const

/** How a patch is answered; false: in the ordinary way. */
type Way = (...args: Parameters<Handler>) => boolean

const answering =
  (status: number, body: () => unknown): Way =>
  (_, response) => {
    answer(response, status, body())
    return true
  }
const failing = (status: number, message: string, reason?: string) =>
  answering(status, () => failure(status, message, reason))
const stale = answering(422, () => TEST_FAILED)
const cut: Way = (_, response) => {
  response.destroy()
  return true
}
const each = (times: number, way: Way) => Array.from({ length: times }, () => way)

/** Snoozes what runs; the plan of these tests. */
const snooze = (workload: Workload) => ({
  change: workload.replicas > 0 ? SNOOZE : undefined,
  seen: workload.replicas,
})

describe('the patcher', () => {
  let server: FakeApiServer
  let patcher: WorkloadPatcher
  /** The object in the cluster; undefined: gone. */
  let object: WorkloadObject | undefined
  let cached: Workload | undefined
  let applied: Workload[]
  let connected: boolean
  let suspected: unknown[]
  /** Answers the next patches before the ordinary way does; one that returns false has not. */
  let before: Way[]

  const sent = (method: string) => server.received.filter((received) => received.method === method)
  const change = (metadata: object, replicas = object?.spec?.replicas ?? 0) => {
    const version = String(Number(object?.metadata.resourceVersion) + 1)
    object = deployment('web', { ...object?.metadata, resourceVersion: version, ...metadata, replicas })
  }

  /** As the API server does it, for our operations; there a `test` for null passes on an absent key. */
  function apply(body: string): boolean {
    const operations: fastJsonPatch.Operation[] = JSON.parse(body)
    const holds = (operation: fastJsonPatch.Operation) =>
      operation.op !== 'test' ||
      (fastJsonPatch.getValueByPointer(object, operation.path) ?? null) === operation.value
    if (!operations.every(holds)) return false
    const writes = operations.filter(({ op }) => op !== 'test')
    object = fastJsonPatch.applyPatch(structuredClone(object), writes).newDocument
    change({ generation: 2, managedFields: [ownsReplicas('dormouse')] })
    return true
  }

  /** The metadata alone, as of a patch that was stored. */
  const stored = answering(200, () => ({ kind: 'PartialObjectMetadata', metadata: object?.metadata }))
  const appliedThen =
    (way: Way): Way =>
    (received, response) => {
      apply(received.body)
      return way(received, response)
    }

  beforeEach(async () => {
    server = await new FakeApiServer().start()
    object = deployment('web', { annotations: { 'dormouse.dev/enabled': 'true' }, labels: { app: 'web' } })
    cached = trim('deployments', object)
    applied = []
    connected = true
    suspected = []
    before = []
    server.handler = (received, response) => {
      if (!object) return answer(response, 404, failure(404, 'not found', 'NotFound'))
      if (received.method === 'GET') return answer(response, 200, object)
      if (before.shift()?.(received, response)) return
      if (apply(received.body)) stored(received, response)
      else stale(received, response)
    }
    patcher = patcherOver(server.client)
  })

  const patcherOver = (calls: WorkloadCalls, delivered?: { of: () => WorkloadObject | undefined }) =>
    new WorkloadPatcher({
      calls,
      delivered,
      copy: {
        isConnected: () => connected,
        suspect: (error) => suspected.push(error.noAnswer),
        get: () => cached,
        applied: (workload) => applied.push(workload),
      },
      gate: new WriteGate(),
      delay: async () => {},
    })

  afterEach(async () => {
    await server.close()
  })

  type Plan = (workload: Workload) => { readonly change: Change | undefined; readonly seen?: number }
  const write = (options: WriteOptions = REQUEST, plan: Plan = snooze) => patcher.write(WEB, plan, options)
  const refused = (options?: WriteOptions, plan?: Plan): Promise<Refusal> =>
    write(options, plan).then(
      () => expect.fail('the write succeeded'),
      (error: Refusal) => error,
    )
  const methods = () => server.received.map(({ method }) => method)

  it('writes the status of a CronJob first, and nothing else until that is written', async () => {
    before = [stale, stored]
    await write(REQUEST, () => ({ change: { ...SNOOZE, lastScheduleTime: 0 } }))
    const requests = server.received.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`)
    expect(requests).to.deep.equal(['PATCH status', 'GET web', 'PATCH status', 'PATCH web'])
  })

  for (const status of [403, 405, 501])
    it(`patches at once, and from then on, where a whole object is answered with ${status}`, async () => {
      patcher = patcherOver(server.client, { of: () => structuredClone(object) })
      before = [failing(status, 'no PUT here')]
      await write()
      change({}, 3)
      cached = object && trim('deployments', object)
      await write()
      expect(methods()).to.deep.equal(['PUT', 'PATCH', 'PATCH'])
    })

  it('plans on the copy and writes in one patch, with no read', async () => {
    const { wrote, workload, plan } = await write()
    expect(wrote).to.equal(true)
    expect(plan.seen).to.equal(3)
    expect(methods()).to.deep.equal(['PATCH'])
    expect(workload).to.deep.equal({
      ...cached,
      resourceVersion: '11',
      generation: 2,
      replicas: 0,
      labels: { app: 'web', 'dormouse.dev/asleep': '3' },
      annotations: { enabled: 'true', state: '{"v":1}' },
      tracksOwners: true,
      replicasManager: { manager: 'dormouse', subresource: undefined },
      ownReplicasEntry: 0,
    })
    expect(applied).to.deep.equal([workload])
  })

  it('is done, and no refusal, where somebody set meanwhile what the patch does not rest on', async () => {
    change({
      annotations: {
        ...object?.metadata.annotations,
        'dormouse.dev/wake-order': '3',
        'dormouse.dev/catch-up': 'true',
      },
    })
    const { wrote, workload } = await write()
    expect(wrote).to.equal(true)
    expect(workload.annotations).to.include({ state: '{"v":1}', wakeOrder: '3' })
    expect(sent('GET')).to.deep.equal([])
  })

  it('does not call it done where a webhook has rewritten our marks', async () => {
    const annotations = { 'dormouse.dev/enabled': 'true' }
    const metadata = () => ({ ...object?.metadata, annotations })
    before = [appliedThen(answering(200, () => ({ kind: 'PartialObjectMetadata', metadata: metadata() })))]
    const { code, message } = await refused()
    expect(code).to.equal('CLUSTER_REJECTED')
    expect(message).to.contain('run as one account')
    expect(applied).to.deep.equal([])
  })

  it('takes a whole object for an answer too', async () => {
    before = [appliedThen(answering(200, () => ({ kind: 'Deployment', ...object })))]
    const { workload } = await write()
    expect(workload).to.include({ replicas: 0, resourceVersion: '11' })
    expect(workload.pods.existing).to.equal(0)
  })

  it('knows the key of a DaemonSet after its write', async () => {
    const key = { ...WEB, kind: 'daemonsets' } as const
    object = { ...deployment('web'), spec: { template: { spec: {} } } }
    cached = trim('daemonsets', object)
    before = [stored]
    const plan = () => ({ change: { annotations: {}, snoozeKey: 'true' } })
    const { workload } = await patcher.write(key, plan, REQUEST)
    expect(workload).to.include({ snoozeKey: 'true', hasNodeSelector: true })
  })

  it('reads the live object when there is no copy', async () => {
    cached = undefined
    change({}, 7)
    const { plan } = await write()
    expect(plan.seen).to.equal(7)
    expect(methods()).to.deep.equal(['GET', 'PATCH'])
  })

  it('plans on what the caller has, if the caller has it', async () => {
    const { plan } = await write({ ...REQUEST, from: { ...trim('deployments', object!), replicas: 9 } })
    expect(plan.seen, 'planned again after the precondition failed').to.equal(3)
    expect(sent('PATCH')).to.have.length(2)
  })

  it('reads and plans anew when the precondition fails', async () => {
    change({}, 8)
    const { plan, wrote } = await write()
    expect(wrote).to.equal(true)
    expect(plan.seen).to.equal(8)
    expect(methods()).to.deep.equal(['PATCH', 'GET', 'PATCH'])
  })

  it('writes nothing when the newer object needs nothing', async () => {
    change({}, 0)
    const { wrote } = await write()
    expect(wrote).to.equal(false)
    expect(applied).to.deep.equal([])
  })

  const overtake = () => {
    change({}, (object?.spec?.replicas ?? 0) + 1)
    return false
  }
  const QUOTA = 'spec.replicas: quota says no'
  for (const [rule, ways, outcome, sends] of [
    ['gives up with CONFLICT after losing five times', each(6, overtake), 'CONFLICT', 5],
    [
      'takes a 409 for a failed precondition, even if it cannot see why',
      each(3, failing(409, 'the object has been modified', 'Conflict')),
      'written',
      4,
    ],
    ['does not repeat for ever a patch that can never apply', each(6, stale), 'CLUSTER_REJECTED', 2],
    [
      'passes on at once what validation or an admission plugin says, even with a 422',
      [failing(422, QUOTA, 'Invalid')],
      'CLUSTER_REJECTED',
      1,
    ],
    ['says CLUSTER_UNAVAILABLE when the answer is lost each time', each(5, cut), 'CLUSTER_UNAVAILABLE', 5],
  ] as const)
    it(rule, async () => {
      before = [...ways]
      const refusal = outcome === 'written' ? undefined : await refused()
      expect(refusal?.code ?? ((await write()).wrote && 'written')).to.equal(outcome)
      expect(sent('PATCH')).to.have.length(sends)
      if (sends > 1) return
      expect(refusal?.details).to.deep.include({ status: 422, message: QUOTA })
      expect(server.received).to.have.length(1)
    })

  it('says NOT_FOUND of a workload that is gone, and reads it as undefined', async () => {
    object = undefined
    expect(await refused()).to.include({ code: 'NOT_FOUND' })
    expect(await patcher.read(WEB)).to.equal(undefined)
  })

  it('reads the live object, trimmed', async () => {
    expect(await patcher.read(WEB)).to.deep.equal(cached)
  })

  describe('when the answer is lost', () => {
    it('finds a write that was carried out, and makes it once', async () => {
      before = [appliedThen(cut)]
      const { wrote, workload, plan } = await write()
      expect(wrote).to.equal(true)
      expect(plan.seen).to.equal(3)
      expect(workload).to.include({ replicas: 0, resourceVersion: '11' })
      expect(applied).to.deep.equal([workload])
      expect(methods()).to.deep.equal(['PATCH', 'GET'])
    })

    it('writes again what was not carried out', async () => {
      before = [cut]
      const { wrote } = await write()
      expect(wrote).to.equal(true)
      expect(methods()).to.deep.equal(['PATCH', 'GET', 'PATCH'])
    })

    it('does not take a status update in between for its own write', async () => {
      const managedFields = [ownsReplicas('dormouse')]
      object = deployment('web', { managedFields })
      cached = trim('deployments', object)
      before = [
        (...args) => {
          change({})
          return cut(...args)
        },
      ]
      const givesUpReplicas = (workload: Workload) => ({
        change:
          workload.ownReplicasEntry === undefined ? undefined : { annotations: {}, givesUpReplicas: true },
      })
      await write(REQUEST, givesUpReplicas)
      expect(sent('PATCH')).to.have.length(2)
    })

    it('does not take another object of the name for its own write', async () => {
      before = [
        (received, response) => {
          apply(received.body)
          change({ uid: 'another' })
          return cut(received, response)
        },
      ]
      expect(await write()).to.include({ wrote: false })
    })
  })

  describe('where an admission webhook of somebody else drops our marks', () => {
    const bodies = () => sent('PATCH').map(({ body }) => JSON.parse(body) as { op: string; path: string }[])
    let drops: boolean

    beforeEach(() => {
      drops = true
      server.handler = (received, response) => {
        const { method, body, query } = received
        if (method === 'GET') return answer(response, 200, object)
        const former = object
        if (!apply(body)) return answer(response, 422, TEST_FAILED)
        if (drops) change({ annotations: { 'dormouse.dev/enabled': 'true' }, labels: { app: 'web' } })
        stored(received, response)
        if (query.has('dryRun')) object = former
      }
    })

    it('puts the count back at once, testing the new one, and says why it cannot sleep', async () => {
      const { code, message } = await refused(CONTROLLER)
      expect(code).to.equal('CLUSTER_REJECTED')
      expect(message).to.include('an admission webhook drops').and.include('it cannot sleep')
      expect(object?.spec).to.include({ replicas: 3 })
      const [, undone] = bodies()
      expect(undone).to.deep.include({ op: 'test', path: '/spec/replicas', value: 0 })
      expect(undone).to.deep.include({ op: 'replace', path: '/spec/replicas', value: 3 })
      expect(applied.map(({ replicas }) => replicas)).to.deep.equal([3])
    })

    it('asks by a dry run the next time, and moves nothing while that is answered the same', async () => {
      await refused(CONTROLLER)
      cached = trim('deployments', object!)
      for (let time = 0; time < 3; time++) await refused(CONTROLLER)
      const dry = sent('PATCH').map(({ query }) => query.get('dryRun'))
      expect(dry).to.deep.equal([null, null, 'All', 'All', 'All'])
      expect(object?.spec).to.include({ replicas: 3 })
    })

    it('puts it to sleep once the webhook is gone', async () => {
      await refused(CONTROLLER)
      cached = trim('deployments', object!)
      drops = false
      const { wrote } = await write(CONTROLLER)
      expect([wrote, object?.spec?.replicas]).to.deep.equal([true, 0])
    })

    /** The count is put back by the second patch. */
    const beforeTheSecond = (happens: () => void) => {
      const { handler } = server
      server.handler = (received, response) => {
        if (sent('PATCH').length === 2) happens()
        handler(received, response)
      }
    }

    it('puts the count back although somebody annotates it just then', async () => {
      beforeTheSecond(() => {
        change({ annotations: { 'dormouse.dev/enabled': 'true', 'dormouse.dev/timezone': 'Asia/Tokyo' } })
        drops = false
      })
      await refused(CONTROLLER)
      expect(object?.spec).to.include({ replicas: 3 })
      expect(object?.metadata.annotations).to.include({ 'dormouse.dev/timezone': 'Asia/Tokyo' })
    })

    it('puts the count back where the answer to that very write was lost', async () => {
      const { handler } = server
      server.handler = (received, response) => {
        if (received.method !== 'PATCH' || sent('PATCH').length > 1) return handler(received, response)
        apply(received.body)
        change({ annotations: { 'dormouse.dev/enabled': 'true' }, labels: { app: 'web' } })
        response.destroy()
      }
      const { message } = await refused(CONTROLLER)
      expect(message).to.include('it cannot sleep')
      expect(object?.spec).to.include({ replicas: 3 })
    })

    it('leaves a count that somebody has set since', async () => {
      beforeTheSecond(() => change({}, 7))
      await refused(CONTROLLER)
      expect(object?.spec).to.include({ replicas: 7 })
    })

    for (const [what, failures] of Object.entries({ twice: 2, 'each time': 100 }))
      it(`tries again where the cluster fails just then, here ${what}`, async () => {
        const { handler } = server
        server.handler = (received, response) => {
          const undone = received.method === 'PATCH' && sent('PATCH').length > 1
          if (undone && sent('PATCH').length < 2 + failures)
            answer(response, 500, failure(500, 'etcd is away'))
          else handler(received, response)
        }
        const { message } = await refused(CONTROLLER)
        if (failures === 2) expect(object?.spec).to.include({ replicas: 3 })
        else expect(message, 'nobody else knows it').to.include('its count was 3')
      })

    it('wakes all the same: a wake loses no count', async () => {
      change({}, 0)
      cached = trim('deployments', object!)
      const wake = () => ({ change: { annotations: { state: '{"v":1}' }, replicas: 3 } as Change })
      await refused(CONTROLLER, wake)
      expect([object?.spec?.replicas, sent('PATCH').length]).to.deep.equal([3, 1])
    })
  })

  describe('whose write hangs while other calls are answered', () => {
    let lands: boolean

    /** Patches are held until they are given up; meanwhile others are answered. */
    beforeEach(() => {
      lands = false
      patcher = patcherOver({
        get: (...args) => server.client.get(...args),
        replace: () => Promise.reject(new TypeError('no whole object is kept here')),
        async patch(_, operations) {
          if (lands) apply(JSON.stringify(operations))
          const details = { status: 0, noAnswer: 'hung', retryAfter: 2 } as const
          throw new ClusterRefusal('CLUSTER_UNAVAILABLE', 'none', details)
        },
      })
    })

    it('reads before anything else, and is done where it landed', async () => {
      lands = true
      const { wrote, workload } = await write(CONTROLLER)
      expect([wrote, workload.replicas, sent('GET').length]).to.deep.equal([true, 0, 1])
      expect(applied).to.have.length(1)
    })

    it('tries no more where it did not, and says that it is this workload alone', async () => {
      const refusal = await refused(CONTROLLER)
      expect(refusal).to.include({ code: 'CLUSTER_UNAVAILABLE', retryAfter: 2 })
      expect(refusal.details).to.deep.equal({ webhook: true })
      expect(refusal.message).to.match(
        /deployment shop\/web.*an admission webhook for this workload may hang/,
      )
      expect(sent('GET')).to.have.length(1)
    })
  })

  it('says which admission webhook failed for the workload', async () => {
    const message = 'Internal error occurred: failed calling webhook "hangs.example.com": deadline exceeded'
    before = [failing(500, message, 'InternalError')]
    const refusal = await refused()
    expect(refusal.details).to.include({ webhook: true, status: 500 })
    expect(refusal.message).to.include('hangs.example.com').and.include('deployment shop/web')
  })

  it('has the watches looked after when it finds nobody, and for nothing less', async () => {
    before = [failing(500, 'etcd is away')]
    await refused()
    expect(suspected).to.deep.equal([])
    await server.stop()
    expect(await refused()).to.include({ code: 'CLUSTER_UNAVAILABLE' })
    expect(suspected).to.deep.equal(['unreachable'])
  })

  describe('what is forbidden', () => {
    const forbidden = failing(403, 'may not patch', 'Forbidden')

    it('is refused by the cluster', async () => {
      before = [forbidden]
      expect(await refused()).to.include({ code: 'CLUSTER_REJECTED' })
    })

    it('says nothing while the watches are down: an API server that starts knows no roles yet', async () => {
      connected = false
      before = [forbidden]
      expect(await refused()).to.include({ code: 'CLUSTER_UNAVAILABLE' })
      server.handler = forbidden
      cached = undefined
      expect(await refused()).to.include({ code: 'CLUSTER_UNAVAILABLE' })
    })
  })

  it('is cut by its second signal although its patch was sent, and not tried again', async () => {
    const ending = new AbortController()
    server.handler = () => ending.abort(new Error('led no longer'))
    expect(await refused({ ...CONTROLLER, cut: ending.signal })).to.equal(ending.signal.reason)
    expect(server.received).to.have.length(1)
  })

  it('sees a patch through that was sent, by its signal alone', async () => {
    const ending = new AbortController()
    before = [
      () => {
        ending.abort()
        return false
      },
    ]
    const { wrote } = await write({ ...CONTROLLER, signal: ending.signal })
    expect(wrote).to.equal(true)
  })

  describe('verifying', () => {
    const VERIFIED = { ...REQUEST, verify: true }
    const refuse = (workload: Workload) => {
      if (workload.replicas === 3) throw new Refusal('PINNED', 'pinned')
      return snooze(workload)
    }

    it('believes a refusal or a nothing-to-do of a copy only after a live read', async () => {
      change({}, 4)
      const { plan, wrote } = await write(VERIFIED, refuse)
      expect(wrote).to.equal(true)
      expect(plan.seen).to.equal(4)
      cached = { ...trim('deployments', object!), replicas: 0 }
      change({}, 6)
      const again = await write(VERIFIED)
      expect(again.plan.seen).to.equal(6)
    })

    it('believes it after one live read', async () => {
      expect(await refused(VERIFIED, refuse)).to.include({
        code: 'PINNED',
      })
      expect(sent('GET')).to.have.length(1)
    })

    it('is not done unasked, nor of what was read live', async () => {
      expect(await refused(REQUEST, refuse)).to.include({ code: 'PINNED' })
      expect(server.received).to.have.length(0)
      cached = undefined
      expect(await refused(VERIFIED, refuse)).to.include({ code: 'PINNED' })
      expect(sent('GET')).to.have.length(1)
    })

    it("does not mask a bug of the plan's", async () => {
      const plan = () => {
        throw new TypeError('a bug')
      }
      const error = await refused(VERIFIED, plan)
      expect(error).to.be.instanceOf(TypeError)
    })
  })
})

import { expect } from 'chai'
import {
  ANNOTATION,
  HELD_LABEL,
  KINDS,
  type BuiltInKind,
  type Workload,
} from '../../../src/domain/workload/workload.ts'
import { factsOf } from '../../../src/domain/kinds.ts'
import { encodeState } from '../../../src/domain/workload/state-codec.ts'
import { EMPTY_STATE } from '../../../src/domain/workload/state.ts'
import { stateOf } from '../../../src/domain/workload/reading.ts'
import { readHead } from '../../../src/service/webhook/review.ts'
import { changing, reviewBody, scaling } from '../../support/reviews.ts'
import { keyringOf, rulesBy } from '../../support/signed.ts'
import { objectOf } from '../../support/workload-object.ts'
import {
  aCronJob,
  aDaemonSet,
  aDeployment,
  aReplicaSet,
  aStatefulSet,
  type AWorkload,
} from '../../support/workloads.ts'
import { OWN_USER, Reviewing } from './reviewing.ts'

type Json = Record<string, unknown>

const MIB = 1024 * 1024
const PINNED: Record<BuiltInKind, AWorkload> = {
  deployments: aDeployment('shop/web').withReplicas(3).enabled().pinned(),
  statefulsets: aStatefulSet('shop/web').withReplicas(3).enabled().pinned(),
  daemonsets: aDaemonSet('shop/web').withReplicas(3).enabled().pinned(),
  replicasets: aReplicaSet('shop/web').withReplicas(3).enabled().pinned(),
  cronjobs: aCronJob('shop/web').enabled().pinned(),
}
const pinned = PINNED.deployments
/** No pin, and an override in another's name. */
const forged = (kind: BuiltInKind) =>
  encodeState({
    ...EMPTY_STATE,
    kind,
    counter: 99,
    override: { until: null, at: Date.parse('2026-03-02T11:00:00Z'), by: 'k8s:cfo' },
  })

const ODD = [-1, null, 'text', {}, 2 ** 62]
const METADATA =
  'generation uid resourceVersion creationTimestamp deletionTimestamp deletionGracePeriodSeconds selfLink managedFields'
const STATUS =
  'observedGeneration replicas readyReplicas desiredNumberScheduled currentNumberScheduled numberReady lastScheduleTime'
/** Each field that the API server resets after admission, with each odd value: changes of an object. */
const RESETS: readonly [string, (object: Json) => Json][] = ODD.flatMap((value) => [
  ...METADATA.split(' ').map((name) => odd('metadata', name, value)),
  ...STATUS.split(' ').map((name) => odd('status', name, value)),
  [`status: ${JSON.stringify(value)}`, (object) => ({ ...object, status: value })],
])

function odd(part: string, name: string, value: unknown): (typeof RESETS)[number] {
  return [
    `${part}.${name}: ${JSON.stringify(value)}`,
    (object) => ({ ...object, [part]: { ...(object[part] as Json), [name]: value } }),
  ]
}

function requestOf(workload: Workload, changes: object): object {
  const { group, version } = factsOf(workload.kind)
  const resource = { group, version, resource: workload.kind }
  const object = objectOf(workload)
  return changing(workload, object, object, { resource, userInfo: { username: 'bob' }, ...changes })
}

/** Bob's wish: no pin, and another count, or none that runs. */
function wished(workload: AWorkload, kind: BuiltInKind): Json {
  const { labels, ...rest } = workload.annotated({ enabled: 'false', ...forged(kind) })
  const { [HELD_LABEL]: _held, ...others } = labels ?? {}
  const bare = { ...rest, labels: others } as Workload
  return objectOf({ ...bare, replicas: kind === 'cronjobs' ? 0 : 1 }) as unknown as Json
}

/** Whether the answer leaves the object with its state, its label and its count. */
function staysHeld(kind: BuiltInKind, answer: Awaited<ReturnType<Reviewing['review']>>): boolean {
  if (!answer.allowed) return true
  const wanted = objectOf(PINNED[kind]).metadata.annotations?.[ANNOTATION.state]
  const value = (path: string) => {
    const operation = answer.operations?.find((each) => each.path === path)
    return operation && 'value' in operation ? operation.value : undefined
  }
  const state = value('/metadata/annotations/dormouse.dev~1state')
  const label = value('/metadata/labels/dormouse.dev~1held')
  const field = factsOf(kind).field
  const count = kind === 'daemonsets' || value(field) !== undefined
  return state === wanted && label === 'pin' && count
}

describe('a write with a field that the API server resets after admission', () => {
  let here: Reviewing

  beforeEach(async () => {
    here = new Reviewing()
    await here.start()
  })

  afterEach(() => here.stop())

  for (const kind of KINDS) {
    it(`ends no pin on ${kind}`, async () => {
      here.knows(kind, objectOf(PINNED[kind]))
      for (const [what, change] of RESETS)
        for (const path of ['/webhook/held', '/webhook/workloads']) {
          const object = change(wished(PINNED[kind], kind))
          const answer = await here.review(path, requestOf(PINNED[kind], { object }))
          expect(answer, what).to.include({ http: 200, uid: 'r-1' })
          expect(staysHeld(kind, answer), `${what}: ${JSON.stringify(answer)}`).to.equal(true)
        }
    })

    it(`brings no override and no history that count in a creation of ${kind}`, async () => {
      for (const [what, change] of RESETS) {
        const object = change(wished(PINNED[kind], kind))
        const request = requestOf(PINNED[kind], { operation: 'CREATE', object, oldObject: null })
        const { allowed, operations = [] } = await here.review('/webhook/workloads', request)
        const textOf = (name: 'state' | 'history') => {
          const path = `/metadata/annotations/dormouse.dev~1${name}`
          const last = operations.findLast((each) => each.path === path)
          return last && ('value' in last ? String(last.value) : undefined)
        }
        const { annotations } = PINNED[kind].annotated(forged(kind))
        const texts = {
          state: textOf('state') ?? annotations.state,
          history: textOf('history') ?? annotations.history,
        }
        const stored = stateOf(PINNED[kind].annotated(texts), rulesBy(keyringOf()))
        expect(allowed && (stored?.override ?? stored?.history[0]), what).to.be.oneOf([false, undefined])
      }
    })
  }
})

describe('a review that cannot be read', () => {
  let here: Reviewing

  beforeEach(async () => {
    here = new Reviewing()
    await here.start()
  })

  afterEach(() => here.stop())

  const held = objectOf(pinned)
  const free = aDeployment('shop/web').withReplicas(3).enabled()
  const large = { padding: 'x'.repeat(6 * MIB) }
  /** Each kind of review that is not read, as changes of its request. */
  const UNREAD: readonly [string, (object: Json) => object, RegExp][] = [
    ['too large', (object) => ({ object: { ...object, ...large } }), /larger than 6 MiB/],
    ['too dense', (object) => ({ object: { ...object, x: Array(310_000).fill(0) } }), /more values/],
    [
      'of another shape',
      (object) => ({ object: { ...object, spec: { replicas: 'one' } } }),
      /not as Kubernetes/,
    ],
    ['without a spec', ({ metadata }) => ({ object: { metadata } }), /not as Kubernetes/],
    ['of no object', () => ({ object: null }), /not as Kubernetes/],
    [
      'of another version',
      () => ({ resource: { group: 'apps', version: 'v9', resource: 'deployments' } }),
      /version/,
    ],
    ['of an unknown subresource', () => ({ subResource: 'other' }), /neither/],
    ['of another name', (object) => ({ object: { ...object, metadata: { name: 'b' } } }), /another name/],
  ]

  for (const [what, change, why] of UNREAD) {
    it(`is denied where it is of what is held: ${what}`, async () => {
      const request = requestOf(pinned, change(held as unknown as Json))
      const byRoute = await here.review('/webhook/held', request)
      here.knows('deployments', held)
      const byCopy = await here.review('/webhook/workloads', request)
      for (const answer of [byRoute, byCopy]) {
        expect(answer).to.deep.include({ http: 200, uid: 'r-1', allowed: false })
        expect(answer.status?.message)
          .to.match(/^Dormouse: deployment shop\/web is held by a pin or an override/)
          .and.to.match(why)
      }
    })

    it(`is denied where it changes what Dormouse alone writes, though nothing is held: ${what}`, async () => {
      here.knows('deployments', objectOf(free))
      const request = requestOf(free, change(objectOf(free) as unknown as Json))
      const answer = await here.review('/webhook/marks', request)
      expect(answer).to.deep.include({ http: 200, uid: 'r-1', allowed: false })
      expect(answer.status?.message)
        .to.match(/^Dormouse: deployment shop\/web keeps its dormouse\.dev marks/)
        .and.to.match(why)
    })

    it(`goes through with a warning where nothing is held: ${what}`, async () => {
      here.knows('deployments', objectOf(free))
      const request = requestOf(free, change(objectOf(free) as unknown as Json))
      const answer = await here.review('/webhook/workloads', request)
      expect(answer).to.deep.include({ http: 200, uid: 'r-1', allowed: true })
      expect(answer).to.not.have.property('patch')
      expect(answer.warnings).to.have.length(1)
      expect(answer.warnings?.[0])
        .to.match(/^Dormouse: deployment shop\/web was not checked: /)
        .and.to.match(why)
    })
  }

  it('is allowed to exempt accounts', async () => {
    const userInfo = { username: 'system:serviceaccount:kube-system:deployment-controller' }
    for (const path of ['/webhook/held', '/webhook/workloads']) {
      const answer = await here.review(path, requestOf(pinned, { object: { ...held, ...large }, userInfo }))
      expect(answer).to.include({ http: 200, allowed: true }).and.not.have.property('warnings')
    }
  })

  it("is denied where the old object's label says that it is held, whatever the informer knows", async () => {
    const object = { ...held, spec: { replicas: 'one' } }
    const answer = await here.review('/webhook/workloads', requestOf(pinned, { object }))
    expect(answer).to.deep.include({ http: 200, allowed: false })
  })

  it('of a scaling is denied by its route, and by the copy on the other', async () => {
    const broken = scaling(pinned, 5, { subResource: 'status' })
    expect((await here.review('/webhook/scale', broken)).allowed).to.equal(true)
    expect((await here.review('/webhook/held-scale', broken)).allowed).to.equal(false)
    here.knows('deployments', held)
    expect((await here.review('/webhook/scale', broken)).allowed).to.equal(false)
  })

  it('of a creation goes through with a warning, with the state that it may have: that is not signed', async () => {
    const object = { ...held, ...large }
    const request = requestOf(pinned, { operation: 'CREATE', object, oldObject: null })
    const answer = await here.review('/webhook/workloads', request)
    expect(answer).to.include({ http: 200, allowed: true })
    expect(answer).to.not.have.property('patch')
    expect(answer.warnings?.[0]).to.match(/was not checked: .*larger than 6 MiB/)
  })

  it('is counted and logged by its reason', async () => {
    await here.review('/webhook/held', requestOf(pinned, { object: { ...held, ...large } }))
    expect(here.told).to.deep.equal(['held denied too_large'])
    expect(here.logged.join()).to.include('"reason":"too_large"').and.include('deployments/shop/web')
  })
})

describe('the beginning of a review', () => {
  const head = (request: object, rest = '') =>
    readHead(Buffer.from(reviewBody(request).slice(0, rest === '' ? undefined : -rest.length)))

  it('says what it is about, whatever its objects are', () => {
    const read = head(requestOf(pinned, { object: { x: 'y'.repeat(200_000) } }))
    expect(read).to.deep.include({ uid: 'r-1', namespace: 'shop', name: 'web', operation: 'UPDATE' })
    expect(read?.userInfo.username).to.equal('bob')
    expect(read?.object).to.equal(undefined)
  })

  it('is not confused by what a user is called, or brings with their name', () => {
    for (const userInfo of [
      { username: `x","object":{"a":1},"userInfo":{"username":"${OWN_USER}` },
      { username: 'bob', extra: { a: ['b'], object: ['c'], oldObject: ['{'] } },
      { username: 'bob', groups: [',"object":', ',"oldObject":{}'] },
    ])
      expect(head(requestOf(pinned, { userInfo }))?.userInfo.username).to.equal(userInfo.username)
  })

  it('is nothing where it is no review, or too long', () => {
    expect(readHead(Buffer.from('{"object":1}'))).to.equal(undefined)
    expect(readHead(Buffer.from(''))).to.equal(undefined)
    const groups = ['g'.repeat(70_000)]
    expect(head(requestOf(pinned, { userInfo: { username: 'bob', groups } }))).to.equal(undefined)
  })
})

import { expect } from 'chai'
import { keyOf } from '../../../src/domain/workload/workload.ts'
import { Refusal } from '../../../src/process/errors.ts'
import { APPS, reviewBody, scaling } from '../../support/reviews.ts'
import { aDeployment, aReplicaSet, type AWorkload } from '../../support/workloads.ts'
import { OWN_USER, Reviewing } from './reviewing.ts'

const free = aDeployment('shop/web').withReplicas(3).enabled().with({ resourceVersion: '10' })
const pinned = free.pinned().with({ resourceVersion: '11' })
const unpinned = free.with({ resourceVersion: '12' })
const anew = { uid: 'made anew' }

describe('a review of scaling', () => {
  let here: Reviewing

  beforeEach(async () => {
    here = new Reviewing()
    await here.start()
  })

  afterEach(() => here.stop())

  const known = (copy: AWorkload, live = copy) => {
    here.copies.set(keyOf(copy), copy)
    here.live.set(keyOf(live), live)
  }
  const scale = (workload: AWorkload, changes: object = {}) =>
    here.review('/webhook/scale', scaling(workload, 5, changes))

  for (const [title, { copy, live = pinned, asked = pinned, synced = true }, expected] of [
    ["by the informer's copy where that has its version", { copy: pinned }, [false, 0]],
    ['by a copy that is newer than its version', { copy: pinned, asked: free }, [false, 0]],
    ['by one live read otherwise: a pin that the informer has not seen counts', { copy: free }, [false, 1]],
    ['by one live read: so does an unpin', { copy: pinned, live: unpinned, asked: unpinned }, [true, 1]],
    [
      'by one read, whatever version it names',
      { copy: free, asked: pinned.with({ resourceVersion: '999999999999' }) },
      [false, 1],
    ],
    ['without a read where the synced informer lacks it: nothing holds it yet', {}, [true, 0]],
    [
      'without a read where the informer has another uid',
      { copy: free, asked: pinned.with(anew) },
      [true, 0],
    ],
    ['by a read where the informer lacks it and its watches are broken', { synced: false }, [false, 1]],
    [
      'by a read where it has another uid and its watches are broken',
      { synced: false, copy: free, asked: pinned.with({ ...anew, resourceVersion: '12' }) },
      [false, 1],
    ],
  ] as [
    string,
    { copy?: AWorkload; live?: AWorkload; asked?: AWorkload; synced?: boolean },
    [boolean, number],
  ][])
    it(`is decided ${title}`, async () => {
      here.synced = synced
      here.live.set(keyOf(live), live)
      if (copy) here.copies.set(keyOf(copy), copy)
      const answer = await scale(asked)
      expect([answer.allowed, here.reads]).to.deep.equal(expected)
      expect(answer).to.include({ http: 200, uid: 'r-1' })
      if (!answer.allowed)
        expect([answer.status?.code, here.told]).to.deep.equal([403, ['scale denied pinned']])
    })

  it('shares one live read with other reviews of the workload', async () => {
    known(free, pinned)
    const { promise, resolve: open } = Promise.withResolvers<void>()
    here.gate = promise
    let looked = 0
    here.onLook = () => {
      looked += 1
      if (looked === 50) open()
    }
    const asked = Array.from({ length: 50 }, () => scale(pinned))
    for (const { allowed } of await Promise.all(asked)) expect(allowed).to.equal(false)
    expect(here.reads).to.equal(1)
  })

  it('reads again when the shared read began before its version was written', async () => {
    const between = free.with({ resourceVersion: '11' })
    const later = pinned.with({ resourceVersion: '12' })
    known(free, between)
    const { promise, resolve: open } = Promise.withResolvers<void>()
    here.gate = promise
    const early = scale(between)
    while (here.reads === 0) await new Promise(setImmediate)
    here.live.set(keyOf(later), later)
    const late = scale(later)
    setTimeout(open, 20)
    expect([(await early).allowed, (await late).allowed, here.reads]).to.deep.equal([true, false, 2])
  })

  for (const resourceVersion of ['', 'NaN', '-1', '1e9', '0x10', '07', '9'.repeat(40)])
    it(`is not decided when its resourceVersion is not a decimal integer: '${resourceVersion.slice(0, 9)}'`, async () => {
      known(pinned)
      const { allowed, status } = await scale(pinned.with({ resourceVersion }))
      expect([allowed, status?.code, here.reads]).to.deep.equal([false, 400, 0])
    })

  for (const [what, failure, message] of [
    ['does not answer in time', undefined, /the API server did not answer it in time\. Try again$/],
    [
      'refuses to show the workload',
      new Refusal('CLUSTER_REJECTED', 'refused', { details: { status: 403, message: 'x cannot get it' } }),
      /: the API server refused to show it to Dormouse: x cannot get it$/,
    ],
    ['cannot be reached', new Refusal('CLUSTER_UNAVAILABLE', 'try again in 2 s'), /: try again in 2 s$/],
  ] as const)
    it(`of what is held is denied with 503 and the reason when the cluster ${what}`, async () => {
      known(pinned)
      here.failure = failure
      if (!failure) here.gate = new Promise(() => {})
      const { allowed, status } = await scale(pinned.with({ resourceVersion: '12' }))
      expect([allowed, status?.code]).to.deep.equal([false, 503])
      expect(status?.message).to.match(message)
      expect(here.told).to.deep.equal(['scale denied unchecked'])
    })

  it('of what nothing holds is allowed with a warning when the cluster does not show it', async () => {
    known(free, pinned)
    here.failure = new Refusal('CLUSTER_UNAVAILABLE', 'down')
    const { allowed, warnings } = await scale(pinned)
    expect([allowed, warnings]).to.deep.equal([true, ['Dormouse: deployment shop/web was not checked: down']])
    const held = await here.review('/webhook/held-scale', scaling(pinned, 5))
    expect([held.allowed, held.status?.code]).to.deep.equal([false, 503])
  })

  it('tells a stranger, who does not name the current uid, neither causes nor details nor warnings', async () => {
    here.synced = false
    here.failure = new Refusal('CLUSTER_UNAVAILABLE', 'connect ECONNREFUSED 10.0.0.1:6443')
    expect((await scale(pinned)).warnings?.join()).to.match(/ was not checked: try again$/)
    expect(here.logged.join('')).to.contain('ECONNREFUSED')
    known(pinned)
    const { allowed, status } = await scale(pinned.with(anew))
    expect(allowed).to.equal(false)
    expect(status?.message).to.equal(
      'Dormouse: deployment shop/web is not known to Dormouse yet, and this write was refused: try again',
    )
    const broken = pinned.with({ annotations: { enabled: 'true', state: '{' }, labels: {} })
    known(broken)
    expect((await scale(broken)).warnings).to.have.length(1)
    expect(await scale(broken.with(anew)))
      .to.include({ allowed: true })
      .and.not.have.property('warnings')
  })

  it("is logged in a short line, however long the user's name", async () => {
    known(pinned)
    await scale(pinned, { userInfo: { username: 'a'.repeat(50_000) } })
    expect(here.logged).to.have.length(1)
    expect(here.logged[0]).to.have.length.below(1000).and.to.contain('"user":"aaaa')
  })

  it("is allowed unchanged to exempt accounts, by exact name, and to Dormouse's own by its field manager", async () => {
    known(pinned)
    const hpa = 'system:serviceaccount:kube-system:horizontal-pod-autoscaler'
    for (const [username, fieldManager, expected] of [
      [hpa, 'x', true],
      ['system:kube-controller-manager', 'x', true],
      ['system:serviceaccount:keda:keda-operator', 'x', true],
      [OWN_USER, 'dormouse', true],
      [OWN_USER, 'kubectl', false],
      ['alice', 'dormouse', false],
      [`${hpa}s`, 'x', false],
      ['system:serviceaccount:kube-system:default', 'x', false],
      ['', 'dormouse', false],
    ] as const) {
      const { allowed } = await scale(pinned, { userInfo: { username }, options: { fieldManager } })
      expect(allowed, `${username} with ${fieldManager}`).to.equal(expected)
    }
  })

  it('of what is owned, or lies in an excluded namespace, is allowed', async () => {
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
    for (const each of [
      aReplicaSet('shop/web').withReplicas(3).enabled().pinned().with({ resourceVersion: '11', owner }),
      pinned.with({ namespace: 'kube-system' }),
    ]) {
      known(each)
      expect((await scale(each)).allowed).to.equal(true)
    }
  })
})

describe('a request that is not a valid review', () => {
  let here: Reviewing

  beforeEach(async () => {
    here = new Reviewing()
    await here.start()
  })

  afterEach(() => here.stop())

  const PATHS = ['/webhook/scale', '/webhook/workloads']
  const deployments = { ...APPS, resource: 'deployments' }
  const named = {
    uid: 'r',
    operation: 'UPDATE',
    namespace: 'shop',
    name: 'web',
    userInfo: {},
    resource: deployments,
  }
  const post = async (path: string, request: object) => here.post(path, reviewBody(request))
  const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }

  for (const [what, body] of [
    ['no JSON', '{'],
    [
      'another version',
      JSON.stringify({ ...review, apiVersion: 'admission.k8s.io/v1beta1', request: named }),
    ],
    ['another kind', JSON.stringify({ ...review, kind: 'Pod', request: named })],
    ['no request', JSON.stringify(review)],
    ['no uid', JSON.stringify({ ...review, request: { ...named, uid: undefined } })],
    ['a number', '7'],
  ] as const)
    it(`gets the envelope of errors: ${what}`, async () => {
      for (const path of PATHS) {
        const { status, answer } = await here.post(path, body)
        expect(status).to.equal(400)
        expect(answer.error).to.include({ code: 'VALIDATION_ERROR' })
      }
    })

  it('is allowed when it is a review of another resource', async () => {
    for (const [other, paths] of [
      // A status is reviewed as a write of the workload where it changes our marks.
      [{ subResource: 'status' }, ['/webhook/scale']],
      [{ resource: { group: 'batch', version: 'v1', resource: 'jobs' } }, PATHS],
      [{ resource: { ...deployments, version: 'v1beta1' }, object: {} }, PATHS],
    ] as const)
      for (const path of paths)
        expect(await here.review(path, { ...named, ...other })).to.include({
          http: 200,
          uid: 'r',
          allowed: true,
        })
  })

  for (const [what, changes] of Object.entries({
    name: { name: 'a'.repeat(254) },
    namespace: { namespace: 'a'.repeat(64) },
    operation: { operation: 'a'.repeat(64) },
    subresource: { subResource: 'a'.repeat(254) },
    resource: { resource: { ...deployments, resource: 'a'.repeat(254) } },
  }))
    it(`is refused when its ${what} is longer than in Kubernetes`, async () => {
      expect((await post('/webhook/workloads', { ...named, ...changes })).status).to.equal(400)
    })

  for (const [namespace, name] of [
    ['shop', ''],
    ['', 'web'],
    [undefined, 'web'],
    ['shop', undefined],
    ['shop', '..'],
    ['.', 'web'],
    ['shop', 'web/scale'],
    ['shop.eu', 'web'],
    ['shop', 'Web'],
    ['shop', 'web.'],
    ['shop', '-web'],
  ])
    it(`is refused when its names are not DNS names: ${namespace}/${name}`, async () => {
      here.synced = false
      for (const path of PATHS)
        expect((await post(path, { ...named, namespace, name, subResource: 'scale' })).status).to.equal(400)
      expect(here.reads).to.equal(0)
    })

  it('is not decided when its objects have another name than its request', async () => {
    const web = { metadata: { name: 'web', namespace: 'shop' } }
    const request = { ...named, subResource: 'scale' }
    for (const metadata of [{ name: 'other', namespace: 'shop' }, { name: 'web', namespace: 'bank' }, {}])
      for (const objects of [
        { object: web, oldObject: { metadata } },
        { object: { metadata }, oldObject: web },
      ])
        expect(await here.review('/webhook/held-scale', { ...request, ...objects }))
          .to.have.property('status')
          .that.includes({ code: 400 })
    const withoutNamespace = { metadata: { name: 'web' } }
    expect((await post('/webhook/workloads', { ...request, object: withoutNamespace })).status).to.equal(200)
  })

  it('is decided when it has names that Kubernetes limits later, or not at all', async () => {
    const long = 'a'.repeat(10_000)
    const create = {
      ...named,
      operation: 'CREATE',
      namespace: undefined,
      name: long,
      userInfo: { username: long },
    }
    const longest = {
      ...named,
      namespace: 'a'.repeat(63),
      name: 'a'.repeat(253),
      userInfo: { username: long },
    }
    for (const request of [create, longest])
      expect(await here.review('/webhook/workloads', request)).to.include({ http: 200, allowed: true })
  })

  it('gets 413 where it is large and cannot be read, 405 for other methods, 404 elsewhere', async () => {
    expect((await here.post('/webhook/scale', ' '.repeat(8 * 1024 * 1024 + 1))).status).to.equal(413)
    expect((await here.post('/webhook/scale', '', 'GET')).status).to.equal(405)
    expect((await here.post('/webhook', '{}')).status).to.equal(404)
  })
})

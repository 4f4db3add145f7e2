import { expect } from 'chai'
import { keyOf } from '../../../src/domain/workload/workload.ts'
import { Refusal } from '../../../src/service/process/errors.ts'
import { APPS, reviewBody, scaling } from '../../support/reviews.ts'
import { aDeployment, type AWorkload } from '../../support/workloads.ts'
import { OWN_USER, Reviewing } from './reviewing.ts'

const free = aDeployment('shop/web').withReplicas(3).enabled().with({ resourceVersion: '10' })
const pinned = free.pinned().with({ resourceVersion: '11' })

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

  it("is decided without I/O where the informer's copy has the asked resourceVersion", async () => {
    known(pinned)
    expect(await scale(pinned)).to.deep.include({ http: 200, uid: 'r-1', allowed: false })
    expect(here.reads).to.equal(0)
    expect(here.told).to.deep.equal(['scale denied pinned'])
  })

  it('is decided by one live read otherwise: a pin that the informer has not seen counts', async () => {
    known(free, pinned)
    const { allowed, status } = await scale(pinned)
    expect([allowed, status?.code, here.reads]).to.deep.equal([false, 403, 1])
    expect(status?.message).to.contain('pinned active by alice').and.contain('kubectl annotate ')
  })

  it('is allowed after an unpin that the informer has not seen', async () => {
    const unpinned = free.with({ resourceVersion: '12' })
    known(pinned, unpinned)
    expect(await scale(unpinned)).to.include({ allowed: true })
  })

  it('shares one live read with other reviews of the workload', async () => {
    known(free, pinned)
    let open = () => {}
    here.gate = new Promise((resolve) => (open = resolve))
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
    let open = () => {}
    here.gate = new Promise((resolve) => (open = resolve))
    const early = scale(between)
    while (here.reads === 0) await new Promise(setImmediate)
    here.live.set(keyOf(later), later)
    const late = scale(later)
    setTimeout(open, 20)
    expect((await early).allowed).to.equal(true)
    expect((await late).allowed).to.equal(false)
    expect(here.reads).to.equal(2)
  })

  it('is decided by a copy that is newer than its version', async () => {
    known(pinned)
    expect((await scale(pinned.with({ resourceVersion: '10' }))).allowed).to.equal(false)
    expect(here.reads).to.equal(0)
  })

  it('reads nothing that the synced informer lacks: such a workload is neither pinned nor overridden yet', async () => {
    here.live.set(keyOf(pinned), pinned)
    expect(await scale(pinned)).to.deep.include({ http: 200, allowed: true })
    known(free, pinned)
    expect((await scale(pinned.with({ uid: 'made anew' }))).allowed).to.equal(true)
    expect(here.reads).to.equal(0)
  })

  it('reads a workload that the informer lacks while its watches are broken', async () => {
    here.synced = false
    here.live.set(keyOf(pinned), pinned)
    expect((await scale(pinned)).allowed).to.equal(false)
    known(free, pinned)
    expect((await scale(pinned.with({ uid: 'made anew', resourceVersion: '12' }))).allowed).to.equal(false)
    expect(here.reads).to.equal(2)
  })

  it('causes at most one read, whatever version it names', async () => {
    known(free, pinned)
    expect((await scale(pinned.with({ resourceVersion: '999999999999' }))).allowed).to.equal(false)
    expect(here.reads).to.equal(1)
  })

  for (const resourceVersion of ['', 'NaN', '-1', '1e9', '0x10', '07', '9'.repeat(40)]) {
    it(`is not decided when its resourceVersion is not a decimal integer: '${resourceVersion.slice(0, 9)}'`, async () => {
      known(pinned, pinned)
      const { allowed, status } = await scale(pinned.with({ resourceVersion }))
      expect([allowed, status?.code, here.reads]).to.deep.equal([false, 400, 0])
    })
  }

  const failures: [string, Error | undefined, RegExp][] = [
    ['does not answer in time', undefined, /the API server did not answer it in time\. Try again$/],
    [
      'refuses to show the workload',
      new Refusal('CLUSTER_REJECTED', 'get web: refused', {
        details: { status: 403, message: 'User "x" cannot get it' },
      }),
      /: the API server refused to show it to Dormouse: User "x" cannot get it$/,
    ],
    [
      'cannot be reached',
      new Refusal('CLUSTER_UNAVAILABLE', 'get web: the cluster cannot be reached; try again in 2 s'),
      /: get web: the cluster cannot be reached; try again in 2 s$/,
    ],
  ]
  for (const [what, failure, message] of failures) {
    it(`of what is held is denied with 503 and the reason when the cluster ${what}`, async () => {
      known(pinned, pinned)
      here.failure = failure
      if (!failure) here.gate = new Promise(() => {})
      const { allowed, status } = await scale(pinned.with({ resourceVersion: '12' }))
      expect([allowed, status?.code]).to.deep.equal([false, 503])
      expect(status?.message).to.match(message)
      expect(here.told).to.deep.equal(['scale denied unchecked'])
    })
  }

  it('of what nothing holds is allowed with a warning when the cluster does not show it', async () => {
    known(free, pinned)
    here.failure = new Refusal('CLUSTER_UNAVAILABLE', 'down')
    const { allowed, warnings } = await scale(pinned)
    expect([allowed, warnings]).to.deep.equal([true, ['Dormouse: deployment shop/web was not checked: down']])
    const held = await here.review('/webhook/held-scale', scaling(pinned, 5))
    expect([held.allowed, held.status?.code]).to.deep.equal([false, 503])
  })

  it('that could not be checked tells a stranger no cause', async () => {
    here.synced = false
    here.failure = new Refusal('CLUSTER_UNAVAILABLE', 'connect ECONNREFUSED 10.0.0.1:6443')
    const { warnings } = await scale(pinned)
    expect(warnings).to.deep.equal(['Dormouse: deployment shop/web was not checked: try again'])
    expect(here.logged.join('')).to.contain('ECONNREFUSED')
  })

  it("is logged in a short line, however long the user's name", async () => {
    known(pinned)
    await scale(pinned, { userInfo: { username: 'a'.repeat(50_000) } })
    expect(here.told).to.deep.equal(['scale denied pinned'])
    expect(here.logged).to.have.length(1)
    expect(here.logged[0]).to.have.length.below(1000).and.to.contain('"user":"aaaa')
  })

  it('tells no details to a caller that does not name the current uid', async () => {
    known(pinned)
    const { allowed, status } = await here.review(
      '/webhook/scale',
      scaling(pinned.with({ uid: 'another' }), 5),
    )
    expect(allowed).to.equal(false)
    expect(status?.message).to.equal(
      'Dormouse: deployment shop/web is not known to Dormouse yet, and this write was refused: try again',
    )
  })

  it('over a state that cannot be read has no warning for a caller that does not name the current uid', async () => {
    const broken = free.with({ annotations: { enabled: 'true', state: '{' } })
    known(broken)
    expect((await scale(broken)).warnings).to.have.length(1)
    const stranger = await here.review('/webhook/scale', scaling(broken.with({ uid: 'another' }), 5))
    expect(stranger).to.include({ allowed: true }).and.not.have.property('warnings')
  })

  it('of exempt accounts is allowed unchanged, by exact name', async () => {
    known(pinned)
    const by = (username: string, fieldManager = 'x') =>
      scale(pinned, { userInfo: { username }, options: { fieldManager } })
    const hpa = 'system:serviceaccount:kube-system:horizontal-pod-autoscaler'
    for (const user of [hpa, 'system:kube-controller-manager', 'system:serviceaccount:keda:keda-operator']) {
      expect((await by(user)).allowed, user).to.equal(true)
    }
    for (const user of [`${hpa}s`, 'system:serviceaccount:kube-system:default', 'kubernetes-admin', '']) {
      expect((await by(user)).allowed, user).to.equal(false)
    }
  })

  it("of Dormouse's own account is allowed only with its own field manager", async () => {
    known(pinned)
    const by = (fieldManager: string) =>
      scale(pinned, { userInfo: { username: OWN_USER }, options: { fieldManager } })
    expect((await by('dormouse')).allowed).to.equal(true)
    expect((await by('kubectl')).allowed).to.equal(false)
    expect((await scale(pinned, { options: { fieldManager: 'dormouse' } })).allowed).to.equal(false)
  })

  it('of what does not exist, is owned, or lies in an excluded namespace is allowed', async () => {
    expect((await scale(free)).allowed).to.equal(true)
    known(
      pinned.with({ kind: 'replicasets', owner: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } }),
    )
    expect((await scale(pinned.with({ kind: 'replicasets' }))).allowed).to.equal(true)
    known(pinned.with({ namespace: 'kube-system' }))
    expect((await scale(pinned.with({ namespace: 'kube-system' }))).allowed).to.equal(true)
  })

  it('is decided the same in a dry run', async () => {
    known(pinned)
    expect((await scale(pinned, { dryRun: true })).allowed).to.equal(false)
  })

  it('two hundred at once are answered', async () => {
    known(free, pinned)
    const answers = await Promise.all(Array.from({ length: 200 }, () => scale(pinned)))
    expect(answers.every(({ allowed }) => !allowed)).to.equal(true)
  })
})

describe('a request that is not a valid review', () => {
  let here: Reviewing

  beforeEach(async () => {
    here = new Reviewing()
    await here.start()
  })

  afterEach(() => here.stop())

  const deployments = { ...APPS, resource: 'deployments' }
  const named = { uid: 'r', namespace: 'shop', name: 'web', userInfo: {} }
  const broken: [string, string][] = [
    ['no JSON', '{'],
    [
      'another version',
      JSON.stringify({ apiVersion: 'admission.k8s.io/v1beta1', kind: 'AdmissionReview', request: {} }),
    ],
    ['another kind', JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'Pod' })],
    ['no request', JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' })],
    [
      'no uid',
      reviewBody({
        operation: 'UPDATE',
        resource: { group: 'apps', version: 'v1', resource: 'x' },
        userInfo: {},
      }),
    ],
    ['a number', '7'],
  ]
  for (const [what, body] of broken) {
    it(`gets the envelope of errors: ${what}`, async () => {
      for (const path of ['/webhook/scale', '/webhook/workloads']) {
        const { status, answer } = await here.post(path, body)
        expect(status).to.equal(400)
        expect(answer.error).to.include({ code: 'VALIDATION_ERROR' })
      }
    })
  }

  it('is allowed when it is a review of another resource', async () => {
    const others = [
      { resource: { group: 'apps', version: 'v1', resource: 'deployments' }, subResource: 'status' },
      { resource: { group: 'batch', version: 'v1', resource: 'jobs' } },
      { resource: { group: 'apps', version: 'v1beta1', resource: 'deployments' }, object: {} },
    ]
    for (const other of others) {
      for (const path of ['/webhook/scale', '/webhook/workloads'] as const) {
        const answer = await here.review(path, { ...named, operation: 'UPDATE', ...other })
        expect(answer).to.include({ http: 200, uid: 'r', allowed: true })
      }
    }
  })

  const long: [string, object][] = [
    ['name', { name: 'a'.repeat(254) }],
    ['namespace', { namespace: 'a'.repeat(64) }],
    ['operation', { operation: 'a'.repeat(64) }],
    ['subresource', { subResource: 'a'.repeat(254) }],
    ['resource', { resource: { ...deployments, resource: 'a'.repeat(254) } }],
  ]
  for (const [what, changes] of long) {
    it(`is refused when its ${what} is longer than in Kubernetes`, async () => {
      const request = { ...named, operation: 'UPDATE', resource: deployments, ...changes }
      expect((await here.post('/webhook/workloads', reviewBody(request))).status).to.equal(400)
    })
  }

  for (const [namespace, name] of [
    ['shop', ''],
    ['', 'web'],
    ['', ''],
    [undefined, 'web'],
    ['shop', undefined],
    ['shop', '..'],
    ['.', 'web'],
    ['shop', 'web/scale'],
    ['shop.eu', 'web'],
    ['shop', 'Web'],
    ['shop', 'web.'],
    ['shop', '-web'],
  ]) {
    it(`is refused when its names are not DNS names: ${namespace}/${name}`, async () => {
      here.synced = false
      const request = { ...named, namespace, name, operation: 'UPDATE', resource: deployments }
      for (const path of ['/webhook/scale', '/webhook/workloads'])
        expect((await here.post(path, reviewBody({ ...request, subResource: 'scale' }))).status).to.equal(400)
      expect(here.reads).to.equal(0)
    })
  }

  it('is not decided when its objects have another name than its request', async () => {
    const web = { metadata: { name: 'web', namespace: 'shop' } }
    const others = [{ name: 'other', namespace: 'shop' }, { name: 'web', namespace: 'bank' }, {}]
    const request = { ...named, operation: 'UPDATE', resource: deployments, subResource: 'scale' }
    for (const metadata of others) {
      for (const objects of [
        { object: web, oldObject: { metadata } },
        { object: { metadata }, oldObject: web },
      ])
        expect(
          (await here.post('/webhook/held-scale', reviewBody({ ...request, ...objects }))).answer.response,
        )
          .to.have.property('status')
          .that.includes({ code: 400 })
    }
    const withoutNamespace = { ...web, metadata: { name: 'web' } }
    const answer = await here.post('/webhook/workloads', reviewBody({ ...request, object: withoutNamespace }))
    expect(answer.status).to.equal(200)
  })

  it('is decided when it has names that Kubernetes limits later, or not at all', async () => {
    const name = 'a'.repeat(10_000)
    const create = {
      uid: 'r',
      operation: 'CREATE',
      resource: deployments,
      name,
      userInfo: { username: name },
    }
    const longest = { ...create, operation: 'UPDATE', namespace: 'a'.repeat(63), name: 'a'.repeat(253) }
    for (const request of [create, longest]) {
      expect(await here.review('/webhook/workloads', request)).to.include({ http: 200, allowed: true })
    }
  })

  it('gets 413 where it is large and cannot be read, 405 for other methods, 404 elsewhere', async () => {
    expect((await here.post('/webhook/scale', ' '.repeat(8 * 1024 * 1024 + 1))).status).to.equal(413)
    expect((await here.post('/webhook/scale', '', 'GET')).status).to.equal(405)
    expect((await here.post('/webhook', '{}')).status).to.equal(404)
  })

  it('never blocks a deploy when its object cannot be read', async () => {
    const answer = await here.review('/webhook/workloads', {
      ...named,
      operation: 'UPDATE',
      resource: deployments,
      object: { metadata: 7 },
      oldObject: {},
    })
    expect(answer).to.include({ http: 200, allowed: true })
  })
})

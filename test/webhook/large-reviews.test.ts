import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { reviewThread } from '../../src/service/review-thread.ts'
import { loadConfig } from '../../src/config.ts'
import { keyOf } from '../../src/domain/workload.ts'
import { LargeReviews } from '../../src/webhook/large-reviews.ts'
import { isTooDense, SMALL_BODY } from '../../src/webhook/limits.ts'
import { APPS, scaling } from '../support/reviews.ts'
import { aDeployment } from '../support/workloads.ts'
import { Reviewing } from './reviewing.ts'

const MIB = 1024 * 1024
const pinned = aDeployment('shop/web').withReplicas(3).enabled().pinned()

function entries(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`l${index}`, 'v']))
}

/** A whole Deployment, pinned, with more fields of its metadata and its containers. */
function objectOf(replicas: number, { metadata = {}, env = [] }: { metadata?: object; env?: object[] } = {}) {
  const annotations = Object.fromEntries(
    Object.entries(pinned.annotations).map(([name, value]) => [`dormouse.dev/${name}`, value]),
  )
  const { name, namespace, uid, resourceVersion } = pinned
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, uid, resourceVersion, annotations, ...metadata },
    spec: { replicas, template: { spec: { containers: [{ name: 'web', image: 'web', env }] } } },
  }
}

function updating(oldObject: object, object: object): object {
  return {
    uid: 'r',
    operation: 'UPDATE',
    namespace: 'shop',
    name: 'web',
    resource: { ...APPS, resource: 'deployments' },
    userInfo: { username: 'alice' },
    oldObject,
    object,
  }
}

describe('a large review', () => {
  let here: Reviewing

  beforeEach(async () => {
    here = new Reviewing()
    here.copies.set(keyOf(pinned), pinned)
    await here.start()
  })

  afterEach(() => here.stop())

  const update = (options: Parameters<typeof objectOf>[1], replicas = 5) =>
    here.review('/webhook/workloads', updating(objectOf(3, options), objectOf(replicas, options)))

  it('of a Deployment with a few hundred labels is decided like any other', async () => {
    const answer = await update({ metadata: { labels: entries(400) } })
    expect(answer.status?.message).to.contain('pinned active by k8s:alice')
  })

  it('of an object of 1.5 MiB is decided like any other', async () => {
    const env = Array.from({ length: 20_000 }, (_, index) => ({
      name: `NAME_${index}`,
      value: 'v'.repeat(50),
    }))
    expect(JSON.stringify(env)).to.have.length.above(1.5 * MIB)
    expect((await update({ env })).allowed).to.equal(false)
    expect((await update({ env }, 3)).allowed).to.equal(true)
  })

  it('of a scaling is decided like any other', async () => {
    const answer = await here.review(
      '/webhook/scale',
      scaling(pinned, 5, { padding: 'a'.repeat(SMALL_BODY) }),
    )
    expect(answer.status?.message).to.contain('pinned active by k8s:alice')
  })

  it('of an object with thousands of labels or annotations is denied, whatever it changes', async () => {
    for (const kept of ['labels', 'annotations']) {
      const { annotations } = objectOf(3).metadata
      const metadata = { [kept]: { ...annotations, ...entries(4097) } }
      const answer = await update({ metadata }, 3)
      expect(answer).to.deep.include({ http: 200, uid: 'r', allowed: false })
      expect(answer.status?.message).to.match(/^Dormouse: deployment shop\/web has more than 4,096 labels/)
    }
    expect(new Set(here.told)).to.deep.equal(new Set(['workloads denied too_large']))
  })

  it('may remove thousands of labels', async () => {
    const many = objectOf(3, { metadata: { labels: entries(10_000) } })
    const answer = await here.review('/webhook/workloads', updating(many, objectOf(3)))
    expect(answer.allowed).to.equal(true)
  })

  it('with more values than an object can have is refused unparsed', async () => {
    const object = `[${Array.from({ length: 2 * MIB }, () => '{}').join(',')}]`
    const { status, answer } = await here.post('/webhook/workloads', object)
    expect(status).to.equal(413)
    expect(answer.response.status?.message).to.match(
      /^Dormouse: the review has more values than a Kubernetes object can have$/,
    )
  })

  it('of that density is denied when the API server sends it: a failure would be ignored, and a pin with it', async () => {
    const filler = Array.from({ length: 310_000 }, () => '0').join(',')
    const review =
      '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"4f1c-a","object":{"x":[' +
      `${filler}]}}}`
    const { status, answer } = await here.post('/webhook/workloads', review)
    expect(status).to.equal(200)
    expect(answer.response).to.include({ uid: '4f1c-a', allowed: false })
  })
})

describe('the density of a body', () => {
  const dense = (text: string) => isTooDense(Buffer.from(text))

  it('counts values, and nothing inside strings', () => {
    expect(dense(`[${'{},'.repeat(200_000)}0]`)).to.equal(true)
    expect(dense(`[${'0,'.repeat(299_998)}0]`)).to.equal(false)
    expect(dense(`["${'{,['.repeat(200_000)}"]`)).to.equal(false)
    expect(dense(String.raw`["\"${'{,['.repeat(200_000)}"]`)).to.equal(false)
    expect(dense(String.raw`["\\",${'0,'.repeat(300_000)}0]`)).to.equal(true)
  })
})

describe('the thread of large reviews', () => {
  const body = (size: number) => new Uint8Array(Buffer.from(' '.repeat(size)))
  const forever = new AbortController().signal
  const realThread = () => reviewThread(loadConfig({ environment: {} }))
  let start = realThread
  let threads = 0
  let reviews: LargeReviews

  beforeEach(() => {
    threads = 0
    start = realThread
    reviews = new LargeReviews(() => {
      threads += 1
      return start()
    })
  })

  afterEach(() => reviews.stop())

  it('takes one review after another: the first, then the smallest that waits', async () => {
    expect(threads).to.equal(0)
    const order: number[] = []
    const asked = [3, 1, 2, 4].map(async (size) => {
      await reviews.prepare('scale', body(size * 1000), forever)
      order.push(size)
    })
    await Promise.all(asked)
    expect(order).to.deep.equal([3, 1, 2, 4])
    expect(threads).to.equal(1)
  })

  it('starts with the first review, not before', async () => {
    await reviews.start()
    expect(threads).to.equal(0)
    await reviews.prepare('scale', body(10), forever)
    expect(threads).to.equal(1)
  })

  it('ends when no review comes for a while; one that comes while it ends gets a new thread', async () => {
    const ended: Promise<unknown>[] = []
    reviews = new LargeReviews(() => {
      threads += 1
      const thread = realThread()
      const terminate = thread.terminate.bind(thread)
      const { promise, resolve } = Promise.withResolvers<unknown>()
      thread.terminate = () => {
        resolve(reviews.prepare('scale', body(20), forever))
        return terminate()
      }
      ended.push(promise)
      return thread
    }, 5)
    await reviews.prepare('scale', body(10), forever)
    expect(await ended[0]).to.include({ type: 'refused' })
    expect(threads).to.equal(2)
  })

  it('skips reviews whose client has gone', async () => {
    const gone = new AbortController()
    const first = reviews.prepare('scale', body(10), forever)
    const left = reviews.prepare('scale', body(20), gone.signal)
    gone.abort()
    expect(await left.catch((error: Error) => error.message)).to.equal('the client has gone')
    expect((await first).type).to.equal('refused')
  })

  it('passes over a review whose body was dropped while it started, and ends in peace', async () => {
    const ended: Promise<unknown>[] = []
    start = () => {
      const thread = realThread()
      ended.push(once(thread, 'exit'))
      return thread
    }
    reviews = new LargeReviews(() => start(), 5)
    // One that nobody handles ends the service.
    const rejections: unknown[] = []
    const note = (reason: unknown) => void rejections.push(reason)
    process.on('unhandledRejection', note)
    const gone = new AbortController()
    const dropped = body(10)
    const asked = reviews.prepare('scale', dropped, gone.signal)
    // As a flood of large bodies does it.
    dropped.buffer.transfer(0)
    gone.abort()
    await asked.catch(() => {})
    await ended[0]
    await setImmediate()
    process.off('unhandledRejection', note)
    expect(rejections).to.deep.equal([])
  })

  it('is replaced when it dies of a review, which alone fails', async () => {
    const mortal =
      "p = require('worker_threads').parentPort; p.on('message', () => process.exit(1)); p.postMessage('ready')"
    start = () => new Worker(mortal, { eval: true })
    const outcomes = [1, 2].map((size) =>
      reviews.prepare('scale', body(size), forever).then(
        ({ type }) => type,
        (error: Error) => error.message,
      ),
    )
    expect(await outcomes[0]).to.equal('the thread of large reviews ended')
    start = realThread
    expect(await outcomes[1]).to.be.oneOf(['refused', 'the thread of large reviews ended'])
    expect((await reviews.prepare('scale', body(3), forever)).type).to.equal('refused')
  })
})

import { expect } from 'chai'
import { keyOf } from '../../../src/domain/workload/workload.ts'
import { isTooDense } from '../../../src/service/webhook/review.ts'
import { changing, reviewBody, scaling } from '../../support/reviews.ts'
import { objectOf as wholeOf } from '../../support/workload-object.ts'
import { aDeployment } from '../../support/workloads.ts'
import { Reviewing } from './reviewing.ts'

const MIB = 1024 * 1024
const pinned = aDeployment('shop/web').withReplicas(3).enabled().pinned()

function entries(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`l${index}`, 'v']))
}

/** The pinned Deployment with such a count, and more fields of its metadata and its containers. */
function objectOf(replicas: number, { metadata = {}, env = [] }: { metadata?: object; env?: object[] } = {}) {
  const whole = wholeOf(pinned)
  const template = { spec: { containers: [{ name: 'web', image: 'web', env }] } }
  return { ...whole, metadata: { ...whole.metadata, ...metadata }, spec: { replicas, template } }
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
    here.review('/webhook/workloads', changing(pinned, objectOf(3, options), objectOf(replicas, options)))

  it('of an object of 1.5 MiB is decided like any other', async () => {
    const env = Array.from({ length: 20_000 }, (_, index) => ({
      name: `NAME_${index}`,
      value: 'v'.repeat(50),
    }))
    expect(JSON.stringify(env)).to.have.length.above(1.5 * MIB)
    expect((await update({ env })).allowed).to.equal(false)
    expect((await update({ env }, 3)).allowed).to.equal(true)
  })

  it('of a scaling has at most 64 KiB: the informer knows that it is pinned', async () => {
    const padding = 'a'.repeat(64 * 1024)
    for (const path of ['/webhook/scale', '/webhook/held-scale']) {
      const answer = await here.review(path, scaling(pinned, 5, { padding }))
      expect(answer).to.deep.include({ http: 200, uid: 'r-1', allowed: false })
      expect(answer.status?.message).to.equal(
        'Dormouse: deployment shop/web is held by a pin or an override, and this scaling was not checked: the review is larger than 64 KiB. Make the object smaller, or use the API',
      )
    }
  })

  it('of an object with thousands of labels or annotations is denied, whatever it changes', async () => {
    for (const kept of ['labels', 'annotations']) {
      const { annotations } = objectOf(3).metadata
      const metadata = { [kept]: { ...annotations, ...entries(4097) } }
      const answer = await update({ metadata }, 3)
      expect(answer).to.deep.include({ http: 200, uid: 'r-1', allowed: false })
      expect(answer.status?.message).to.match(/^Dormouse: deployment shop\/web has more than 4,096 labels/)
    }
    expect(new Set(here.told)).to.deep.equal(new Set(['workloads denied too_large']))
  })

  it('may remove thousands of labels', async () => {
    const many = objectOf(3, { metadata: { labels: entries(10_000) } })
    const answer = await here.review('/webhook/workloads', changing(pinned, many, objectOf(3)))
    expect(answer.allowed).to.equal(true)
  })

  it('with more values than an object can have is refused unparsed', async () => {
    const object = `[${Array.from({ length: MIB }, () => '{}').join(',')}]`
    const { status, answer } = await here.post('/webhook/workloads', object)
    expect(status).to.equal(400)
    expect(answer.error?.message).to.equal('the review has more values than a Kubernetes object can have')
  })

  it('of that density is denied when the API server sends it: a failure would be ignored, and a pin with it', async () => {
    const filler = Array.from({ length: 310_000 }, () => 0)
    const answer = await here.review('/webhook/workloads', changing(pinned, objectOf(3), { filler }))
    expect(answer).to.include({ http: 200, uid: 'r-1', allowed: false })
    expect(answer.status?.message).to.include('the review has more values than a Kubernetes object can have')
  })

  it('of values that stand deep within each other is denied, however small: comparing them takes a call a level', async () => {
    const body = reviewBody(changing(pinned, objectOf(3, { env: [{}] }), objectOf(5, { env: [{}] })))
    const deep = body.replaceAll('"env":[{}]', `"env":${'['.repeat(20_000)}${']'.repeat(20_000)}`)
    const { response } = (await here.post('/webhook/workloads', deep)).answer
    expect(response).to.deep.include({ uid: 'r-1', allowed: false })
    expect(response.status?.message).to.include('deeper than Kubernetes has any')
    expect(here.logged.filter((line) => line.includes('"level":"error"'))).to.deep.equal([])
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

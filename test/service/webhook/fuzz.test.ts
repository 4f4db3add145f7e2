import { expect } from 'chai'
import fc from 'fast-check'
import type { PatchOperation } from '../../../src/domain/json-patch.ts'
import { keyOf } from '../../../src/domain/workload/workload.ts'
import type { ReviewAnswer } from '../../../src/service/webhook/answer.ts'
import { applied } from '../../support/json-patch.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { scaling } from '../../support/reviews.ts'
import { aDeployment } from '../../support/workloads.ts'
import { ANY_REVIEW, withoutOurs } from './arbitrary-reviews.ts'
import { Reviewing } from './reviewing.ts'

const neighbour = aDeployment('shop/neighbour').withReplicas(3).enabled().pinned()
const reviewed = aDeployment('shop/web').withReplicas(3).enabled().pinned()

describe('arbitrary admission reviews', function () {
  this.timeout(1_200_000)
  let here: Reviewing

  before(async () => {
    here = new Reviewing()
    await here.start()
    for (const workload of [neighbour, reviewed]) here.copies.set(keyOf(workload), workload)
  })

  after(() => here.stop())

  for (const path of [
    '/webhook/workloads',
    '/webhook/held',
    '/webhook/scale',
    '/webhook/held-scale',
    '/webhook/namespaces',
    '/webhook/probe',
  ])
    it(`to ${path} get a whole answer to their own uid, and no patch of what is not ours`, async () => {
      const decisions = new Set<string>()
      await fc.assert(
        fc.asyncProperty(ANY_REVIEW, async (body) => {
          const { status, answer } = await here.post(path, body)
          decisions.add(decisionOf(status, answer))
          expect(status).to.be.oneOf([200, 400, 413])
          if (status !== 200) {
            expect(answer.error?.message).to.be.a('string')
            return
          }
          expectWhole(answer)
          const request = requestOf(body)
          expect(answer.response.uid).to.equal(request?.uid ?? 'r-1')
          if (answer.response.patch !== undefined && request)
            expectOurs(request.object, answer.response.patch)
        }),
        propertyRuns(700),
      )
      const all =
        path === '/webhook/workloads' || path === '/webhook/held'
          ? ['patched', 'allowed', 'denied', 'refused']
          : ['refused']
      expect([...decisions]).to.include.members(all)
      expect(here.logged.filter((line) => line.includes('"level":"error"'))).to.deep.equal([])
    })

  it('leave the decisions about others as they were', async () => {
    expect(here.copies.get(keyOf(neighbour))).to.equal(neighbour)
    expect(await here.review('/webhook/scale', scaling(neighbour, 5))).to.include({
      http: 200,
      allowed: false,
    })
    expect(await here.review('/webhook/scale', scaling(neighbour, 3))).to.include({
      http: 200,
      allowed: true,
    })
  })
})

/** undefined: a review that breaks off, which is answered by its beginning. */
function requestOf(body: string): { uid: string; object: unknown } | undefined {
  try {
    return (JSON.parse(body) as { request: { uid: string; object: unknown } }).request
  } catch {
    return undefined
  }
}

function decisionOf(status: number, { response }: ReviewAnswer): string {
  if (status !== 200) return 'refused'
  if (!response.allowed) return 'denied'
  return response.patch === undefined ? 'allowed' : 'patched'
}

function expectWhole({ apiVersion, kind, response }: ReviewAnswer): void {
  expect([apiVersion, kind]).to.deep.equal(['admission.k8s.io/v1', 'AdmissionReview'])
  const { allowed, status, warnings = [], patch, patchType } = response
  expect(allowed).to.be.a('boolean')
  expect(patchType).to.equal(patch === undefined ? undefined : 'JSONPatch')
  expect(status === undefined, 'a status goes with a denial').to.equal(allowed)
  if (status) {
    expect(status.code).to.be.within(400, 503)
    expect(status.reason).to.match(/^[A-Z][A-Za-z]+$/)
  }
  for (const message of [...warnings, ...(status ? [status.message] : [])])
    expect(message)
      .to.match(/^Dormouse: \P{Cc}+$/u)
      .and.have.length.at.most(256)
}

/** The patch applies to the object, and changes only fields that Dormouse may change. */
function expectOurs(object: unknown, encoded: string): void {
  const patch = JSON.parse(Buffer.from(encoded, 'base64').toString()) as PatchOperation[]
  const after = applied(object, patch)
  expect(after, `${JSON.stringify(patch)} applies to ${JSON.stringify(object)}`).to.not.equal(undefined)
  expect(withoutOurs(after)).to.deep.equal(withoutOurs(object))
}

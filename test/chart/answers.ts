import { expect } from 'chai'
import type { Cluster } from '../support/cluster.ts'

type Answer = ReturnType<Cluster['admin']['send']>

/** The cluster took it. `what`: for a failure's message. */
export async function isTaken(answer: Answer, what = ''): Promise<void> {
  const { status, body } = await answer
  expect(status, `${what}: ${body.message}`).to.be.oneOf([200, 201])
}

/** A policy refused it, in these words among others. */
export async function isRefused(answer: Answer, says: string, what = ''): Promise<void> {
  const { status, body } = await answer
  expect(body.message, what).to.include('ValidatingAdmissionPolicy').and.include(says)
  expect(status, what).to.equal(422)
}

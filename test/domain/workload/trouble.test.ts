import { expect } from 'chai'
import { troubleIn, troubleText } from '../../../src/domain/workload/trouble.ts'

const condition = (type: string, status: string, reason?: unknown, message?: unknown) => ({
  type,
  status,
  reason,
  message,
})
const QUOTA =
  'pods "web-6d4cf56db6-" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'
const FAILURE = condition('ReplicaFailure', 'True', 'FailedCreate', QUOTA)
const LATE = condition('Progressing', 'False', 'ProgressDeadlineExceeded', 'ReplicaSet "web-1" timed out.')

describe('why pods do not come', () => {
  it('is what a condition says that tells of missing pods; a refusal comes before a deadline', () => {
    expect(troubleIn([LATE])).to.deep.equal({
      code: 'ProgressDeadlineExceeded',
      message: 'ReplicaSet "web-1" timed out.',
    })
    expect(troubleIn([LATE, FAILURE])?.code).to.equal('FailedCreate')
    for (const type of ['InvalidSpec', 'Stalled'])
      expect(troubleIn([condition(type, 'True', 'Bad', 'x')])).to.deep.equal({ code: 'Bad', message: 'x' })
  })

  it('is nothing where no condition tells of it', () => {
    const others = [condition('Progressing', 'True', 'ReplicaSetUpdated'), condition('Available', 'False')]
    for (const conditions of [undefined, null, 'x', [], others, [condition('Progressing', 'Unknown')]])
      expect(troubleIn(conditions)).to.equal(undefined)
  })

  it("begins with what is the matter, without the pod's name", () => {
    expect(troubleIn([FAILURE])?.message).to.match(/^exceeded quota: q, requested/)
    const hook = 'admission webhook "x" denied the request: no'
    expect(troubleIn([condition('ReplicaFailure', 'True', 'FailedCreate', hook)])?.message).to.equal(hook)
  })

  it('is short, on one line, and cannot move the cursor, whatever a tenant wrote', () => {
    const hostile = `\u001B[2Ja\nb\u202Ec ${'x'.repeat(100_000)}`
    const { code, message } = troubleIn([condition('ReplicaFailure', 'True', 'a\u001B[31m', hostile)])!
    expect(code, 'a reason that is none').to.equal('ReplicaFailure')
    expect(message)
      .to.match(/^\[2Ja b c x+…$/)
      .and.to.have.lengthOf(201)
  })

  it('reads as the message and the word to search for', () => {
    expect(troubleText({ code: 'FailedCreate', message: 'no' })).to.equal('no (FailedCreate)')
    expect(troubleText({ code: 'FailedCreate', message: '' })).to.equal('FailedCreate')
  })
})

import { expect } from 'chai'
import { applyJsonPatch } from '../../src/sandbox/store/patch.ts'
import { StatusError } from '../../src/sandbox/store/status.ts'

const refused = (document: unknown, patch: unknown): StatusError => {
  try {
    applyJsonPatch(document, patch)
  } catch (error) {
    if (error instanceof StatusError) return error
  }
  throw new Error('the patch was applied')
}

describe('JSON Patch', () => {
  const document = { metadata: { annotations: { 'a.b/c': 'x' } }, list: [1, 2] }

  it('leaves the document that it was given as it was', () => {
    const patched = applyJsonPatch(document, [{ op: 'remove', path: '/metadata/annotations' }])
    expect(patched).to.deep.equal({ metadata: {}, list: [1, 2] })
    expect(document.metadata.annotations).to.deep.equal({ 'a.b/c': 'x' })
  })

  it('finds keys that contain a slash or a tilde', () => {
    const path = '/metadata/annotations/a.b~1c'
    expect(applyJsonPatch(document, [{ op: 'test', path, value: 'x' }])).to.deep.equal(document)
    expect(applyJsonPatch({ '~': 1 }, [{ op: 'test', path: '/~0', value: 1 }])).to.deep.equal({ '~': 1 })
  })

  it('lets a test for null pass on a key that is absent from a map that exists', () => {
    const patch = [{ op: 'test', path: '/metadata/annotations/none', value: null }]
    expect(applyJsonPatch(document, patch)).to.deep.equal(document)
  })

  it('fails a test for null when the map itself is absent', () => {
    expect(
      refused({ metadata: {} }, [{ op: 'test', path: '/metadata/annotations/a', value: null }]).code,
    ).to.equal(422)
  })

  it('lets a test for null pass on an absent map itself', () => {
    const patch = [
      { op: 'test', path: '/metadata/annotations', value: null },
      { op: 'add', path: '/metadata/annotations', value: { a: 'b' } },
    ]
    expect(applyJsonPatch({ metadata: {} }, patch)).to.deep.equal({ metadata: { annotations: { a: 'b' } } })
  })

  it('compares items of lists, whole documents and nested values by value', () => {
    const patch = [
      { op: 'test', path: '/list/1', value: 2 },
      { op: 'test', path: '', value: document },
    ]
    expect(applyJsonPatch(document, patch)).to.deep.equal(document)
    expect(refused(document, [{ op: 'test', path: '/list/2', value: null }]).code).to.equal(422)
    expect(refused(document, [{ op: 'test', path: '/list', value: [2, 1] }]).code).to.equal(422)
  })

  it('refuses what does not apply with a bare 422, as the API server does', () => {
    for (const patch of [
      [{ op: 'remove', path: '/nothing' }],
      [{ op: 'replace', path: '/nothing', value: 1 }],
      [{ op: 'add', path: '/no/parent', value: 1 }],
      [{ op: 'conjure', path: '/list', value: 1 }],
      [{ op: 'test', path: 'list', value: 1 }],
    ]) {
      const error = refused(document, patch)
      expect([error.code, error.reason]).to.deep.equal([422, 'Invalid'])
      expect(error.message).to.equal('the server rejected our request due to an error in our request')
    }
  })

  it('calls what is no list of operations a bad request', () => {
    for (const patch of [{}, 'text', null, ['text']]) expect(refused(document, patch).code).to.equal(400)
  })
})

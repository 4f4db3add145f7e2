import { expect } from 'chai'
import { managedFields } from '../../../src/sandbox/store/managed-fields.ts'
import type { Writer } from '../../../src/sandbox/store/managed-fields.ts'
import type { KubeObject } from '../../../src/sandbox/store/object.ts'

const by = (manager: string, subresource?: string): Writer => ({
  manager,
  apiVersion: 'apps/v1',
  time: '2026-01-01T00:00:00Z',
  ...(subresource === undefined ? {} : { subresource }),
})

const web = (replicas: number, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', annotations },
  spec: { replicas, paused: false },
})

/** The object with the entries that the write leaves. */
const written = (before: KubeObject | undefined, after: KubeObject, writer: Writer): KubeObject => {
  const known = before?.metadata.managedFields
  const brought = after.metadata.managedFields ?? known
  const metadata = { ...after.metadata, ...(brought ? { managedFields: brought } : {}) }
  const next = { ...after, metadata }
  return { ...next, metadata: { ...metadata, managedFields: managedFields(before, next, writer) } }
}

const owners = (object: KubeObject) =>
  (object.metadata.managedFields ?? [])
    .filter(({ fieldsV1 }) => fieldsV1?.['f:spec']?.['f:replicas'])
    .map(({ manager, subresource }) => [manager, subresource])

describe('managed fields', () => {
  it('belong to the creator at first, without what the server owns', () => {
    const [entry, ...others] = managedFields(undefined, web(2, { a: 'b' }), by('kubectl-create'))
    expect(others).to.deep.equal([])
    expect(entry).to.deep.equal({
      manager: 'kubectl-create',
      operation: 'Update',
      apiVersion: 'apps/v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: {
        'f:metadata': { 'f:annotations': { 'f:a': {} } },
        'f:spec': { 'f:replicas': {}, 'f:paused': {} },
      },
    })
  })

  it('move to whoever changes them, with the subresource that it was done by', () => {
    const created = written(undefined, web(2), by('helm'))
    const scaled = written(created, web(3), by('kubectl', 'scale'))
    expect(owners(scaled)).to.deep.equal([['kubectl', 'scale']])
    expect(owners(written(scaled, web(4), by('kubectl')))).to.deep.equal([['kubectl', undefined]])
  })

  it('stay where they are when a write changes nothing', () => {
    const created = written(undefined, web(2), by('helm'))
    expect(owners(written(created, web(2), by('kubectl')))).to.deep.equal([['helm', undefined]])
  })

  it('are kept by annotation', () => {
    const created = written(undefined, web(2, { a: '1', b: '1' }), by('helm'))
    const { managedFields: entries } = written(created, web(2, { a: '1', b: '2' }), by('kubectl')).metadata
    expect(entries?.map(({ fieldsV1 }) => fieldsV1?.['f:metadata'])).to.deep.equal([
      { 'f:annotations': { 'f:a': {} } },
      { 'f:annotations': { 'f:b': {} } },
    ])
  })

  it('leave with what is removed, and an entry without fields leaves too', () => {
    const created = written(undefined, web(2), by('helm'))
    const annotated = written(created, web(2, { a: '1' }), by('kubectl-annotate'))
    expect(annotated.metadata.managedFields).to.have.length(2)
    const removed = written(annotated, web(2), by('kubectl-annotate'))
    expect(removed.metadata.managedFields?.map(({ manager }) => manager)).to.deep.equal(['helm'])
  })

  it('that a patch takes out of an entry stay out', () => {
    const created = written(undefined, web(2), by('dormouse'))
    const [entry] = created.metadata.managedFields ?? []
    const without = { ...entry, fieldsV1: { 'f:spec': { 'f:paused': {} } } }
    const patched = web(2, { done: '1' })
    const released = written(
      created,
      { ...patched, metadata: { ...patched.metadata, managedFields: [without] } },
      by('dormouse'),
    )
    expect(owners(released)).to.deep.equal([])
    expect(owners(written(released, web(2, { done: '2' }), by('kubectl')))).to.deep.equal([])
  })

  it('are forgotten when a write brings one empty entry', () => {
    const created = written(undefined, web(2), by('helm'))
    const reset = { ...web(2), metadata: { name: 'web', managedFields: [{}] } }
    expect(managedFields(created, reset, by('kubectl'))).to.deep.equal([])
  })
})

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import fc from 'fast-check'
import type { WorkloadObject } from '../../src/kubernetes/api-object.ts'
import { readReplicaSet } from '../../src/kubernetes/owned-replica-set.ts'
import { watchEvents } from '../../src/kubernetes/watch-stream.ts'
import { anyText, isReadAsKey } from './tricky-json.ts'
import { propertyRuns } from '../support/property-runs.ts'

const owner = (controller: boolean | undefined) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name: 'web',
  uid: 'an-owner',
  ...(controller !== undefined && { controller, blockOwnerDeletion: true }),
})

/** Texts that look like the searched fields. */
const TRICKY = [
  '"ownerReferences":[{"apiVersion":"apps/v1","kind":"Deployment","name":"web","uid":"u","controller":true}]',
  '"spec":{',
  '"status":{',
  '},{"metadata":',
]
const text = anyText(TRICKY)
const key = text.filter(isReadAsKey)
const map = fc.option(
  fc.dictionary(fc.oneof(fc.constantFrom('spec', 'status', 'ownerReferences'), key), text, {
    maxKeys: 3,
    noNullPrototype: true,
  }),
  { nil: undefined },
)
const owners = fc.option(fc.array(fc.option(fc.boolean(), { nil: undefined }).map(owner), { maxLength: 3 }), {
  nil: undefined,
})
const name = fc.stringMatching(/^[a-z0-9-]{1,20}$/)

/** A ReplicaSet, its keys in the API server's order. */
const replicaSet = fc
  .record({
    typed: fc.boolean(),
    name,
    generateName: fc.option(text, { nil: undefined }),
    uid: text,
    labels: map,
    annotations: map,
    owners,
    manager: text,
    template: fc.record({ labels: map, ownerReferences: owners }),
    status: fc.option(fc.record({ replicas: fc.nat(), text }), { nil: undefined }),
  })
  .map(
    ({ typed, uid, labels, annotations, owners: ownerReferences, manager, template, status, ...names }) => ({
      kind: typed ? 'ReplicaSet' : undefined,
      apiVersion: typed ? 'apps/v1' : undefined,
      metadata: {
        name: names.name,
        generateName: names.generateName,
        namespace: 'shop',
        uid,
        resourceVersion: '7',
        labels,
        annotations,
        ownerReferences,
        managedFields: [{ manager, fieldsV1: { 'f:spec': { 'f:replicas': {} } } }],
      },
      spec: { replicas: 1, template: { metadata: template, spec: {} } },
      status,
    }),
  )

const isOwned = ({ metadata }: WorkloadObject) =>
  metadata.ownerReferences?.some(({ controller }) => controller === true) === true

/** Returns whether it was read without being parsed. */
function compare(written: string): boolean {
  const whole = JSON.parse(written) as WorkloadObject
  const read = readReplicaSet(written)
  if (read.metadata.managedFields !== undefined) {
    expect(read).to.deep.equal(whole)
    return false
  }
  const { name: called, namespace, uid, resourceVersion } = whole.metadata
  expect(isOwned(whole)).to.equal(true)
  expect(isOwned(read)).to.equal(true)
  expect(read.metadata).to.include({ name: called, namespace, uid, resourceVersion })
  return true
}

describe('reading a ReplicaSet', () => {
  it('gives what JSON.parse gives, or, of one with a controller owner, its identity and its owner', () => {
    let short = 0
    fc.assert(
      fc.property(replicaSet, (object) => void (short += Number(compare(JSON.stringify(object))))),
      propertyRuns(3000),
    )
    expect(short).to.be.above(0)
  })

  it('throws SyntaxError at a part of one', () => {
    fc.assert(
      fc.property(replicaSet, fc.double({ min: 0, max: 1, noNaN: true }), (object, part) => {
        const written = JSON.stringify({ ...object, status: undefined })
        const cut = written.slice(0, Math.floor(part * (written.length - 1)))
        expect(() => readReplicaSet(cut)).to.throw(SyntaxError)
      }),
      propertyRuns(1000),
    )
  })

  it('keeps none of the text that it was read from: a list remembers all names', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const spec = { template: 'x'.repeat(64 * 1024) }
    const textOf = (index: number) =>
      Buffer.from(
        JSON.stringify({
          metadata: {
            name: `checkout-${index}-7d9c5b6f7d`,
            namespace: 'a-long-namespace',
            uid: 'u',
            resourceVersion: '7',
            ownerReferences: [owner(true)],
          },
          spec,
          status: {},
        }),
      ).toString()
    const names: string[] = []
    collect()
    const before = process.memoryUsage().heapUsed
    for (let index = 0; index < 500; index++) {
      const { metadata } = readReplicaSet(textOf(index))
      names.push(`${metadata.namespace}/${metadata.name}`)
    }
    collect()
    expect((process.memoryUsage().heapUsed - before) / names.length).to.be.below(8 * 1024)
  })

  it('of a watch gives the same events as without, however a line is written', async () => {
    const object = {
      metadata: { name: 'web-1', namespace: 'shop', uid: 'u', resourceVersion: '7' },
      spec: {},
    }
    const lines = [
      JSON.stringify({ type: 'MODIFIED', object }),
      JSON.stringify({ object, type: 'ADDED' }),
      JSON.stringify({ type: 'DELETED', object, more: { a: 1 } }),
      JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '8' } } }),
      JSON.stringify({ type: 'ERROR', object: { code: 410 } }),
      ` ${JSON.stringify({ type: 'ADDED', object })} `,
    ]
    const events: unknown[] = []
    const body = (async function* () {
      yield Buffer.from(lines.map((line) => `${line}\n`).join(''))
    })()
    for await (const event of watchEvents(body, readReplicaSet)) events.push(event)
    expect(events).to.deep.equal(lines.map((line) => JSON.parse(line) as unknown))
  })
})

import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { expect } from 'chai'
import fc from 'fast-check'
import { StatusError } from '../../../src/sandbox/store/status.ts'
import { RESOURCES } from '../../../src/sandbox/store/resources.ts'
import { messages } from '../../../src/sandbox/wire/notation.ts'
import { fromProtobuf, PROTOBUF, toProtobuf } from '../../../src/sandbox/wire/protobuf.ts'
import { SandboxCluster } from '../../../src/sandbox/sandbox.ts'
import { RICH } from './rich-objects.ts'

const text = (writer: BinaryWriter, field: number, value: string) =>
  writer.tag(field, WireType.LengthDelimited).string(value)

/** An object as a Go client sends it, whose message `fill` writes. */
function sent(apiVersion: string, kind: string, fill: (message: BinaryWriter) => unknown): Buffer {
  const envelope = new BinaryWriter().tag(1, WireType.LengthDelimited).fork()
  text(text(envelope, 1, apiVersion), 2, kind).join()
  fill(envelope.tag(2, WireType.LengthDelimited).fork())
  return Buffer.concat([Buffer.from('k8s\0'), envelope.join().finish()])
}

function nested(writer: BinaryWriter, field: number, fill: (message: BinaryWriter) => unknown): BinaryWriter {
  fill(writer.tag(field, WireType.LengthDelimited).fork())
  return writer.join()
}

function refusal(work: () => unknown): StatusError {
  try {
    work()
  } catch (error) {
    if (error instanceof StatusError) return error
    throw error
  }
  throw new Error('it was not refused')
}

const web = sent('apps/v1', 'Deployment', (deployment) => {
  nested(deployment, 1, (metadata) => {
    text(text(metadata, 1, 'web'), 2, '')
    metadata.tag(7, WireType.Varint).int64(0)
    nested(metadata, 8, () => {})
    nested(metadata, 11, (label) => text(text(label, 1, '__proto__'), 2, 'x'))
  })
  nested(deployment, 2, (spec) => {
    spec.tag(1, WireType.Varint).int32(0)
    nested(spec, 4, (strategy) =>
      nested(strategy, 2, (update) => nested(update, 1, (none) => none.tag(1, WireType.Varint).int32(0))),
    )
    spec.tag(7, WireType.Varint).bool(false)
  })
})

describe('protobuf on the sandbox', () => {
  it('reads what Go writes for an absent field as absent, and the zero behind a pointer as zero', () => {
    expect(fromProtobuf(web)).to.deep.equal({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', labels: JSON.parse('{"__proto__":"x"}') },
      spec: { replicas: 0, strategy: { rollingUpdate: { maxUnavailable: 0 } } },
    })
  })

  for (const [path, object] of Object.entries(RICH))
    it(`reads what it writes: ${path}`, () => {
      const plain = JSON.parse(JSON.stringify(object))
      expect(fromProtobuf(Buffer.from(toProtobuf(plain)))).to.deep.equal(plain)
    })

  it('names the field that it does not know, and the message', () => {
    const newer = sent('apps/v1', 'Deployment', (deployment) =>
      nested(deployment, 2, (spec) => text(spec, 99, 'new')),
    )
    const { code, message } = refusal(() => fromProtobuf(newer))
    expect(code).to.equal(415)
    expect(message).to.contain('does not know field 99 of Deployment.spec')
  })

  it('names the kind that it does not know', () => {
    const other = sent('example.com/v1', 'Wheel', () => {})
    expect(refusal(() => fromProtobuf(other)).message).to.contain('knows no Wheel in protobuf')
  })

  it('answers any bytes with a Status', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(web.length), (bytes, at) => {
        for (const body of [bytes, Buffer.concat([web.subarray(0, at), bytes]), web.subarray(0, at)])
          try {
            fromProtobuf(Buffer.from(body))
          } catch (error) {
            expect(error).to.be.instanceOf(StatusError)
          }
      }),
    )
  })

  it('has a field number once in a message, and a message behind each name', () => {
    for (const { name, fields } of messages.values()) {
      expect(fields, name).not.to.deep.equal([])
      expect(new Set(fields.map(({ number }) => number)).size, name).to.equal(fields.length)
    }
  })

  it('reads all kinds that people make by words, so not nodes, slices, webhooks and definitions', () => {
    const without = RESOURCES.filter(({ kind }) => !messages.has(kind)).map(({ plural }) => plural)
    expect(without).to.deep.equal([
      'nodes',
      'endpointslices',
      'mutatingwebhookconfigurations',
      'customresourcedefinitions',
    ])
  })

  describe('over HTTP', () => {
    const sandbox = new SandboxCluster({ port: 0, clock: () => Date.now() })
    before(() => sandbox.start())
    after(() => sandbox.stop())

    const ask = (path: string, accept: string, init: RequestInit = {}) =>
      fetch(new URL(path, sandbox.url), { ...init, headers: { accept, 'content-type': PROTOBUF } })
    const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer())
    const configMap = sent('v1', 'ConfigMap', (map) => nested(map, 1, (metadata) => text(metadata, 1, 'a')))
    const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'

    it('creates what comes in protobuf, and answers in protobuf who takes nothing else', async () => {
      const answer = await ask(CONFIG_MAPS, PROTOBUF, {
        method: 'POST',
        body: new Uint8Array(configMap),
      })
      expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([201, PROTOBUF])
      expect(fromProtobuf(await bytesOf(answer))).to.have.nested.property('metadata.name', 'a')
      const list = await ask(CONFIG_MAPS, PROTOBUF)
      expect(list.headers.get('content-type')).to.equal(PROTOBUF)
      expect((await bytesOf(list)).toString('latin1')).to.contain('ConfigMapList')
    })

    it('answers in JSON who takes both, and errors always', async () => {
      const both = await ask(CONFIG_MAPS, `${PROTOBUF},application/json`)
      expect(await both.json()).to.include({ kind: 'ConfigMapList' })
      const absent = await ask(`${CONFIG_MAPS}/none`, PROTOBUF)
      expect(await absent.json()).to.include({ kind: 'Status', code: 404 })
    })

    it('refuses in plain words what it cannot write', async () => {
      for (const [path, words] of [
        [`${CONFIG_MAPS}?watch=true`, 'a watch in JSON alone'],
        ['/api/v1/nodes', 'knows no Node in protobuf'],
      ] as const) {
        const answer = await ask(path, PROTOBUF)
        expect(answer.status).to.equal(406)
        expect(await answer.text()).to.contain(words)
      }
    })
  })
})

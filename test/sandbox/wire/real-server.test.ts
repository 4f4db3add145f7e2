import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { Agent, request } from 'undici'
import { fromProtobuf, PROTOBUF, toProtobuf } from '../../../src/sandbox/wire/protobuf.ts'
import { describeOn } from '../../support/clusters.ts'
import { eventually } from '../../support/eventually.ts'
import { RICH } from './rich-objects.ts'

interface Kubeconfig {
  readonly clusters: readonly [{ cluster: { server: string; 'certificate-authority-data': string } }]
  readonly users: readonly [{ user: { token: string } }]
}

/** Without what means nothing in the API: Go leaves it out of JSON or writes it, field by field. */
function withoutZeros(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutZeros)
  if (typeof value !== 'object' || value === null) return value || undefined
  const rest = Object.entries(value).map(([key, each]) => [key, withoutZeros(each)] as const)
  const full = rest.filter(([, each]) => each !== undefined)
  return full.length > 0 ? Object.fromEntries(full.toSorted(([a], [b]) => (a < b ? -1 : 1))) : undefined
}

function versionOf(object: unknown): string | undefined {
  return (object as { readonly metadata?: { readonly resourceVersion?: string } }).metadata?.resourceVersion
}

/** Within a StatefulSet, JSON alone says which kind a claim is. */
function untyped(object: object): unknown {
  return JSON.parse(
    JSON.stringify(object).replaceAll('"kind":"PersistentVolumeClaim","apiVersion":"v1",', ''),
  )
}

/** The sandbox's table of fields, judged by the API server that it imitates. */
describeOn('protobuf of a real API server', (on) => {
  const namespace = 'protobuf'
  const agent: { dispatcher?: Agent; url?: string; authorization?: string } = {}

  before('there is a namespace', async () => {
    const text = await readFile(on().adminKubeconfig, 'utf8')
    const { clusters, users }: Kubeconfig = JSON.parse(text)
    const [{ cluster }] = clusters
    agent.url = cluster.server
    agent.authorization = `Bearer ${users[0].user.token}`
    const ca = Buffer.from(cluster['certificate-authority-data'], 'base64').toString()
    agent.dispatcher = new Agent({ connect: { ca } })
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }
    await on().admin.expect('POST', '/api/v1/namespaces', object)
  })

  after(async () => {
    await agent.dispatcher?.close()
    await on().admin.expect('DELETE', `/api/v1/namespaces/${namespace}`)
  })

  async function inProtobuf(method: 'GET' | 'POST', path: string, body?: Uint8Array): Promise<Buffer> {
    const { authorization = '', dispatcher, url } = agent
    const answer = await request(`${url}${path}`, {
      method,
      headers: { authorization, accept: PROTOBUF, 'content-type': PROTOBUF },
      ...(dispatcher ? { dispatcher } : {}),
      ...(body ? { body } : {}),
    })
    const bytes = Buffer.from(await answer.body.arrayBuffer())
    if (answer.statusCode > 299) throw new Error(`${method} ${path}: ${bytes.toString('latin1')}`)
    return bytes
  }

  for (const [template, object] of Object.entries(RICH))
    it(`has the fields of the table: ${template}`, async () => {
      const path = template.replace('NS', namespace)
      const sent = JSON.parse(JSON.stringify(object).replaceAll('"NS"', `"${namespace}"`))
      await inProtobuf('POST', path, toProtobuf(sent))
      // Controllers write its status: two reads are compared where nothing came between.
      const [json, read] = await eventually('two reads of one version', async () => {
        const json = await on().admin.expect('GET', `${path}/rich`)
        const read = fromProtobuf(await inProtobuf('GET', `${path}/rich`))
        return versionOf(json) === versionOf(read) && ([untyped(json), read] as const)
      })
      expect(withoutZeros(read)).to.deep.equal(withoutZeros(json))
      // It keeps what it was sent, and adds its defaults.
      const kept = withoutZeros(sent)
      const merged = withoutZeros(overlaid(json, kept))
      expect(merged).to.deep.equal(withoutZeros(json))
    })
})

/** `top` laid over `base`, item by item in lists. */
function overlaid(base: unknown, top: unknown): unknown {
  if (typeof top !== 'object' || top === null || typeof base !== 'object' || base === null) return top ?? base
  if (Array.isArray(top)) return top.map((each, at) => overlaid((base as unknown[])[at], each))
  const laid = Object.entries(top).map(([key, each]) => [
    key,
    overlaid((base as Record<string, unknown>)[key], each),
  ])
  return { ...base, ...Object.fromEntries(laid) }
}

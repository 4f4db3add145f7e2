import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { changesOf } from '../../src/client/cluster/watching.ts'
import type { Collection, KubernetesClient } from '../../src/kubernetes/client.ts'
import { refusalOf, unanswered } from '../../src/kubernetes/failures.ts'

describe('the client’s watch of a cluster', () => {
  it('ends with who reads it, also before the process stops: nothing goes on behind', async () => {
    const signals: AbortSignal[] = []
    const item = { metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: '1' } }
    const client = {
      async listPage(_collection: unknown, _limit: number, _token: string, signal: AbortSignal) {
        signals.push(signal)
        return { metadata: { resourceVersion: '1' }, items: [item] }
      },
      async watch(_collection: unknown, { signal }: { signal: AbortSignal }) {
        signals.push(signal)
        await pause(60_000, undefined, { signal })
      },
    } as unknown as Pick<KubernetesClient, 'listPage' | 'watch'>
    const collections = new Map([
      ['deployments', { resource: 'deployments', path: '/apis/apps/v1' }],
    ] as const)
    const warnings: string[] = []
    const warn = (text: string) => void warnings.push(text)
    for await (const { object } of changesOf(client, collections, new AbortController().signal, warn)) {
      expect(object.metadata.name).to.equal('web')
      break
    }
    expect(signals.map(({ aborted }) => aborted)).to.not.include(false)
    expect(warnings).to.deep.equal([])
  })
  it('says once that the cluster is gone, however many kinds it follows, and each other fault of a kind', async () => {
    const failures = {
      deployments: unanswered('list deployments', new Error('connect ECONNREFUSED')),
      daemonsets: unanswered('list daemonsets', new Error('connect ECONNREFUSED')),
      statefulsets: refusalOf('list statefulsets', 403, { message: 'no right' }),
    }
    const client = {
      async listPage({ resource }: Collection) {
        throw failures[resource as keyof typeof failures]
      },
    } as unknown as Pick<KubernetesClient, 'listPage' | 'watch'>
    const collections = new Map(
      (['deployments', 'daemonsets', 'statefulsets'] as const).map((kind) => [
        kind,
        { resource: kind, path: `/apis/apps/v1/${kind}` },
      ]),
    )
    const warnings: string[] = []
    const stop = new AbortController()
    const warn = (text: string) => {
      warnings.push(text)
      if (warnings.length === 2) setTimeout(() => stop.abort(), 50)
    }
    for await (const change of changesOf(client, collections, stop.signal, warn))
      expect.fail(`nothing can be seen: ${change.kind}`)
    expect(warnings).to.have.length(2)
    expect(warnings[0]).to.match(
      /^what is shown may be old, until this is over: .*the cluster cannot be reached/,
    )
    expect(warnings[1]).to.match(
      /^the list of statefulsets was interrupted, and is followed again: .*no right/,
    )
  })

  it('says when the cluster is back, once every kind is followed again', async () => {
    let away = true
    const client = {
      async listPage({ resource }: Collection) {
        if (away) throw unanswered(`list ${resource}`, new Error('connect ECONNREFUSED'))
        return { metadata: { resourceVersion: '1' }, items: [] }
      },
      async watch(_collection: unknown, { signal }: { signal: AbortSignal }) {
        // Connected, and silent until it ends.
        return {
          [Symbol.asyncIterator]: () => ({
            async next() {
              await pause(60_000, undefined, { signal }).catch(() => {})
              return { done: true, value: undefined }
            },
          }),
        }
      },
    } as unknown as Pick<KubernetesClient, 'listPage' | 'watch'>
    const kinds = ['deployments', 'daemonsets'] as const
    const collections = new Map(
      kinds.map((kind) => [kind, { resource: kind, path: `/apis/apps/v1/${kind}` }]),
    )
    const warnings: string[] = []
    const stop = new AbortController()
    const warn = (text: string) => {
      warnings.push(text)
      if (warnings.length === 1) away = false
      else stop.abort()
    }
    for await (const change of changesOf(client, collections, stop.signal, warn)) expect.fail(change.kind)
    expect(warnings[1]).to.equal('the cluster answers again: what is shown is current')
  })
})

import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { changesOf } from '../../src/client/cluster/watching.ts'
import type { KubernetesClient } from '../../src/kubernetes/client.ts'

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
})

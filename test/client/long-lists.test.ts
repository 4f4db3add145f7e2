import { expect } from 'chai'
import { ListTable } from '../../src/client/text/list.ts'
import { ClusterReader } from '../../src/client/cluster/reader.ts'
import type { KubernetesObject } from '../../src/kubernetes/api-object.ts'
import type { HttpRequest } from '../../src/kubernetes/http.ts'
import type { Style } from '../../src/client/text/why.ts'
import { aRecord } from './fake-dormouse.ts'

const NOW = Date.parse('2026-03-02T12:00:00Z')
const STYLE: Style = {
  times: { now: NOW, zone: 'Europe/Berlin' },
  advice: { program: 'kubectl dormouse', options: '', defaultNamespace: '' },
  paint: (_, text) => text,
  width: undefined,
}

describe('a list of many', () => {
  it('is asked for its next page while the one before is still being read', async () => {
    const second = Promise.withResolvers<void>()
    async function* begun() {
      yield Buffer.from('{"metadata":{"continue":"more"},"items":[{"metadata":{"name":"a"}}')
      await second.promise
      yield Buffer.from(']}')
    }
    async function* whole() {
      yield Buffer.from('{"metadata":{},"items":[{"metadata":{"name":"b"}}]}')
    }
    const open = async ({ path }: HttpRequest) => {
      const isSecond = path.includes('continue=more')
      if (isSecond) second.resolve()
      return { status: 200, headers: {}, body: isSecond ? whole() : begun(), text: async () => '' }
    }
    const send = () => Promise.reject(new Error('nothing else is asked for'))
    const reader = new ClusterReader({ open, send }, new AbortController().signal)
    const names: string[] = []
    for await (const { metadata } of reader.pages<KubernetesObject>({ resource: 'pods', path: '/pods' }))
      names.push(metadata.name)
    expect(names).to.deep.equal(['a', 'b'])
  })

  it('makes each cell once, and formats each instant once', () => {
    let [read, formatted] = [0, 0]
    const next_transition = { at: '2026-03-03T07:00:00.000Z', type: 'wake', reason: 'by schedule' } as const
    const rows = Array.from({ length: 100 }, (_, index) => {
      const found = aRecord(`w${index}`, { next_transition })
      const reason = 'asleep by schedule 8:00-18:00 (Asia/Tokyo) until 2026-03-03T07:00:00Z'
      Object.defineProperty(found.record, 'reason', { get: () => (read++, reason) })
      return { found }
    })
    const own = Intl.DateTimeFormat.prototype.formatToParts
    Intl.DateTimeFormat.prototype.formatToParts = function (...of) {
      formatted += 1
      return own.apply(this, of)
    }
    try {
      for (const width of [60, undefined]) {
        read = 0
        const table = new ListTable(rows, { namespace: true, wide: false, width }, STYLE)
        for (const row of rows) expect(table.row(row, STYLE)).to.include('deploy')
        expect(read, `at a width of ${width}`).to.equal(rows.length)
      }
    } finally {
      Intl.DateTimeFormat.prototype.formatToParts = own
    }
    // The present and the instant, in the reader's zone and in that of the text.
    expect(formatted).to.be.at.most(4)
  })
})

import { expect } from 'chai'
import { warningRecorder } from '../../../src/sandbox/http/answer.ts'

describe('warning headers', () => {
  function headersOf(...warnings: string[]): string[] {
    let headers: string[] = []
    const warn = warningRecorder((values) => (headers = values))
    for (const warning of warnings) warn(warning)
    return headers
  }

  it('quote what would end them, and drop control characters', () => {
    expect(headersOf('a "b" \\ c\r\nX-Evil: 1')).to.deep.equal([String.raw`299 - "a \"b\" \\ c X-Evil: 1"`])
  })

  it('are cut to 256 characters each once all are longer than 4096, and then as many as fit', () => {
    expect(headersOf('x'.repeat(4096))[0]).to.have.length('299 - ""'.length + 4096)
    const many = headersOf(
      ...Array.from({ length: 20 }, (_, index) => String(index % 10).repeat(300 + index)),
    )
    expect(many).to.have.length(16)
    expect(new Set(many.map(({ length }) => length))).to.deep.equal(new Set(['299 - ""'.length + 256]))
  })
})

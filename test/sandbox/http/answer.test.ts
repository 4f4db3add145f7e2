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
})

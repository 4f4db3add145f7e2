import { expect } from 'chai'
import { withBlob } from '../../packaging/elf.ts'

describe('a blob in an executable', () => {
  it('refuses what is no executable for Linux', () => {
    expect(() => withBlob(Buffer.alloc(64), Buffer.from('x'))).to.throw('no 64-bit ELF executable')
  })
})

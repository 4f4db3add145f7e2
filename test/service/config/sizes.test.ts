import { expect } from 'chai'
import { parseSize as sizeIn } from '../../../src/service/config/validation.ts'

const parseSize = (text: string) => sizeIn(text, [0, Infinity])

describe('sizes', () => {
  it('are bytes in powers of 1024', () => {
    expect(['1B', '16KiB', '8MiB', '1GiB'].map(parseSize)).to.deep.equal([
      1, 16_384, 8_388_608, 1_073_741_824,
    ])
  })

  for (const text of ['', '16', '16KB', '16kib', '1.5MiB', '-1KiB', '16 KiB']) {
    it(`${JSON.stringify(text)} is not a size`, () => expect(parseSize(text)).to.equal(undefined))
  }
})

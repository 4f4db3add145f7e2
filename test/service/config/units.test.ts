import { expect } from 'chai'
import fc from 'fast-check'
import { formatDuration, parseDuration, parseSize } from '../../../src/service/config/units.ts'

describe('durations', () => {
  for (const [text, milliseconds] of [
    ['250ms', 250],
    ['90s', 90_000],
    ['5m', 300_000],
    ['12h', 43_200_000],
    ['1h30m', 5_400_000],
    ['1h2m3s4ms', 3_723_004],
    ['0s', 0],
  ] as const) {
    it(`${text} is ${milliseconds} milliseconds`, () => expect(parseDuration(text)).to.equal(milliseconds))
  }

  for (const text of ['', '5', '5 m', '-5m', '1.5h', '1d', '30m1h', '5M', '5m\n', '٥m', '9999999999h']) {
    it(`${JSON.stringify(text)} is not a duration`, () => expect(parseDuration(text)).to.equal(undefined))
  }

  it('are written so that they are read as the same', () => {
    fc.assert(fc.property(fc.nat(), (value) => parseDuration(formatDuration(value)) === value))
  })
})

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

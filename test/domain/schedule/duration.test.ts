import { expect } from 'chai'
import fc from 'fast-check'
import {
  aDuration,
  durationIn,
  durationText,
  preciseDurationIn,
  unitAdvice,
} from '../../../src/domain/schedule/duration.ts'

const ANY = [0, Infinity] as const

describe('durations', () => {
  for (const [text, seconds] of [
    ['90s', 90],
    ['5m', 300],
    ['12h', 43_200],
    ['1h30m', 5400],
    ['2d', 172_800],
    ['1d2h3m4s', 93_784],
    ['0s', 0],
  ] as const)
    it(`${text} is ${seconds} seconds`, () => expect(durationIn(text, ANY)).to.equal(seconds * 1000))

  for (const text of ['', '5 m', '5m\n', ...'5 -5m 1.5h 30m1h 4h4h 5M ٥m 9999999999h 250ms'.split(' ')])
    it(`${JSON.stringify(text)} is not a duration`, () => expect(durationIn(text, ANY)).to.equal(undefined))

  it('of a request are from a minute to a year', () => {
    const read = (text: string) => durationIn(text) !== undefined
    expect(['60s', '1m', '8760h', '365d'].map(read)).to.not.include(false)
    expect(['59s', '0h', '366d', '8760h1s'].map(read)).to.not.include(true)
  })

  it('of the configuration have milliseconds, too', () => {
    expect(preciseDurationIn('1s500ms', ANY)).to.equal(1500)
    expect(preciseDurationIn('250ms', [1000, 2000])).to.equal(undefined)
  })

  it('are written so that they are read as the same', () => {
    fc.assert(fc.property(fc.nat(), (value) => preciseDurationIn(durationText(value), ANY) === value))
  })

  it('are asked for with their bounds, and with units for a bare number', () => {
    expect(aDuration([1000, 86_400_000])).to.equal('a duration such as 90s, 1h30m or 2d, from 1s to 1d')
    expect(unitAdvice('4')).to.equal(': did you mean 4m or 4h?')
    const meant = (text: string) => /^: did you mean (.*)\?$/.exec(unitAdvice(text))?.[1]
    for (const [text, short] of [
      ['4hours', '4h'],
      ['4 hrs', '4h'],
      ['90 mins', '1h30m'],
      ['1.5h', '1h30m'],
      ['1 hour and 30 minutes', '1h30m'],
      ['2 days', '2d'],
      ['4H', '4h'],
      ['30sec', '30s'],
    ])
      expect(meant(text!), text).to.equal(short)
    for (const none of ['90m', '400d', '', '4 weeks', '3 months', 'h', 'and', `${'4h '.repeat(30_000)}x`])
      expect(unitAdvice(none), none.slice(0, 20)).to.equal('')
    expect(unitAdvice('4x')).to.equal('')
  })
})

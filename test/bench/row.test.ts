import { expect } from 'chai'
import { barText, rowOf, verdict, type Measured } from '../../bench/report/row.ts'

const rate: Measured = {
  what: 'a wave',
  figure: 890,
  unit: 'a second',
  reference: { name: 'raw client', figure: 1000 },
  bar: { of: 'ratio', atLeast: 0.9 },
}

describe('a row of the bench', () => {
  it('holds its ratio to what it is compared with against the bar', () => {
    const row = rowOf(rate)
    expect(row).to.include({ ratio: 0.89, holds: false })
    expect(verdict(row)).to.equal('falls short')
    expect(verdict(rowOf({ ...rate, figure: 900 }))).to.equal('holds')
  })

  it('holds a figure by itself against the bar', () => {
    const memory = { what: 'RSS', figure: 120.4, unit: 'MB', bar: { of: 'figure', atMost: 120 } } as const
    expect(rowOf(memory).holds).to.equal(false)
    expect(rowOf({ ...memory, figure: 119 }).holds).to.equal(true)
  })

  it('says nothing without a bar, and never that what was not measured holds', () => {
    const { bar: _bar, ...plain } = rate
    expect(verdict(rowOf(plain))).to.equal('')
    const unmeasured = rowOf({ ...rate, figure: Number.NaN })
    expect(unmeasured).to.include({ figure: null, ratio: null, holds: null })
    expect(verdict(unmeasured)).to.equal('not measured')
    const alone = rowOf({ ...rate, reference: { name: 'raw client', figure: Number.NaN } })
    expect(verdict(alone)).to.equal('')
  })

  it('judges by the exact value and shows three digits', () => {
    expect(rowOf({ ...rate, figure: 899.96 })).to.include({ figure: 900, ratio: 0.9, holds: false })
  })

  it('writes its bar', () => {
    expect(barText(rowOf(rate))).to.equal('≥ 0.90 × raw client')
    expect(
      barText(rowOf({ what: 'RSS', figure: 1, unit: 'MB', bar: { of: 'figure', atMost: 120 } })),
    ).to.equal('≤ 120 MB')
  })
})

import { expect } from 'chai'
import { svg } from '../../bench/report/chart.ts'

const points = [
  { workloads: 1000, figure: 100 },
  { workloads: 100_000, figure: 500 },
]

describe('a chart of the bench', () => {
  it('is readable on a light and on a dark page', () => {
    expect(svg({ title: 'Memory', unit: 'MB', lines: [] })).to.include('prefers-color-scheme:dark')
  })

  it('has each line with its points, left to right', () => {
    const drawn = svg({ title: 'Memory', unit: 'MB', lines: [{ name: 'peak', points: points.toReversed() }] })
    const [, x1, y1, x2, y2] = /points="(\d+),(\d+) (\d+),(\d+)"/.exec(drawn) ?? []
    expect(Number(x1)).to.be.lessThan(Number(x2))
    expect(Number(y1), 'larger is higher').to.be.greaterThan(Number(y2))
    expect(drawn.match(/<circle/g)).to.have.length(2)
    expect(drawn).to.include('>peak</text>').and.to.include('>100,000</text>')
  })

  it('keeps every point on the paper, whatever its figure', () => {
    const lines = [{ name: 'a', points: [...points, { workloads: 5000, figure: 0 }] }]
    const drawn = svg({ title: 'T', unit: 'ms', lines })
    const places = Array.from(drawn.matchAll(/cx="(\d+)" cy="(\d+)"/g), ([, x, y]) => [Number(x), Number(y)])
    expect(places).to.have.length(3)
    for (const [x = -1, y = -1] of places) {
      expect(x).to.be.within(72, 490)
      expect(y).to.be.within(44, 276)
    }
  })

  it('escapes what stands in it', () => {
    expect(svg({ title: 'a < "b" & c', unit: '', lines: [] })).to.include('a &lt; &quot;b&quot; &amp; c')
  })
})

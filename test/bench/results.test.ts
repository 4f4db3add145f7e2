import { expect } from 'chai'
import { charts } from '../../bench/report/charts.ts'
import { keepResult, machine, readResults, type ScenarioResult } from '../../bench/report/results.ts'
import { rowOf } from '../../bench/report/row.ts'
import { notesOf, textTable } from '../../bench/report/table.ts'
import { performancePart } from '../../docs/generator/performance-table.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const row = rowOf({ what: 'a wave', figure: 1, unit: 's', note: 'of a stand-in' })

function result(quick: boolean, seconds: number): ScenarioResult {
  const growth = [{ chart: 'memory' as const, line: 'at rest', workloads: 1000, figure: 120 }]
  return { date: '2026-03-02', quick, seconds, machine: machine(), rows: [row], growth }
}

describe('the results of the bench', () => {
  const at = temporaryFolder()
  let file: string

  beforeEach(() => void (file = at('results.json')))

  it('of one scenario leave those of the others as they are', async () => {
    expect(readResults(file)).to.deep.equal({})
    await keepResult('wave', result(false, 1), file)
    await keepResult('idle', result(false, 2), file)
    await keepResult('wave', result(false, 3), file)
    expect(readResults(file)).to.deep.equal({ wave: result(false, 3), idle: result(false, 2) })
  })

  it('of a quick run never replace those of a full one', async () => {
    await keepResult('wave', result(true, 1), file)
    await keepResult('wave', result(false, 2), file)
    await keepResult('wave', result(true, 3), file)
    expect(readResults(file)['wave']?.seconds).to.equal(2)
  })

  it('have a chart for each cost that was measured, and no empty one', () => {
    expect([...charts({ wave: result(false, 1) }).keys()]).to.deep.equal(['memory'])
  })

  it('of a quick run are marked as such on the page', () => {
    expect(performancePart({ wave: result(true, 1) })).to.include('A quick run')
    expect(performancePart({ wave: result(false, 1) })).not.to.include('quick run')
  })

  it('have each note once, under the table', () => {
    expect(notesOf([row, { ...row, what: 'its memory' }])).to.deep.equal([
      'a wave; its memory: of a stand-in',
    ])
    expect(textTable([row])).to.match(/^What .*\na wave .*\n {2}a wave: of a stand-in$/)
  })
})

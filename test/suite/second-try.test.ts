import { Writable } from 'node:stream'
import { expect } from 'chai'
import { Progress } from './progress.ts'
import { SecondTry } from './second-try.ts'
import type { Told } from './told.ts'

const failure = (file: string): Told => ({ event: 'failed', title: `a test of ${file}`, file, text: 'why' })

describe('tests that fail get a second try, alone', () => {
  /** How a run ends whose first try and second try heard these. */
  function run(first: readonly Told[], second: readonly Told[]) {
    let printed = ''
    const out = new Writable({
      write(chunk, _, done) {
        printed += String(chunk)
        done()
      },
    })
    const progress = new Progress(out as NodeJS.WriteStream)
    for (const told of [{ event: 'passed' } as const, ...first]) progress.hears(told)
    const again = progress.filesToTryAgain()
    const alone = new SecondTry()
    for (const told of second) alone.hears(told)
    if (again.length > 0) progress.triedAgain(alone)
    return { again, isGreen: progress.ended('the rest'), printed }
  }

  it('green, and named at the end, where each passes then', () => {
    const { again, isGreen, printed } = run([failure('a'), failure('a')], [{ event: 'passed' }])
    expect(again).to.deep.equal(['a'])
    expect(isGreen).to.equal(true)
    expect(printed).to.contain('failed at first, and passed alone:\n  a test of a\n  a test of a\n')
    expect(printed).to.match(/\n3 passed, 0 failed, 2 at the second try in /)
  })

  for (const [what, second] of Object.entries({
    'one fails again': [{ event: 'passed' }, failure('a')],
    'none ran': [],
  } as const))
    it(`red where ${what}`, () => {
      const { isGreen, printed } = run([failure('a')], second)
      expect(isGreen).to.equal(false)
      expect(printed).to.match(/\nfailed:\n {2}a test of a\n[^]*\n1 passed, 1 failed in /)
    })

  it('not where more than three files failed, nor where a process broke off', () => {
    expect(run(['a', 'b', 'c', 'd'].map(failure), []).again).to.deep.equal([])
    expect(run([failure('a'), { ...failure(''), event: 'failed' } as Told], []).again).to.deep.equal([])
  })
})

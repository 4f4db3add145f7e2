import { expect } from 'chai'
import { BUGS } from '../planted/bugs.ts'
import { Planting } from '../planted/plant.ts'
import { print } from '../support/figures.ts'

describe('a planted bug', function () {
  let planting: Planting | undefined

  before(async () => {
    planting = await Planting.begin()
  })

  after(() => planting?.end())

  it('is the only reason why a test fails', async () => {
    const tests = [...new Set(BUGS.flatMap((bug) => bug.tests))]
    expect(await planting?.control(tests)).to.deep.equal([])
  })

  for (const bug of BUGS) {
    it(`is caught: ${bug.name}`, async () => {
      const failures = (await planting?.failures(bug)) ?? []
      const caughtBy = new Set(failures.map(({ file }) => file))
      expect(
        bug.tests.filter((file) => !caughtBy.has(file)),
        'files of which no test failed',
      ).to.deep.equal([])
      print([`${bug.name}: ${failures.length} failed, first: ${failures[0]?.title}`])
    })
  }
})

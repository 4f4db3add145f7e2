import { expect } from 'chai'
import { BUGS } from './bugs.ts'
import { places } from './plant.ts'

describe('the bugs that are planted (test:long)', () => {
  for (const bug of BUGS) {
    it(`can still be planted: ${bug.name}`, async () => {
      expect(await places(bug), `places in ${bug.file}`).to.equal(1)
    })
  }
})

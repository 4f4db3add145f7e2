import { Player, SANDBOX } from '../model/player.ts'
import { holds } from '../model/property.ts'
import { describeWith, moreTime } from '../suite/need.ts'

/** Reports results up to this time: shrinking a violation must not hide it. */
const LONGEST = 180_000

// On the real control plane: test/long/model.test.ts.
describeWith(moreTime, 'random scenarios of people, edges and restarts, on a sandbox', function () {
  this.timeout(300_000)
  const player = new Player(SANDBOX)
  after(() => player.stop())

  it('lose nothing, cause no write without a cause, and come to rest', async () => {
    await holds(player, { workloads: 30, steps: 80, moves: true }, { numRuns: 4, longest: LONGEST })
  })
})

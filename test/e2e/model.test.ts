import { describeOn } from '../support/clusters.ts'
import { Player, realPlace, SANDBOX } from '../model/player.ts'
import { holds } from '../model/property.ts'

/** Reports results up to this time: shrinking a violation must not hide it. */
const LONGEST = 180_000
/** On the real control plane one scenario alone may take this long: lost answers and minutes are waited for. */
const LONGEST_REAL = 280_000

describe('random scenarios of people, edges and restarts, on a sandbox', function () {
  this.timeout(300_000)
  const player = new Player(SANDBOX)
  after(() => player.stop())

  it('lose nothing, cause no write without a cause, and come to rest', async () => {
    await holds(player, { workloads: 30, steps: 80, moves: true }, { numRuns: 8, longest: LONGEST })
  })
})

describeOn('random scenarios of people, edges and restarts', function (on) {
  this.timeout(340_000)
  const player = new Player(realPlace(on))
  after(() => player.stop())

  it('lose nothing, cause no write without a cause, and come to rest', async () => {
    await holds(
      player,
      { workloads: 10, steps: 30, moves: false },
      { numRuns: 1, atOnce: 3, longest: LONGEST_REAL },
    )
  })
})

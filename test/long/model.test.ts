import { print } from '../support/figures.ts'
import { describeOn } from '../support/clusters.ts'
import { Player, realPlace, SANDBOX } from '../model/player.ts'
import { holds, type Sum } from '../model/property.ts'

const HOURS = 3_600_000
const said = ({ scenarios, writes, causes }: Sum) =>
  print([`${scenarios} scenarios, ${writes} writes for ${causes} causes`])

describe('500 random scenarios on a sandbox', function () {
  this.timeout(3 * HOURS)
  const player = new Player(SANDBOX)
  after(() => player.stop())

  it('lose nothing, cause no write without a cause, and come to rest', async () => {
    said(await holds(player, { workloads: 30, steps: 80, moves: true }, { numRuns: 500, longest: 2 * HOURS }))
  })
})

describeOn('50 random scenarios', function (on) {
  this.timeout(3 * HOURS)
  const player = new Player(realPlace(on))
  after(() => player.stop())

  it('lose nothing, cause no write without a cause, and come to rest', async () => {
    said(
      await holds(
        player,
        { workloads: 30, steps: 60, moves: false },
        { numRuns: 10, atOnce: 5, longest: 2 * HOURS },
      ),
    )
  })
})

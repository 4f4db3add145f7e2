import { print } from '../support/figures.ts'
import { BEHAVIOURS } from '../hostile-clients/behaviours.ts'
import { Crowd } from '../hostile-clients/crowd.ts'
import { shown, Stage, type PortName } from '../hostile-clients/stage.ts'

const MINUTE = 60_000
/** Fewer than there are places: only time ends them. */
const COUNT = 30

describe('clients that never go', function () {
  this.timeout(10 * MINUTE)
  let stage: Stage

  before(async () => (stage = await Stage.start()))
  after(() => stage.stop())

  for (const port of ['api', 'apiWithoutTls', 'webhook', 'metrics'] as const satisfies PortName[])
    for (const [what, behaviour] of Object.entries(BEHAVIOURS))
      it(`${port}: ${COUNT} that ${what} are gone within a minute and a half`, async () => {
        const before = await stage.footprint()
        const token = await stage.token('hostile')
        const crowd = await Crowd.open(stage.ports[port].url, COUNT, behaviour(port, token))
        try {
          const after = await stage.settled(before, 1.5 * MINUTE)
          print([`before: ${shown(before)}; after: ${shown(after)}`])
        } finally {
          await crowd.leave()
        }
      })
})

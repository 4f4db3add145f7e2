import { print } from '../support/figures.ts'
import { BEHAVIOURS } from '../hostile-clients/behaviours.ts'
import { Crowd } from '../hostile-clients/crowd.ts'
import { shown, Stage, type PortName } from '../hostile-clients/stage.ts'

const MINUTE = 60_000
/** Over TLS an idle connection is kept for two minutes (src/http/server.ts); buffers take in all of some answers. */
const LONGEST = 2.5 * MINUTE
/** Fewer than there are places: only time ends them. */
const COUNT = 30

describe('clients that never go', function () {
  this.timeout(10 * MINUTE)
  let stage: Stage

  before(async () => (stage = await Stage.start()))
  after(() => stage.stop())

  for (const port of ['api', 'apiWithoutTls', 'webhook', 'metrics'] as const satisfies PortName[])
    for (const [what, behaviour] of Object.entries(BEHAVIOURS))
      it(`${port}: ${COUNT} that ${what} are gone within two and a half minutes`, async () => {
        const before = await stage.footprint()
        const token = await stage.token('hostile')
        const crowd = await Crowd.open(stage.ports[port].url, COUNT, behaviour(port, token))
        try {
          // connections are accepted one after the other: by now all of them were
          await stage.visit(port)
          const during = await stage.footprint()
          const after = await stage.settled(before, LONGEST)
          print([`before: ${shown(before)}`, `during: ${shown(during)}; after: ${shown(after)}`])
        } finally {
          await crowd.leave()
        }
      })
})

import { print } from '../support/figures.ts'
import { BEHAVIOURS } from './behaviours.ts'
import { Crowd } from './crowd.ts'
import { shown, Stage, type PortName } from './stage.ts'

/** More than a port has places for. */
const CROWDS: Readonly<Partial<Record<PortName, number>>> = { api: 1100, webhook: 1100, metrics: 160 }
const VISITS = 5

describe('clients that take all places of a port', function () {
  this.timeout(120_000)
  let stage: Stage

  before(async () => (stage = await Stage.start()))
  after(() => stage.stop())

  for (const [port, count] of Object.entries(CROWDS) as [PortName, number][])
    for (const [what, behaviour] of Object.entries(BEHAVIOURS))
      it(`${port}: ${count} that ${what} keep nobody out, and leave nothing behind`, async () => {
        const before = await stage.footprint()
        const crowd = await Crowd.open(
          stage.ports[port].url,
          count,
          behaviour(port, await stage.token('hostile')),
        )
        try {
          for (let visit = 0; visit < VISITS; visit++) await stage.visit(port)
        } finally {
          await crowd.leave()
        }
        const after = await stage.settled(before)
        print([`before: ${shown(before)}; after: ${shown(after)}`])
      })
})

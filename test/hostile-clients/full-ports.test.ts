import { print } from '../support/figures.ts'
import { BEHAVIOURS } from './behaviours.ts'
import { Crowd } from './crowd.ts'
import { shown, Stage, type PortName } from './stage.ts'
import { describeWith, moreTime } from '../suite/need.ts'

/** More than a port has places for. */
const CROWD: Readonly<Record<PortName, number>> = {
  api: 1100,
  apiWithoutTls: 1100,
  webhook: 1100,
  metrics: 160,
}
const VISITS = 5
/** Bytes of heap that compiled code and caches may take more after the first of these tests. */
const MORE = 10_000_000

describeWith(
  moreTime,
  'clients that take all places of a port keep nobody out and leave nothing behind',
  function () {
    this.timeout(180_000)
    let stage: Stage

    before(async () => (stage = await Stage.start()))
    after(() => stage.stop())

    const keepsNobodyOut = (port: PortName, what: string) => {
      const behaviour = BEHAVIOURS[what]
      if (!behaviour) throw new TypeError(`there is no behaviour "${what}"`)
      it(`${port}: ${CROWD[port]} that ${what}`, async () => {
        const before = await stage.footprint()
        const crowd = await Crowd.open(
          stage.ports[port].url,
          CROWD[port],
          behaviour(port, await stage.token('hostile')),
        )
        try {
          for (let visit = 0; visit < VISITS; visit++) await stage.visit(port)
        } finally {
          await crowd.leave()
        }
        const after = await stage.settled(before, undefined, MORE)
        print([`before: ${shown(before)}; after: ${shown(after)}`])
      })
    }

    for (const what of Object.keys(BEHAVIOURS)) {
      keepsNobodyOut('metrics', what)
      keepsNobodyOut('apiWithoutTls', what)
    }
    // TLS takes its time.
    for (const port of ['api', 'webhook'] as const) keepsNobodyOut(port, 'say nothing')
  },
)

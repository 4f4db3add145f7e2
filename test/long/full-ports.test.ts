import { BEHAVIOURS } from '../hostile-clients/behaviours.ts'
import { keepsNobodyOut } from '../hostile-clients/full-port.ts'
import { Stage } from '../hostile-clients/stage.ts'

describe('clients that take all places of a port over TLS keep nobody out and leave nothing behind', function () {
  this.timeout(300_000)
  let stage: Stage

  before(async () => (stage = await Stage.start()))
  after(() => stage.stop())

  for (const what of Object.keys(BEHAVIOURS))
    for (const port of ['api', 'webhook'] as const) keepsNobodyOut(() => stage, port, what)
})

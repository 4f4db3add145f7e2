import { BEHAVIOURS } from './behaviours.ts'
import { keepsNobodyOut } from './full-port.ts'
import { Stage } from './stage.ts'

/** Over TLS, which takes its time, all others are in test/long/full-ports.test.ts. */
describe('clients that take all places of a port keep nobody out and leave nothing behind', function () {
  this.timeout(180_000)
  let stage: Stage

  before(async () => (stage = await Stage.start()))
  after(() => stage.stop())

  for (const what of Object.keys(BEHAVIOURS)) {
    keepsNobodyOut(() => stage, 'metrics', what)
    keepsNobodyOut(() => stage, 'apiWithoutTls', what)
  }
  for (const port of ['api', 'webhook'] as const) keepsNobodyOut(() => stage, port, 'say nothing')
})

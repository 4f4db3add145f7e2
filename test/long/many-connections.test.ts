import { BEHAVIOURS } from '../hostile-clients/behaviours.ts'
import { COUNT, manyConnections } from '../hostile-clients/many-connections.ts'

describe(`${COUNT} connections of every kind`, function () {
  this.timeout(300_000)
  manyConnections(Object.keys(BEHAVIOURS))
})

import { BEHAVIOURS } from '../hostile-clients/behaviours.ts'
import { COUNT, manyConnections } from '../hostile-clients/many-connections.ts'

/** 16 GB of answers. */
const TOO_MUCH = 'ask for much and read no answer'

describe(`${COUNT} connections of every kind`, function () {
  this.timeout(300_000)
  manyConnections(Object.keys(BEHAVIOURS).filter((what) => what !== TOO_MUCH))
})

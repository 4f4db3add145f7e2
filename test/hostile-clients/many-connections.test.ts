import { COUNT, manyConnections } from './many-connections.ts'

describe(`${COUNT} connections`, function () {
  this.timeout(180_000)
  manyConnections(['say nothing'])
})

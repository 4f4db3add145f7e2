import type { RootHookObject } from 'mocha'
import { stopSharedControlPlane } from '../control-plane/shared.ts'
import { stopSandboxCluster, whereTestsRan } from './clusters.ts'
import { around, turnRound } from './around.ts'
import type { Told } from '../suite/told.ts'
import { turned } from './world.ts'

turnRound((quiet) => turned(quiet, process.env['DORMOUSE_WORLD']))

/** After all tests: says where they ran, and stops the clusters. */
export const mochaHooks: RootHookObject = {
  async afterAll(this: Mocha.Context) {
    this.timeout(60_000)
    const lines = await whereTestsRan()
    if (process.send) process.send({ event: 'closing', lines } satisfies Told)
    else process.stdout.write(`\n${lines.map((line) => `  ${line}`).join('\n')}\n`)
    await stopSandboxCluster()
    around().clear()
    await stopSharedControlPlane()
  },
}

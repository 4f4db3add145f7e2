import type { RootHookObject } from 'mocha'
import { stopSharedControlPlane } from '../control-plane/shared.ts'
import { stopSandboxCluster, whereTestsRan } from './clusters.ts'
import { around, turnRound } from './around.ts'
import { Minutes } from './minutes.ts'
import { turned } from './world.ts'

turnRound((quiet) => turned(quiet, process.env['DORMOUSE_WORLD']))

const minutes = new Minutes()

/** Counts each layer's minutes; after all tests prints them and where the tests ran, and stops the clusters. */
export const mochaHooks: RootHookObject = {
  afterEach(this: Mocha.Context) {
    minutes.ended(this.currentTest?.file)
  },
  async afterAll(this: Mocha.Context) {
    this.timeout(60_000)
    const lines = [...(await whereTestsRan()), ...minutes.lines()]
    process.stdout.write(`\n${lines.map((line) => `  ${line}`).join('\n')}\n`)
    await stopSandboxCluster()
    around().clear()
    await stopSharedControlPlane()
  },
}

import { realControlPlane } from '../control-plane/build.ts'
import { startControlPlane } from '../control-plane/control-plane.ts'
import { helm } from '../go-programs/go-program.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { print } from '../support/figures.ts'
import { WITH_HELM } from './commands.ts'
import { HelmReader } from './helm-reader.ts'
import { readAll } from './reading.ts'
import { openShop, realTerminal } from './real-reader.ts'
import { SandboxReader } from './sandbox-reader.ts'
import { both, describeWith, moreTime } from '../suite/need.ts'
import { kubectl } from '../support/kubectl.ts'

describeWith(both(moreTime, kubectl), 'the commands of the documentation, in the sandbox', function () {
  this.timeout(180_000)
  const reader = new SandboxReader()
  after('the reader ends the last sandbox', async () => {
    await reader.stop()
  })
  readAll('the sandbox', () => reader)
})

describeOn('the commands of the documentation', function (on) {
  this.timeout(180_000)
  const here = enforced(on)
  before('there is a shop', () => openShop(here))
  readAll('a real API server', () => ({
    terminal: () => realTerminal(here),
    run: (script, terminal, expected) => terminal.run(script, expected),
  }))
})

const onHelm = both(realControlPlane, helm)
describeWith(onHelm, 'the commands of the documentation, on a cluster', function ([programs, program]) {
  this.timeout(180_000)
  let reader: HelmReader | undefined
  before('a reader has a cluster of their own', async () => {
    reader = await HelmReader.start(await startControlPlane({ programs }), program)
  })
  after('and ends it', async () => {
    print(reader?.otherwise ?? [])
    await reader?.stop()
  })
  readAll(WITH_HELM, () => reader!)
})

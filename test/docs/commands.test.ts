import { providePrograms } from '../control-plane/build.ts'
import { startControlPlane } from '../control-plane/control-plane.ts'
import { goProgram } from '../go-programs/go-program.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { print } from '../support/figures.ts'
import { WITH_HELM } from './commands.ts'
import { HelmReader } from './helm-reader.ts'
import { readAll } from './reading.ts'
import { openShop, realTerminal } from './real-reader.ts'
import { SandboxReader } from './sandbox-reader.ts'
import { leaveOut } from '../support/leave-out.ts'

describe('the commands of the documentation, in the sandbox', function () {
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

describe('the commands of the documentation, on a cluster with Helm', function () {
  this.timeout(180_000)
  let reader: HelmReader | undefined
  before('a reader has a cluster of their own', async function () {
    const helm = await goProgram('helm', this)
    const provided = await providePrograms((line) => process.stderr.write(`${line}\n`))
    if ('unavailable' in provided) leaveOut(this, `the pages that need Helm: ${provided.unavailable}`)
    reader = await HelmReader.start(await startControlPlane(provided), helm)
  })
  after('and ends it', async () => {
    print(reader?.otherwise ?? [])
    await reader?.stop()
  })
  readAll(WITH_HELM, () => reader!)
})

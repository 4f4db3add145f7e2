import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '../../build.ts'
import { linuxExecutable } from '../../packaging/executable.ts'
import { asFromSources, type Outcome } from '../../packaging/try/trial.ts'
import { doesAsTheSources } from '../packaging/as-the-sources.ts'

// The npm package is in `test/packaging/commands.test.ts`; a release tries its executables once more.
describe('every command in every output', function () {
  this.timeout(900_000)
  let folder: string
  let fromSources: Outcome[]

  before(async () => {
    // Outside the project: nothing is found in its node_modules.
    folder = await mkdtemp(join(tmpdir(), 'dormouse-packed-'))
    fromSources = await asFromSources()
  })

  after(() => rm(folder, { recursive: true, force: true }))

  it('of the program of the image, is as from the sources', async () => {
    const image = join(folder, 'image')
    await mkdir(image)
    await bundle(image)
    await doesAsTheSources(fromSources, [process.execPath, join(image, 'dist', 'main.js')])
  })

  if (process.platform === 'linux')
    it('of the single executable, is as from the sources', async () => {
      const program = join(folder, 'alone', 'kubectl-dormouse')
      await linuxExecutable(process.execPath, program)
      await doesAsTheSources(fromSources, [program])
    })
})

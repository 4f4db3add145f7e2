import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { bundle } from '../../build.ts'
import { linuxExecutable } from '../../packaging/executable.ts'
import { packedTrial } from '../packaging/packed-trial.ts'

// The npm package is in `test/packaging/commands.test.ts`; a release tries its executables once more.
describe('every command in every output', function () {
  this.timeout(900_000)
  const trial = packedTrial()

  it('of the program of the image, is as from the sources', async () => {
    const image = join(trial.folder, 'image')
    await mkdir(image)
    await bundle(image)
    await trial.doesAsTheSources([process.execPath, join(image, 'dist', 'main.js')])
  })

  if (process.platform === 'linux')
    it('of the single executable, is as from the sources', async () => {
      const program = join(trial.folder, 'alone', 'kubectl-dormouse')
      await linuxExecutable(process.execPath, program)
      await trial.doesAsTheSources([program])
    })
})

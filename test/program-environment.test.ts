import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { MAIN } from './support/dormouse.ts'
import { runProgram } from './support/kubectl.ts'

const VARIABLE = 'DORMOUSE_OF_THE_TESTS'

describe('a program that a test starts', function () {
  this.timeout(60_000)
  let folder: string

  before(async () => {
    process.env[VARIABLE] = 'slow'
    folder = await mkdtemp(join(tmpdir(), 'dormouse-environment-'))
  })

  after(async () => {
    delete process.env[VARIABLE]
    await rm(folder, { recursive: true })
  })

  it('hears nothing of the settings of the test run', async () => {
    const file = join(folder, 'dormouse.yaml')
    await writeFile(file, 'timezone: UTC\n')
    const { code, stderr } = await runProgram(process.execPath, [MAIN, 'check', file])
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' })
  })
})

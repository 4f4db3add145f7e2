import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder for each test of this `describe`, by the path of a name in it. All are removed at its end. */
export function temporaryFolder(): (...names: string[]) => string {
  const folders: string[] = []
  beforeEach(async () => void folders.push(await mkdtemp(join(tmpdir(), 'dormouse-test-'))))
  after(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true })
  })
  return (...names) => join(folders.at(-1)!, ...names)
}

/** A new folder for all tests of this `describe`, by the path of a name in it. */
export function folderOfSuite(): (...names: string[]) => string {
  let folder = ''
  before(async () => void (folder = await mkdtemp(join(tmpdir(), 'dormouse-test-'))))
  after(() => rm(folder, { recursive: true, force: true }))
  return (...names) => join(folder, ...names)
}

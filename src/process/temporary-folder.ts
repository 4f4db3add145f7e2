import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { UsageError } from './errors.ts'

const VARIABLE = process.platform === 'win32' ? 'TEMP' : 'TMPDIR'

/** A new folder for its owner alone in the system's folder for such. @throws UsageError: that cannot be written to */
export async function temporaryFolder(prefix: string, parent = tmpdir()): Promise<string> {
  try {
    return await mkdtemp(join(parent, prefix))
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    throw new UsageError(
      `the folder for temporary files, ${parent}, has to be there and writable (${code}): ${VARIABLE} names another`,
      { cause: error },
    )
  }
}

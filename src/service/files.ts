import { readFile } from 'node:fs/promises'
import { UsageError } from '../errors.ts'

/** The text of a file that `source`, an option or a key of the configuration, names. @throws UsageError */
export async function readText(source: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`
    throw new UsageError(`${source} ${file}: ${why}`, { cause: error })
  }
}

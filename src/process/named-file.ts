import { readFile } from 'node:fs/promises'
import { UsageError } from './errors.ts'

/**
 * The text of a file that an option or a key of the configuration names: `readText('--key', 'private.pem')`.
 * @throws UsageError that names the option or key, the file and the reason
 */
export async function readText(source: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : `cannot be read (${code})`
    throw new UsageError(`${source} ${file}: ${why}`, { cause: error })
  }
}

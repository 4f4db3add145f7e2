import { readFile } from 'node:fs/promises'
import type { Config } from '../config.ts'
import type { Rules } from '../domain/rules.ts'
import { ScheduleCompiler } from '../domain/schedule/schedule.ts'
import { UsageError } from '../errors.ts'

/** The domain's rules under a configuration; equal schedules are compiled once. */
export function rulesOf(config: Config, scaledObjects: Required<Rules>['scaledObjects'] = () => []): Rules {
  const compiler = new ScheduleCompiler()
  return { policy: config, compile: (text, zone) => compiler.compile(text, zone), scaledObjects }
}

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

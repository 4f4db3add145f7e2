import { readFile } from 'node:fs/promises'
import type { Config } from '../config.ts'
import type { Rules } from '../domain/rules.ts'
import { NO_CALENDARS, type Calendars } from '../domain/schedule/calendar.ts'
import { ScheduleCompiler } from '../domain/schedule/schedule.ts'
import { UsageError } from '../errors.ts'

/** The domain's rules under a configuration; equal schedules are compiled once. */
export function rulesOf(config: Config, calendars: Calendars = NO_CALENDARS): Rules {
  const compiler = new ScheduleCompiler(SCHEDULES_KEPT, calendars)
  return { policy: config, compile: (text, zone, calendar) => compiler.compile(text, zone, calendar) }
}

const SCHEDULES_KEPT = 10_000

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

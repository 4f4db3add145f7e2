import { ConfiguredCalendars } from '../service/calendars/configured-calendars.ts'
import type { Clock } from '../process/clock.ts'
import type { Config } from '../service/config/config.ts'
import type { Logger } from '../process/logger.ts'
import { calendarThreads } from './calendar-thread.ts'

/** The calendars of a configuration, which are read again when their files change. `patience`: of their start. */
export function calendarsOf(
  { calendars }: Config,
  clock: Clock,
  logger: Logger,
  patience?: number,
): ConfiguredCalendars {
  return new ConfiguredCalendars({ calendars, expander: calendarThreads(), clock, logger, patience })
}

/** The calendars of a configuration as they are now. */
export async function readCalendars(
  config: Config,
  clock: Clock,
  logger: Logger,
): Promise<ConfiguredCalendars> {
  const calendars = calendarsOf(config, clock, logger)
  await calendars.start()
  await calendars.stop()
  return calendars
}

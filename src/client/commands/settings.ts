import type { Command } from 'commander'
import { printable } from '../../process/printable.ts'
import { UsageError } from '../../process/errors.ts'
import type { Terminal } from '../terminal.ts'
import { requestCommand, type RequestOptions } from './asking.ts'

interface HourOptions extends RequestOptions {
  readonly schedule?: string
  readonly timezone?: string
  readonly inherit?: true
  readonly none?: true
}

/** The commands that change a workload's settings: enable, disable and schedule. */
export function registerSettings(program: Command, terminal: Terminal): void {
  requestCommand(program, terminal, 'enable', {
    examples: ['web --schedule 8:00-18:00,Mon-Fri --timezone Europe/Berlin', '--all -n staging'],
    description: 'Have Dormouse manage workloads, with hours of their own or without',
    unmanaged: true,
    options: (command) => inheriting(hourOptions(command)),
    said: async ({ schedule, timezone, inherit }: HourOptions) => ({
      ...(await hours({ schedule, timezone })),
      ...(inherit && { inherit }),
    }),
  })
  requestCommand(program, terminal, 'disable', {
    examples: ['web'],
    description: 'Have Dormouse leave workloads alone; what sleeps wakes',
    options: inheriting,
    said: async ({ inherit }: HourOptions) => (inherit ? { inherit } : {}),
  })
  requestCommand(program, terminal, 'schedule', {
    examples: ["web --schedule '8:00-18:00,Mon-Fri;10:00-14:00,Sat'", 'web --none'],
    description: 'Change the hours in which workloads run',
    options: (command) =>
      hourOptions(command)
        .option('--none', 'no hours at all, whatever the namespace has')
        .option('--inherit', 'remove the hours of their own, so that those of the namespace count'),
    said: async ({ schedule, timezone, inherit, none }: HourOptions) => {
      const given = [schedule, inherit, none].filter((each) => each !== undefined).length
      if (given > 1) throw new UsageError('give one of --schedule, --none and --inherit')
      if (given === 0 && timezone === undefined)
        throw new UsageError("give --schedule '8:00-18:00,Mon-Fri', or --timezone, --none or --inherit")
      return {
        ...(await hours({ schedule: none ? '' : schedule, timezone })),
        ...(inherit && { inherit }),
      }
    },
  })
}

function hourOptions(command: Command): Command {
  return command
    .option('--schedule <hours>', 'when they run, as in 8:00-18:00,Mon-Fri')
    .option(
      '--timezone <zone>',
      'of these hours, as in Europe/Berlin; without it that of the namespace or the service',
    )
}

function inheriting(command: Command): Command {
  return command.option('--inherit', 'remove what a workload has of its own, so that its namespace decides')
}

const ALWAYS = 'awake at all hours is 0:00-24:00'

interface Given {
  readonly schedule: string | undefined
  readonly timezone: string | undefined
}

/** Checks hours before any call, so that the error names the place. @throws UsageError */
async function hours({ schedule, timezone }: Given): Promise<{ schedule?: string; timezone?: string }> {
  const { canonical, InvalidSchedule, parseSchedule, timezoneFault } =
    await import('../../domain/schedule/syntax.ts')
  const fault = timezone === undefined || timezone === '' ? undefined : timezoneFault(timezone)
  if (fault !== undefined) throw new UsageError(`--timezone: ${fault}`)
  const zone = timezone === undefined ? {} : { timezone }
  if (schedule === undefined || schedule.trim() === '')
    return { ...(schedule !== undefined && { schedule: '' }), ...zone }
  try {
    return { schedule: canonical(parseSchedule(schedule)), ...zone }
  } catch (error) {
    if (!(error instanceof InvalidSchedule)) throw error
    if (/^\s*(?:none|never|off|no)\s*$/i.test(schedule))
      throw new UsageError(`--schedule: for no hours at all write schedule --none; ${ALWAYS}`, {
        cause: error,
      })
    const caret = `${' '.repeat(error.position - 1)}^`
    const shown = printable(schedule)
    throw new UsageError(`--schedule: ${error.message}\n  ${shown}\n  ${caret}`, { cause: error })
  }
}

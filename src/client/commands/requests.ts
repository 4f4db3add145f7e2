import type { Command } from 'commander'
import { UsageError } from '../../service/process/errors.ts'
import type { Terminal } from '../terminal.ts'
import { durationOption, minutesTo, parseUntil } from '../times.ts'
import { requestCommand, type RequestOptions } from './asking.ts'

interface LimitOptions extends RequestOptions {
  readonly for?: string
  readonly until?: string
  readonly force?: true
}

/** The commands that ask Dormouse for something: wake, snooze, pin, unpin, override and resume. */
export function registerRequests(program: Command, terminal: Terminal): void {
  const limited = (what: string) => (command: Command) =>
    command
      .option('--for <duration>', `${what} for so long: 90m, 4h, 1h30m or 2d`)
      .option(
        '--until <time>',
        `${what} until then: 18:00, 'mon 8:00', 2026-11-24T18:00, or the end of tomorrow, 2026-11-24`,
      )
  requestCommand<LimitOptions>(program, terminal, {
    verb: 'wake',
    examples: ['web', 'deploy/web sts/db --for 4h --wait', 'web --until 18:00', '--all -n staging --dry-run'],
    description: 'Wake workloads, or keep them awake: until the next change of their schedule, or for a time',
    movesPods: true,
    wanted: 'awake',
    options: limited('keep it awake'),
    request: async (options) => ({ action: 'wake', ...(await limitOf(options, terminal)) }),
  })
  requestCommand<LimitOptions>(program, terminal, {
    verb: 'snooze',
    examples: ['web', 'web --for 90m', '--all -n staging --yes'],
    description: 'Put workloads to sleep: until the next change of their schedule, or for a time',
    movesPods: true,
    wanted: 'asleep',
    options: (command) =>
      limited('let it sleep')(command).option(
        '--force',
        'even where volumes would be lost by it, or where it was switched too often of late',
      ),
    request: async (options) => ({
      action: 'snooze',
      ...(await limitOf(options, terminal)),
      ...(options.force && { force: true }),
    }),
  })
  requestCommand(program, terminal, {
    verb: 'pin',
    examples: ['web'],
    description:
      'Hold workloads as they are: nothing and nobody wakes them, puts them to sleep or scales them',
    movesPods: false,
    request: async () => ({ action: 'pin' }),
  })
  requestCommand(program, terminal, {
    verb: 'unpin',
    examples: ['web'],
    description: 'Let pinned workloads go: from then on their schedule counts again',
    movesPods: true,
    request: async () => ({ action: 'unpin' }),
  })
  requestCommand<LimitOptions>(program, terminal, {
    verb: 'override',
    examples: ['web --for 8h', 'web --until tomorrow'],
    description:
      'Switch the schedule off, for a time or for good: kubectl scale is refused meanwhile, wake and snooze still work',
    movesPods: false,
    options: limited('switch it off'),
    request: async (options) => ({
      action: 'override',
      duration: (await limitOf(options, terminal)).for ?? null,
    }),
  })
  requestCommand(program, terminal, {
    verb: 'resume',
    examples: ['web'],
    description: 'Clear an override: the schedule counts again',
    movesPods: true,
    request: async () => ({ action: 'clear-override' }),
  })
}

/** In milliseconds, whole minutes. @throws UsageError */
async function limitOf(
  { for: duration, until }: LimitOptions,
  { clock, timezone }: Pick<Terminal, 'clock' | 'timezone'>,
): Promise<{ for?: number }> {
  if (duration !== undefined && until !== undefined) throw new UsageError('give --for or --until, not both')
  if (duration !== undefined) return { for: durationOption('--for', duration) }
  if (until === undefined) return {}
  const now = clock()
  return { for: minutesTo(await parseUntil(until, now, timezone), now) }
}

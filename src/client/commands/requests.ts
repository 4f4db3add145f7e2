import type { Command } from 'commander'
import { UsageError } from '../../process/errors.ts'
import type { Terminal } from '../terminal.ts'
import { durationOption, minutesTo, parseUntil } from '../times.ts'
import { requestCommand, type RequestOptions } from './asking.ts'

interface LimitOptions extends RequestOptions {
  readonly for?: string
  readonly until?: string
  readonly force?: true
  readonly shorten?: true
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
  requestCommand(program, terminal, 'wake', {
    examples: ['web', 'deploy/web sts/db --for 4h --wait', 'web --until 18:00', '--all -n staging --dry-run'],
    description: 'Wake workloads, or keep them awake: until the next change of their schedule, or for a time',
    options: (command) =>
      limited('keep it awake')(command).option(
        '--shorten',
        'even where it is to stay awake for longer, as somebody asked: only for workloads that are named',
      ),
    said: async (options: LimitOptions) => {
      const isMany = options.all === true || options.selector !== undefined
      if (options.shorten && isMany)
        throw new UsageError('--shorten is for workloads that are named one by one')
      return { ...(await limitOf(options, terminal)), ...(options.shorten && { shorten: true }) }
    },
  })
  requestCommand(program, terminal, 'snooze', {
    examples: ['web', 'web --for 90m', '--all -n staging --yes'],
    description: 'Put workloads to sleep: until the next change of their schedule, or for a time',
    options: (command) =>
      limited('let it sleep')(command).option(
        '--force',
        'even where volumes would be lost by it, or where it was switched too often of late',
      ),
    said: async (options: LimitOptions) => ({
      ...(await limitOf(options, terminal)),
      ...(options.force && { force: true }),
    }),
  })
  requestCommand(program, terminal, 'pin', {
    examples: ['web'],
    description:
      'Hold workloads as they are: nothing and nobody wakes them, puts them to sleep or scales them',
  })
  requestCommand(program, terminal, 'unpin', {
    examples: ['web'],
    description: 'Let pinned workloads go: from then on their schedule counts again',
  })
  requestCommand(program, terminal, 'override', {
    examples: ['web --for 8h', 'web --until tomorrow'],
    description:
      'Switch the schedule off, for a time or for good: kubectl scale is refused meanwhile, wake and snooze still work',
    options: limited('switch it off'),
    said: async (options: LimitOptions) => {
      const { for: duration } = await limitOf(options, terminal)
      return duration === undefined ? {} : { duration }
    },
  })
  requestCommand(program, terminal, 'clearOverride', {
    examples: ['web'],
    description: 'Clear an override: the schedule counts again',
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

import type { Command } from 'commander'
import { OPERATIONS, type CommandAction, type Request, type Said } from '../../domain/requests/operations.ts'
import { NOTHING_TO_DO } from '../../domain/requests/telling.ts'
import { isKeptAtZero, leavesOut } from '../../domain/records/bulk.ts'
import type { StatusRecord } from '../../domain/records/record.ts'
import type { WorkloadKey } from '../../domain/workload/workload.ts'
import { UsageError } from '../../process/errors.ts'
import { resourceName } from '../kinds.ts'
import { oneLine } from '../safe-output.ts'
import { connected, connectionOptions, outputOption, withExamples, type OutputOptions } from '../options.ts'
import { forPrograms } from '../output.ts'
import type { Answer, Connection, Dormouse } from '../ports.ts'
import type { Terminal } from '../terminal.ts'
import { worded } from '../text/local-time.ts'
import type { Style } from '../text/why.ts'
import { durationOption } from '../times.ts'
import { chosen, manyOptions, type ManyOptions } from './chosen.ts'
import { capitalised } from '../../words/text.ts'
import { styleFor } from '../style.ts'
import { AlreadyReported } from './already-reported.ts'
import { forEachWorkload } from './for-each-workload.ts'
import { Progress, settledText, waitForPods } from './waiting.ts'

export interface RequestOptions extends Connection, OutputOptions, ManyOptions {
  readonly dryRun?: true
  readonly wait?: true
  readonly timeout?: string
}

/** A command that makes the same request for all given workloads. */
interface Asking<A extends CommandAction, Options> {
  readonly description: string
  /** Whether `--all` includes workloads that Dormouse does not manage. */
  readonly unmanaged?: boolean
  /** Examples for the help, without the program. */
  readonly examples: readonly string[]
  /** The command's own options. */
  readonly options?: (command: Command) => Command
  /** Reads the parameters of the request from the options; undefined: there are none. */
  readonly said?: (options: Options) => Promise<Said<A>>
}

export function requestCommand<A extends CommandAction, Options extends RequestOptions>(
  program: Command,
  terminal: Terminal,
  action: A,
  asking: Asking<A, Options>,
): void {
  const { command: verb, moves } = OPERATIONS[action]
  const command = program
    .command(verb)
    .description(asking.description)
    .argument('[targets...]', 'such as deploy/web, or web; several, too')
  asking.options?.(command)
  manyOptions(command, asking.unmanaged).option('--dry-run', 'say what would happen, and change nothing')
  if (moves !== undefined)
    command
      .option('--wait', 'go on until the pods have followed, and tell how far they are')
      .option('--timeout <duration>', 'how long --wait waits; default: 5m')
  withExamples(command, terminal, ...asking.examples)
  connectionOptions(outputOption(command)).action((targets: string[], options: Options) =>
    connected(terminal, options, (dormouse, namespace) =>
      ask(terminal, dormouse, namespace, targets, options, action, asking),
    ),
  )
}

const FIVE_MINUTES = 5 * 60_000
/** How long `--wait` may wait, in milliseconds. */
const WAIT_BOUNDS = [1000, 86_400_000] as const

async function ask<A extends CommandAction, Options extends RequestOptions>(
  terminal: Terminal,
  dormouse: Dormouse,
  namespace: string,
  texts: readonly string[],
  options: Options,
  action: A,
  { said, unmanaged = false }: Asking<A, Options>,
): Promise<void> {
  const { dryRun = false, wait = false } = options
  const { command: verb, moves } = OPERATIONS[action]
  const wanted = moves === 'either' ? undefined : moves
  if (wait && dryRun) throw new UsageError('--wait has nothing to wait for with --dry-run')
  if (options.timeout !== undefined && !wait) throw new UsageError('--timeout is for --wait')
  const timeout =
    options.timeout === undefined ? FIVE_MINUTES : durationOption('--timeout', options.timeout, WAIT_BOUNDS)
  const request = { action, ...(await said?.(options)) } as Request
  const named = dryRun ? { ...options, yes: true as const } : options
  const question = {
    verb: capitalised(verb),
    unmanaged,
    isLeftOut: (record: StatusRecord) => leavesOut(action) && isKeptAtZero(record),
  }
  const targets = await chosen(terminal, dormouse, namespace, texts, named, question)
  if (targets === undefined) {
    terminal.stderr.write('nothing was changed\n')
    throw new AlreadyReported('not confirmed')
  }
  const style = styleFor(terminal, options, dormouse)
  // Beside data for programs it is a message.
  const output = options.output === undefined ? terminal.stdout : terminal.stderr
  const progress = new Progress(terminal)
  const total = targets.keys.length
  let answered = 0
  const { done, failures, throwIfFailed } = await forEachWorkload(
    terminal,
    style,
    targets,
    async (key) => {
      const answer = await dormouse.request(key, request, dryRun)
      progress.end()
      output.write(answerText(key, answer, dryRun, style, options.allNamespaces === true))
      answered += 1
      if (total > 1 && answered < total) progress.passing(`${answered} of ${total}`)
      return { key, answer }
    },
    true,
  ).finally(() => progress.end())
  if (total + targets.absent.length > 1)
    terminal.stderr.write(
      `${summary(
        action,
        done.map(({ answer }) => answer),
        failures,
        dryRun,
      )}\n`,
    )
  const settled = wait
    ? await waitForPods(
        terminal,
        dormouse,
        done.map(({ key, answer }) => ({ key, wanted: answer.becomes ?? wanted })),
        timeout,
      )
    : []
  if (options.output === undefined) {
    if (wait && settled.length > 0) terminal.stderr.write(`${settledText(settled)}\n`)
  } else {
    const found = wait ? settled : await Promise.all(done.map(({ answer }) => answer.after()))
    const text = await forPrograms(options.output, found, targets.isList)
    terminal.stdout.write(text ?? '')
  }
  throwIfFailed()
}

/**
 * `deployment.apps/web: woken to 3 replicas: …`, with several namespaces `… in shop: …`, in a dry run `deployment.apps/web
 * would be woken to 3 replicas: …`; and further messages below.
 */
function answerText(
  key: WorkloadKey,
  { messages }: Answer,
  dryRun: boolean,
  style: Style,
  isOfMany: boolean,
): string {
  const [first = dryRun ? NOTHING_TO_DO.would : NOTHING_TO_DO.done, ...more] = messages
  const where = isOfMany ? ` in ${key.namespace}` : ''
  const said = oneLine(worded(first, style.times))
  const name = `${resourceName(key)}${where}`
  const lines = [dryRun ? `${name} ${said} (dry run: nothing was changed)` : `${name}: ${said}`]
  return `${[...lines, ...more.map((text) => `  ${oneLine(worded(text, style.times))}`)].join('\n')}\n`
}

/** The word for an operation that is done to several; `schedule` names no state. */
const DONE: Readonly<Record<CommandAction, string>> = {
  wake: 'woken',
  snooze: 'put to sleep',
  pin: 'pinned',
  unpin: 'unpinned',
  override: 'overridden',
  clearOverride: 'resumed',
  enable: 'enabled',
  disable: 'disabled',
  schedule: 'rescheduled',
}

/** `290 woken, 12 already awake, 2 refused (pinned): shop/web, shop/api`. */
function summary(
  action: CommandAction,
  answers: readonly Answer[],
  failures: readonly string[],
  dryRun: boolean,
): string {
  const already = answers.filter(({ wasSo }) => wasSo === true).length
  const done = answers.length - already
  const parts = [
    ...(done > 0 || already === 0 ? [`${done} ${dryRun ? 'would be ' : ''}${DONE[action]}`] : []),
    ...(already > 0 ? [`${already} already ${OPERATIONS[action].moves}`] : []),
    ...failures,
  ]
  return parts.join(', ')
}

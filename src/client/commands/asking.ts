import type { Command } from 'commander'
import type { Request } from '../../domain/requests/request.ts'
import type { Sleep } from '../../domain/schedule/schedule.ts'
import type { WorkloadKey } from '../../domain/workload/workload.ts'
import { UsageError } from '../../service/process/errors.ts'
import { resourceName } from '../kinds.ts'
import { oneLine } from '../legible.ts'
import { connected, connectionOptions, outputOption, withExamples, type OutputOptions } from '../options.ts'
import { forPrograms } from '../output.ts'
import type { Answer, Connection, Dormouse } from '../ports.ts'
import type { Terminal } from '../terminal.ts'
import { withLocalTimes } from '../text/local-time.ts'
import type { Style } from '../text/why.ts'
import { durationOption } from '../times.ts'
import { chosen, manyOptions, type ManyOptions } from './chosen.ts'
import { styleFor } from '../style.ts'
import { AlreadyTold } from './already-told.ts'
import { withoutRefused } from './together.ts'
import { waitForPods } from './waiting.ts'

export interface RequestOptions extends Connection, OutputOptions, ManyOptions {
  readonly dryRun?: true
  readonly wait?: true
  readonly timeout?: string
}

/** A command that makes the same request for all given workloads. */
interface Asking<Options extends RequestOptions> {
  readonly verb: string
  readonly description: string
  /** It may start or stop pods, so that there is something to wait for. */
  readonly movesPods: boolean
  /** The state that it leads to, if known. */
  readonly wanted?: Sleep
  /** Whether `--all` includes workloads that Dormouse does not manage. */
  readonly unmanaged?: boolean
  /** Examples for the help, without the program. */
  readonly examples: readonly string[]
  /** The command's own options. */
  readonly options?: (command: Command) => Command
  readonly request: (options: Options) => Promise<Request>
}

export function requestCommand<Options extends RequestOptions>(
  program: Command,
  terminal: Terminal,
  asking: Asking<Options>,
): void {
  const command = program
    .command(asking.verb)
    .description(asking.description)
    .argument('[targets...]', 'such as deploy/web, or web; several, too')
  asking.options?.(command)
  manyOptions(command, asking.unmanaged).option('--dry-run', 'say what would happen, and change nothing')
  if (asking.movesPods)
    command
      .option('--wait', 'go on until the pods have followed, and tell how far they are')
      .option('--timeout <duration>', 'how long --wait waits; default: 5m')
  withExamples(command, terminal, ...asking.examples)
  connectionOptions(outputOption(command)).action((targets: string[], options: Options) =>
    connected(terminal, options, (dormouse, namespace) =>
      ask(terminal, dormouse, namespace, targets, options, asking),
    ),
  )
}

const FIVE_MINUTES = 5 * 60_000
/** How long `--wait` may wait, in milliseconds. */
const WAIT_BOUNDS = [1000, 86_400_000] as const

async function ask<Options extends RequestOptions>(
  terminal: Terminal,
  dormouse: Dormouse,
  namespace: string,
  texts: readonly string[],
  options: Options,
  { verb, request: requestOf, wanted, unmanaged = false }: Asking<Options>,
): Promise<void> {
  const { dryRun = false, wait = false } = options
  if (wait && dryRun) throw new UsageError('--wait has nothing to wait for with --dry-run')
  if (options.timeout !== undefined && !wait) throw new UsageError('--timeout is for --wait')
  const timeout =
    options.timeout === undefined ? FIVE_MINUTES : durationOption('--timeout', options.timeout, WAIT_BOUNDS)
  const request = await requestOf(options)
  const named = dryRun ? { ...options, yes: true as const } : options
  const question = { verb: `${verb.slice(0, 1).toUpperCase()}${verb.slice(1)}`, unmanaged }
  const targets = await chosen(terminal, dormouse, namespace, texts, named, question)
  if (targets === undefined) {
    terminal.stderr.write('nothing was changed\n')
    throw new AlreadyTold('not confirmed')
  }
  const style = styleFor(terminal, options, dormouse)
  // Beside data for programs it is a message.
  const output = options.output === undefined ? terminal.stdout : terminal.stderr
  const { done, told: failures } = await withoutRefused(terminal, style, targets, async (key) => {
    const answer = await dormouse.request(key, request, dryRun)
    output.write(answerText(key, answer, dryRun, style, options.allNamespaces === true))
    return { key, answer }
  })
  const settled = wait
    ? await waitForPods(
        terminal,
        dormouse,
        done.map(({ key, answer }) => ({ key, wanted: answer.becomes ?? wanted })),
        timeout,
      )
    : []
  if (options.output === undefined) {
    if (wait && settled.length > 0) terminal.stderr.write('the pods have followed\n')
  } else {
    const found = wait ? settled : await Promise.all(done.map(({ answer }) => answer.after()))
    const text = await forPrograms(options.output, found, targets.isList)
    terminal.stdout.write(text ?? '')
  }
  failures()
}

/** `deployment.apps/web: woken to 3 replicas: …`, with several namespaces `… in shop: …`, and further messages below. */
function answerText(
  key: WorkloadKey,
  { messages: [first = 'nothing to do', ...more] }: Answer,
  dryRun: boolean,
  style: Style,
  isOfMany: boolean,
): string {
  const where = isOfMany ? ` in ${key.namespace}` : ''
  const lines = [
    `${resourceName(key)}${where}: ${oneLine(withLocalTimes(first, style.times))}${dryRun ? ' (dry run: nothing was changed)' : ''}`,
  ]
  return `${[...lines, ...more.map((text) => `  ${oneLine(withLocalTimes(text, style.times))}`)].join('\n')}\n`
}

import type { Command } from 'commander'
import { nameOf } from '../../domain/workload/workload.ts'
import { UsageError } from '../../process/errors.ts'
import {
  connected,
  connectedToAll,
  connectionOptions,
  outputOption,
  severalClusters,
  withExamples,
  type OutputOptions,
} from '../options.ts'
import { documentOf, forPrograms, serialized } from '../output.ts'
import { withPodTrouble } from '../missing-pods.ts'
import type { Connection, Dormouse, Found } from '../ports.ts'
import { findTargets, type Targets } from '../targets.ts'
import type { Terminal } from '../terminal.ts'
import { planText } from '../text/plan.ts'
import { whyUnknown } from '../text/state.ts'
import { statusText } from '../text/status.ts'
import { keyOfFound, whyText, type Style } from '../text/why.ts'
import { forEachWorkload } from './for-each-workload.ts'
import { checkedSelector } from './list.ts'
import { showInAll, shownTo, type Showing } from './show-in-all.ts'
import { styleFor, printNotes } from '../style.ts'

interface Options extends Connection, OutputOptions {
  readonly selector?: string
  readonly watch?: true
  readonly hours?: string
}

export function registerStatus(program: Command, terminal: Terminal): void {
  const command = shown(program, 'status', 'Show all that is known of a workload, with its history', (own) =>
    own.option('-w, --watch', 'go on, and show it again at each change'),
  )
  withExamples(command, terminal, 'web', 'deploy/web sts/db -n staging', 'web -w')
  severalClusters(command).action((targets: string[], options: Options) =>
    show(terminal, targets, options, { verb: 'status', text: statusText }),
  )
}

export function registerWhy(program: Command, terminal: Terminal): void {
  const command = shown(
    program,
    'why',
    'Say in a few lines why a workload is awake or asleep, who did it, what comes next and what changes it',
  )
  withExamples(command, terminal, 'web', 'deploy/web sts/db -n staging', '-l app=web')
  severalClusters(command).action((targets: string[], options: Options) =>
    show(terminal, targets, options, { verb: 'why', text: whyText, ask: withPodTrouble }),
  )
}

export function registerPlan(program: Command, terminal: Terminal): void {
  const command = shown(program, 'plan', 'Show when a workload will wake and sleep if nobody acts', (own) =>
    own.option('--hours <count>', 'how far to look ahead, 1 to 744; default: 168, a week'),
  )
  withExamples(command, terminal, 'web', 'deploy/web --hours 336')
  command.action((targets: string[], options: Options) =>
    connected(terminal, options, (dormouse, namespace) =>
      plan(terminal, dormouse, namespace, targets, options),
    ),
  )
}

function shown(
  program: Command,
  name: string,
  description: string,
  options = (command: Command) => command,
): Command {
  const command = program
    .command(name)
    .description(description)
    .argument('[targets...]', 'such as deploy/web, or web')
    .option('-l, --selector <labels>', 'all with these labels, as in app=web')
  return connectionOptions(outputOption(options(command)))
}

async function show(
  terminal: Terminal,
  texts: readonly string[],
  options: Options,
  showing: Showing,
): Promise<void> {
  if (options.contexts !== undefined) {
    if (options.watch)
      throw new UsageError('--watch follows one workload, in one cluster: name that by --context')
    const asked = { selector: selectorOf(texts, options), output: options.output }
    return connectedToAll(terminal, options, (clusters) =>
      showInAll(terminal, clusters, texts, asked, showing),
    )
  }
  return connected(terminal, options, async (dormouse, namespace) => {
    const targets = await meant(terminal, dormouse, namespace, texts, options)
    if (options.watch) return watch(terminal, dormouse, targets, options, showing.text)
    const style = styleFor(terminal, options, dormouse)
    const { done, throwIfFailed } = await forEachWorkload(terminal, style, targets, async (key) =>
      shownTo(options.output, showing, dormouse, await dormouse.get(key)),
    )
    const serial = await forPrograms(options.output, done, targets.isList)
    printNotes(terminal, dormouse, options.output === 'name')
    terminal.stdout.write(serial ?? done.map((found) => showing.text(found, style)).join('\n'))
    throwIfFailed()
  })
}

/** The selector, where no workloads are named. @throws UsageError */
function selectorOf(texts: readonly string[], { selector }: Options): string | undefined {
  if (texts.length > 0 && selector !== undefined) throw new UsageError('name workloads, or give -l, not both')
  if (texts.length === 0 && selector === undefined)
    throw new UsageError('name a workload such as deploy/web; the command list shows them all')
  return checkedSelector(selector)
}

async function meant(
  { stderr }: Pick<Terminal, 'stderr'>,
  dormouse: Dormouse,
  namespace: string,
  texts: readonly string[],
  options: Options,
): Promise<Targets> {
  const labelSelector = selectorOf(texts, options)
  if (labelSelector === undefined) return findTargets(dormouse, namespace, texts)
  const found = await dormouse.list({ namespace, labelSelector })
  if (found.length === 0) stderr.write(`No workloads found in namespace ${namespace}.\n`)
  return { keys: found.map(keyOfFound), absent: [], isList: true }
}

async function watch(
  terminal: Terminal,
  dormouse: Dormouse,
  { keys: [key, ...others], absent: [missing] }: Targets,
  options: Options,
  text: (found: Found, style: Style) => string,
): Promise<void> {
  if (missing) throw missing
  if (!key || others.length > 0)
    throw new UsageError('--watch follows one workload: list --watch follows many')
  for await (const seen of dormouse.watch(key, terminal.stopSignal)) {
    if (seen.gone) throw new Error(`${nameOf(key)} was deleted`)
    const serial = await documentOf(options.output, seen)
    terminal.stdout.write(serial ?? `${text(seen, styleFor(terminal, options, dormouse))}\n`)
  }
}

const WEEK = 168

async function plan(
  terminal: Terminal,
  dormouse: Dormouse,
  namespace: string,
  texts: readonly string[],
  options: Options,
): Promise<void> {
  const { output } = options
  if (output === 'wide' || output === 'name')
    throw new UsageError(`plan: -o ${output} says nothing of a plan: write -o json or -o yaml`)
  const hours = hoursOf(options.hours)
  const targets = await meant(terminal, dormouse, namespace, texts, options)
  const style = styleFor(terminal, options, dormouse)
  const { done, throwIfFailed } = await forEachWorkload(terminal, style, targets, async (key) => {
    const transitions = await dormouse.plan(key, hours)
    const unknown = transitions.length > 0 ? undefined : whyUnknown((await dormouse.get(key)).record)
    return { key, transitions, unknown }
  })
  printNotes(terminal, dormouse)
  if (output === 'json' || output === 'yaml') {
    const items = done.map(({ key: { namespace, kind, name }, transitions }) => ({
      namespace,
      kind,
      name,
      transitions,
    }))
    terminal.stdout.write(await serialized(output, targets.isList ? { items } : (items[0] ?? {})))
  } else {
    const texts = done.map(({ key, transitions, unknown }) =>
      unknown === undefined
        ? planText(nameOf(key), transitions, hours, style)
        : `${nameOf(key)}: unknown: ${unknown}\n`,
    )
    terminal.stdout.write(texts.join('\n'))
  }
  throwIfFailed()
}

function hoursOf(text: string | undefined): number {
  if (text === undefined) return WEEK
  const hours = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (hours >= 1 && hours <= 744) return hours
  throw new UsageError(`--hours: expected a whole number from 1 to 744, found '${text}'`)
}

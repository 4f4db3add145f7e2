import { Option, type Command } from 'commander'
import { nearestName } from '../../domain/nearest.ts'
import { nameOf } from '../../domain/workload/workload.ts'
import { parseLabelSelector, InvalidLabelSelector } from '../../domain/policy/label-selector.ts'
import { Refusal, UsageError } from '../../process/errors.ts'
import { withContext } from '../cluster-names.ts'
import { kindNamed } from '../kinds.ts'
import {
  connectedToAll,
  connectionOptions,
  outputOption,
  severalClusters,
  withExamples,
  type OutputOptions,
} from '../options.ts'
import { inOrder } from '../order.ts'
import { documentOf, forPrograms, refuseNames } from '../output.ts'
import type { Connection, Dormouse, Found, Seen, Selection } from '../ports.ts'
import type { Cluster, Clusters } from '../several.ts'
import type { Terminal } from '../terminal.ts'
import { ListTable, type Columns } from '../text/list.ts'
import { SHOWN, stateOf } from '../text/state.ts'
import { keyOfFound } from '../text/why.ts'
import { styleFor, printNotes, widthOf } from '../style.ts'

interface Options extends Connection, OutputOptions {
  readonly allNamespaces?: true
  readonly selector?: string
  readonly state?: string
  readonly watch?: true
  readonly headers: boolean
}

export function registerList(program: Command, terminal: Terminal): void {
  const command = program
    .command('list')
    .description('Show the workloads of a namespace: which sleep, why, and what comes next')
    .argument('[kind]', 'only of this kind: deploy, sts, ds, rs or cj')
    .option('-A, --all-namespaces', 'of all namespaces')
    .option('-l, --selector <labels>', 'only those with these labels, as in app=web,tier!=infra')
    .addOption(new Option('--state <state>', 'only those in this state').choices(SHOWN))
    .option('-w, --watch', 'go on, with a line for each change')
    .option('--no-headers', 'without the line of headings')
  withExamples(
    command,
    terminal,
    '',
    '-A --state asleep',
    'deploy -l app=web -o wide',
    '-w',
    "-A --contexts 'dev-*,staging'",
  )
  severalClusters(connectionOptions(outputOption(command))).action(
    (kind: string | undefined, options: Options) =>
      connectedToAll(terminal, options, (clusters) => list(terminal, clusters, kind, options)),
  )
}

async function list(
  terminal: Terminal,
  clusters: Clusters,
  kind: string | undefined,
  options: Options,
): Promise<void> {
  const labelSelector = checkedSelector(options.selector)
  const select: Select = async ({ dormouse, namespace }) => ({
    namespace: options.allNamespaces ? undefined : namespace,
    kind: kind === undefined ? undefined : await kindOf(dormouse, kind),
    labelSelector,
  })
  if (clusters.areNamed) refuseNames(options.output)
  const wanted = ({ record }: Found) => options.state === undefined || stateOf(record) === options.state
  if (options.watch) return watch(terminal, clusters, select, options, wanted)
  const all = await clusters.found(async (cluster) => cluster.dormouse.list(await select(cluster)))
  const found = all.filter(wanted)
  const text = await forPrograms(options.output, found, true)
  printNotes(terminal, clusters, namesAlone(options))
  if (text !== undefined) {
    terminal.stdout.write(text)
    return
  }
  if (found.length === 0) {
    if (!options.allNamespaces && !clusters.areNamed)
      for (const { dormouse, namespace } of clusters.all) await refuseUnknown(dormouse, namespace)
    const which = clusters.areNamed ? ` of ${clusters.place}` : ''
    const elsewhere = options.namespace === undefined && !options.allNamespaces ? ' -A looks in all.' : ''
    terminal.stderr.write(`No workloads found ${clusters.whereText(options)}${which}.${elsewhere}\n`)
    return
  }
  const style = styleFor(terminal, options, NO_COMMANDS)
  const rows = found.map((each) => ({ found: each }))
  const table = new ListTable(rows, columnsOf(terminal, clusters, options), style)
  const header = options.headers ? table.header() : ''
  terminal.stdout.write(`${header}${rows.map((row) => table.row(row, style)).join('')}`)
}

/** Once clusters have answered, since they say how they are called. */
function columnsOf(terminal: Terminal, clusters: Clusters, options: Options): Columns {
  const wide = options.output === 'wide'
  return {
    cluster: longestName(clusters, wide),
    namespace: options.allNamespaces === true || clusters.namespaces.size > 1,
    wide,
    width: widthOf(terminal),
  }
}

/** The longest of those that have said how they are called; if none has, of all. undefined: nothing names them. */
function longestName(clusters: Clusters, wide: boolean): string | undefined {
  if (!clusters.areNamed) return undefined
  const called = clusters.all.filter(({ dormouse }) => dormouse.clusterName !== undefined)
  return (called.length > 0 ? called : clusters.all)
    .map((cluster) => {
      const { name: context = '' } = cluster
      const name = clusters.nameOf(cluster) ?? context
      return wide ? withContext(name, context) : name
    })
    .toSorted((a, b) => b.length - a.length)[0]
}

/** @throws Refusal NOT_FOUND if the cluster says that there is no such namespace */
async function refuseUnknown(dormouse: Dormouse, namespace: string): Promise<void> {
  if ((await dormouse.hasNamespace(namespace)) !== false) return
  const near = nearestName(namespace, await dormouse.namespaces().catch(() => []))
  const advice = near === undefined ? '' : `: did you mean ${near}?`
  throw new Refusal('NOT_FOUND', `there is no namespace ${namespace} in ${dormouse.place}${advice}`)
}

/** A table names no commands, and so no namespace. */
const NO_COMMANDS = { defaultNamespace: '' }

/** The selection of a command in each cluster. */
type Select = (cluster: Cluster) => Promise<Selection>

/** Whether nothing that is shown depends on hours. */
function namesAlone({ output, state }: Options): boolean {
  return output === 'name' && state === undefined
}

/** @throws UsageError */
export function checkedSelector(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  try {
    parseLabelSelector(text)
    return text
  } catch (error) {
    if (!(error instanceof InvalidLabelSelector)) throw error
    throw new UsageError(`-l: ${error.message}`, { cause: error })
  }
}

async function kindOf(dormouse: Dormouse, text: string) {
  const kind = kindNamed(text) ?? kindNamed(text, await dormouse.kinds())
  if (kind !== undefined) return kind
  const advice = text.includes('/')
    ? 'the command status takes one workload'
    : 'write deploy, sts, ds, rs or cj'
  throw new UsageError(`list: '${text}' is no kind that Dormouse manages: ${advice}`)
}

/** Milliseconds without another line after which the first ones are written: in their order, in columns that fit them. */
const SETTLING = 300
/** Milliseconds after which they are written, however many more come. */
const LONGEST_SETTLING = 3000

async function watch(
  terminal: Terminal,
  clusters: Clusters,
  select: Select,
  options: Options,
  wanted: (found: Found) => boolean,
): Promise<void> {
  const { stdout } = terminal
  let waiting: Seen[] | undefined = []
  let table: ListTable | undefined
  const write = async (seen: readonly Seen[]) => {
    // The first rows say how wide the columns are.
    if (seen.length === 0) return
    for (const each of seen) {
      const text = await documentOf(options.output, each)
      if (text !== undefined) stdout.write(text)
    }
    if (options.output === undefined || options.output === 'wide') {
      const style = styleFor(terminal, options, NO_COMMANDS)
      const rows = seen.map((each) => ({ found: each, gone: each.gone }))
      if (!table) {
        table = new ListTable(rows, columnsOf(terminal, clusters, options), style, true)
        if (options.headers) stdout.write(table.header())
      }
      for (const row of rows) stdout.write(table.row(row, style))
    }
  }
  const settled = performance.now() + LONGEST_SETTLING
  const timer = setTimeout(() => {
    // A slow cluster has not told anything yet.
    if (waiting?.length === 0 && performance.now() < settled) return void timer.refresh()
    const first = inOrder(waiting ?? [])
    waiting = undefined
    printNotes(terminal, clusters, namesAlone(options))
    void write(first)
  }, SETTLING)
  try {
    const shown = new Set<string>()
    for await (const seen of clusters.watch(select)) {
      const name = `${seen.cluster ?? ''} ${nameOf(keyOfFound(seen))}`
      // Print a workload once more when it leaves the requested state.
      const isShown = wanted(seen) && !seen.gone
      if (!shown.delete(name) && !isShown) continue
      if (isShown) shown.add(name)
      if (waiting) {
        waiting.push(seen)
        if (performance.now() < settled) timer.refresh()
      } else await write([seen])
    }
    if (waiting && waiting.length > 0) await write(inOrder(waiting))
  } finally {
    clearTimeout(timer)
  }
}

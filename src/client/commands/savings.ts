import { Option, type Command } from 'commander'
import type { NamespaceRecord } from '../../domain/records/namespace-record.ts'
import type { SavedAmounts } from '../../domain/records/saved.ts'
import { UsageError } from '../../process/errors.ts'
import {
  connectedToAll,
  connectionOptions,
  outputOption,
  severalClusters,
  withExamples,
  type OutputOptions,
} from '../options.ts'
import { serialized } from '../output.ts'
import type { Connection } from '../ports.ts'
import type { Clusters } from '../several.ts'
import { printNotes, widthOf } from '../style.ts'
import type { Terminal } from '../terminal.ts'
import { BASIS, sumOf } from '../../words/savings.ts'
import { savingsText, type Savings } from '../text/savings.ts'
import { checkedSelector } from './list.ts'

interface Options extends Connection, OutputOptions {
  readonly allNamespaces?: true
  readonly selector?: string
  readonly by: Savings['by']
}

export function registerSavings(program: Command, terminal: Terminal): void {
  const command = program
    .command('savings')
    .description('Show what sleep saved in the last week: core-hours, GiB-hours and, with prices, money')
    .option('-A, --all-namespaces', 'of all namespaces')
    .option('-l, --selector <labels>', 'only of workloads with these labels, as in app=web,tier!=infra')
    .addOption(
      new Option('--by <group>', 'a line for each namespace or team')
        .choices(['namespace', 'team'])
        .default('namespace'),
    )
  withExamples(command, terminal, '', '-A', '-A --by team', '-A -o json')
  severalClusters(connectionOptions(outputOption(command))).action((options: Options) =>
    connectedToAll(terminal, options, (clusters) => savings(terminal, clusters, options)),
  )
}

async function savings(terminal: Terminal, clusters: Clusters, options: Options): Promise<void> {
  const { output, by } = options
  if (output === 'wide' || output === 'name')
    throw new UsageError(`savings: -o ${output} says nothing of savings: write -o json or -o yaml`)
  const labelSelector = checkedSelector(options.selector)
  const answers = await clusters.ask(async (cluster) => {
    const namespace = options.allNamespaces ? undefined : cluster.namespace
    return { cluster, found: await cluster.dormouse.summaries({ namespace, labelSelector }) }
  })
  const records = answers.flatMap(({ cluster, found }) => {
    // Programs know clusters by their contexts, as those of `list` do.
    const name = output === undefined ? clusters.nameOf(cluster) : cluster.name
    return name === undefined ? found : found.map((each) => named(`${name}/${each.name}`, each))
  })
  const isEmpty = records.every(({ workloads }) => workloads === 0)
  // The coming edges do not matter here.
  printNotes(terminal, clusters, true)
  const found = summedUp(records, by)
  if (found.items.length === 0 && !isEmpty) throw new Error(NO_TEAMS)
  if (output !== undefined) {
    terminal.stdout.write(await serialized(output, { basis: BASIS, ...found }))
  } else if (isEmpty) {
    terminal.stderr.write(`No workloads found ${clusters.whereText(options)}.\n`)
  } else {
    if (records.every(({ saved }) => saved.money === null)) terminal.stderr.write(NO_MONEY)
    terminal.stdout.write(savingsText(found, terminal.timezone, widthOf(terminal)))
  }
}

function named(name: string, record: NamespaceRecord): NamespaceRecord {
  return { ...record, name }
}

const NO_MONEY = 'note: no money: savings.prices of the configuration of the service sets the prices\n'
const NO_TEAMS =
  'no label is known that names teams: metrics.teamLabel in the configuration of the service sets it; meanwhile --by namespace'

function summedUp(records: readonly NamespaceRecord[], by: Savings['by']): Savings {
  const all = records.flatMap(({ name, saved, saved_by_team }): [string, SavedAmounts][] =>
    by === 'namespace' ? [[name, saved]] : Object.entries(saved_by_team),
  )
  const items = [...Map.groupBy(all, ([name]) => name)]
    .map(([name, amounts]) => Object.assign({ name }, sumOf(amounts.map(([, each]) => each))))
    .sort((a, b) => worth(b) - worth(a) || (a.name < b.name ? -1 : 1))
  const since = records[0]?.saved.since ?? null
  return { since, by, items, total: sumOf(records.map(({ saved }) => saved)) }
}

function worth({ money, cpu_core_seconds }: SavedAmounts): number {
  return money?.amount ?? cpu_core_seconds
}

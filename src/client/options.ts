import { Option, type Command } from 'commander'
import type { Terminal } from './terminal.ts'
import type { Connection, Dormouse } from './ports.ts'
import { Refusal, UsageError } from '../process/errors.ts'
import { Clusters, openClusters } from './several.ts'
import { styleFor } from './style.ts'
import { worded } from './text/local-time.ts'
import { parseFormat, type Format } from './output.ts'

/** `namespace`: which one it is about without `-n`. */
export function connectionOptions(command: Command, namespace = 'that of the context'): Command {
  command.optionsGroup(WHERE).option('-n, --namespace <name>', `namespace; default: ${namespace}`)
  return clusterOptions(command)
    .option('--server <url>', "Dormouse's HTTP API, in place of the cluster; DORMOUSE_TOKEN is the token")
    .option('--certificate-authority <file>', 'whom to trust as the CA of --server')
    .option('--insecure', 'send the token also where --server is plain HTTP')
}

/** The place, for commands that are for the cluster alone. */
export function clusterOptions(command: Command): Command {
  return command
    .optionsGroup(WHERE)
    .option('--context <name>', 'context of the kubeconfig; default: the current one')
    .addOption(new Option('--contexts <patterns>', 'read several clusters as one: dev-*,staging').hideHelp())
    .option('--kubeconfig <file>', 'default: KUBECONFIG, then ~/.kube/config')
    .option('--as <user>', 'act as this user; needs the right to impersonate')
    .addOption(new Option('--as-group <group>', 'act as a member of this group, too').argParser(collect))
}

/** Shows `--contexts`, for a command that reads by `connectedToAll`; others know it only to refuse it. */
export function severalClusters(command: Command): Command {
  command.options.find(({ long }) => long === '--contexts')?.hideHelp(false)
  return command
}

/** Appends examples to the help, each without the program and the command. */
export function withExamples(
  command: Command,
  { program }: Pick<Terminal, 'program'>,
  ...examples: string[]
): Command {
  const lines = examples.map((example) => `  ${program} ${command.name()} ${example}`.trimEnd())
  return command.addHelpText('after', `\nExamples:\n${lines.join('\n')}`)
}

const WHERE = 'Where, and as whom:'

function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}

export function outputOption(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'wide, name, json or yaml').argParser(parseFormat),
  )
}

export interface OutputOptions {
  readonly output?: Format
}

/** @throws UsageError */
export function checkImpersonation({ as, asGroup }: Connection): void {
  if (asGroup && as === undefined) throw new UsageError('--as-group needs --as: it says whom to act as')
}

/** @throws UsageError: a command that changes something names the cluster that it changes. */
export function refuseSeveral({ contexts }: Connection): void {
  if (contexts === undefined) return
  throw new UsageError(
    '--contexts is for list, status, why, savings and console, which read several clusters; any other command is for one: name it by --context',
  )
}

/** @throws UsageError for an option that would be passed over */
function checkAdapter(connection: Connection): void {
  const { server, certificateAuthority, insecure, as, context, contexts, kubeconfig } = connection
  if (context !== undefined && contexts !== undefined)
    throw new UsageError('--context names one cluster, and --contexts several: give one of them')
  if (server === undefined) {
    if (insecure)
      throw new UsageError('--insecure is for --server: a kubeconfig says how its cluster is reached')
    if (certificateAuthority !== undefined)
      throw new UsageError(
        '--certificate-authority is for --server: the kubeconfig names the CA of a cluster',
      )
    return
  }
  const mine = Object.entries({ as, context, contexts, kubeconfig }).find(([, given]) => given !== undefined)
  if (mine) throw new UsageError(`--${mine[0]} is for the cluster: over --server the token says who you are`)
}

/** Opens the connection for as long as `use` takes. */
export async function connected<Result>(
  terminal: Terminal,
  options: Connection,
  use: (dormouse: Dormouse, namespace: string) => Promise<Result>,
): Promise<Result> {
  refuseSeveral(options)
  checkConnection(options)
  const { namespace } = options
  const dormouse = await terminal.connect(options)
  try {
    return await use(dormouse, namespace ?? dormouse.defaultNamespace)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { code, message, details } = error
    throw new Refusal(code, worded(message, styleFor(terminal, options, dormouse).times), {
      details,
      cause: error,
    })
  } finally {
    await dormouse.close()
  }
}

/** As `connected`, to each cluster that the options mean, for commands that only read. */
export async function connectedToAll<Result>(
  terminal: Terminal,
  options: Connection,
  use: (clusters: Clusters) => Promise<Result>,
): Promise<Result> {
  if (options.contexts === undefined)
    return connected(terminal, options, (dormouse, namespace) =>
      use(new Clusters([{ name: undefined, dormouse, namespace, options }], terminal)),
    )
  checkConnection(options)
  const clusters = await openClusters(options, terminal)
  try {
    return await use(clusters)
  } finally {
    await clusters.close()
  }
}

/** @throws UsageError */
function checkConnection(options: Connection): void {
  checkImpersonation(options)
  checkAdapter(options)
  const { namespace } = options
  if (namespace !== undefined && !/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace))
    throw new UsageError(`-n: '${namespace}' is no name of a namespace`)
}

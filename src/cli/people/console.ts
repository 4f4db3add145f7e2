import { once } from 'node:events'
import type { Command } from 'commander'
import { Refusal, UsageError } from '../../process/errors.ts'
import { ConsoleServer } from '../../console/client/server.ts'
import { ClusterApi, type PageApi } from '../../console/client/page-api.ts'
import { connectedToAll, connectionOptions, severalClusters, withExamples } from '../../client/options.ts'
import type { Connection } from '../../client/ports.ts'
import type { Cluster, Clusters } from '../../client/several.ts'
import { printNotes } from '../../client/style.ts'
import type { Terminal } from '../../client/terminal.ts'

interface Options extends Connection {
  readonly port?: string
  readonly open: boolean
}

/** The console's page over the person's own kubeconfig. */
export function registerConsole(program: Command, terminal: Terminal): void {
  const command = program
    .command('console')
    .description(
      'Open a page in the browser: what sleeps and why, with buttons, and the rights that you have',
    )
    .option('--port <number>', 'port on 127.0.0.1; default: a free one')
    .option('--no-open', 'print the address, and start no browser')
  const examples = ['', '--context prod -n shop', '--no-open --port 8080', "--contexts 'dev-*,staging'"]
  withExamples(command, terminal, ...examples)
  severalClusters(connectionOptions(command, 'all that you may list'))
    .addHelpText('after', '\nIt goes on until you press Ctrl-C.')
    .action((options: Options) =>
      connectedToAll(terminal, options, (clusters) => serve(terminal, clusters, options)),
    )
}

async function serve(terminal: Terminal, clusters: Clusters, options: Options): Promise<void> {
  const { stdout, stderr, stopSignal, program } = terminal
  const port = portOf(options.port)
  const api = await apiOver(terminal, clusters, options)
  const { promise: signedIn, resolve } = Promise.withResolvers<void>()
  const onLinkShown = (how: 'used' | 'used again') => (how === 'used' ? resolve() : warn(terminal))
  const server = new ConsoleServer({ api, command: `${program} console`, onLinkShown })
  const url = await server.start(port)
  let forget = async () => {}
  try {
    printNotes(terminal, clusters)
    stdout.write(`${url}\n`)
    stderr.write(`the link signs you in to ${clusters.place}, once; Ctrl-C ends it\n`)
    if (options.open) {
      forget = await terminal.openPage(url)
      void signedIn.then(forget)
    }
    if (!stopSignal.aborted) await once(stopSignal, 'abort')
  } finally {
    await Promise.all([server.stop(), forget()])
  }
}

/** The link gives whoever uses it the person's rights. */
function warn({ stderr }: Terminal): void {
  stderr.write(
    'warning: the link, which has been used, was shown again. If it is not you who signed in, press Ctrl-C: ' +
      'somebody else acts with your rights\n',
  )
}

/** Fails at once if no cluster can be reached. */
async function apiOver(terminal: Terminal, clusters: Clusters, options: Options): Promise<PageApi> {
  const asked = await clusters.ask(async (cluster) => ({
    cluster,
    namespace: await shown(terminal, clusters, cluster, options),
  }))
  const [only] = asked
  if (only && !clusters.areNamed) return new ClusterApi(only.cluster.dormouse, only.namespace)
  const { ClustersApi } = await import('../../console/client/clusters-api.ts')
  return new ClustersApi(
    clusters.all.flatMap((cluster) => {
      const { dormouse } = cluster
      const name = clusters.nameOf(cluster)
      const { namespace } = asked.find((each) => each.cluster === cluster) ?? options
      const away = clusters.away.get(cluster)
      return name === undefined ? [] : [{ name, dormouse, namespace, away }]
    }),
  )
}

/** The namespace of the list; undefined: all. */
async function shown(
  { stderr }: Terminal,
  clusters: Clusters,
  cluster: Cluster,
  { namespace }: Options,
): Promise<string | undefined> {
  const { dormouse } = cluster
  try {
    await dormouse.list({ namespace })
    return namespace
  } catch (error) {
    if (namespace !== undefined || !(error instanceof Refusal) || error.code !== 'FORBIDDEN') throw error
    const own = dormouse.defaultNamespace
    await dormouse.list({ namespace: own })
    const name = clusters.nameOf(cluster)
    const where = name === undefined ? '' : `${name}: `
    stderr.write(`note: ${where}you may not list all namespaces: it shows ${own} alone; -n names another\n`)
    return own
  }
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 0
  const port = /^\d{1,5}$/.test(text) ? Number(text) : -1
  if (port >= 0 && port <= 65_535) return port
  throw new UsageError(`--port: expected a number from 0 to 65535, found '${text}'`)
}

import { readFile } from 'node:fs/promises'
import type { RequestOptions } from 'node:https'
import { messageOf } from '../process/errors.ts'
import type { Cluster, ExecPlugin } from './kube-config-file.ts'
import type { Environment } from './kube-config.ts'

/** Runs something when its turn has come. */
export type InTurn = <Result>(run: () => Promise<Result>) => Promise<Result>

/** Adds headers and a client certificate, which it obtains once and again after they expire. */
export type Issuer = (options: RequestOptions) => Promise<void>

/** The output of a plugin: an ExecCredential (Kubernetes docs, "Client Authentication (v1)"). */
interface ExecCredential {
  readonly status?: Status
}

interface Status {
  readonly token?: string
  readonly clientCertificateData?: string
  readonly clientKeyData?: string
  readonly expirationTimestamp?: string
}

/** Milliseconds after which a plugin is killed: it waits for something that will not come. */
const LONGEST_RUN_MS = 60_000

/**
 * Runs the plugin at the first call, and again once its credentials have expired; concurrent calls share a run. Throws
 * an Error that names the plugin. `inTurn`: others may run plugins, too; default: it runs at once.
 */
export function pluginIssuer(
  plugin: ExecPlugin,
  cluster: Cluster,
  environment: Environment,
  longestRun = LONGEST_RUN_MS,
  inTurn: InTurn = (run) => run(),
): Issuer {
  let status: Status | undefined
  let running: Promise<Status> | undefined
  const next = async () => {
    running ??= inTurn(() => run(plugin, cluster, environment, longestRun)).finally(
      () => (running = undefined),
    )
    return (status = await running)
  }
  return async (options) => {
    const { token, clientCertificateData, clientKeyData } = status && !expired(status) ? status : await next()
    if (token) options.headers = { Authorization: `Bearer ${token}` }
    options.cert = clientCertificateData
    options.key = clientKeyData
  }
}

function expired({ expirationTimestamp = '' }: Status): boolean {
  return Date.parse(expirationTimestamp) <= Date.now()
}

async function run(
  plugin: ExecPlugin,
  cluster: Cluster,
  environment: Environment,
  longestRun: number,
): Promise<Status> {
  const { command = '(no command)', args, env, interactiveMode, installHint } = plugin
  const failed = (why: string) => new Error(`the exec plugin ${command} ${why}`)
  if (interactiveMode === 'Always')
    throw failed('needs a terminal (interactiveMode: Always), and Dormouse has none')
  const own = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]))
  const info = JSON.stringify(await execInfo(plugin, cluster))
  const variables = { ...environment, ...own, KUBERNETES_EXEC_INFO: info }
  // Most kubeconfigs have no plugin, and `node:child_process` takes a while to load.
  const { runPlugin } = await import('./plugin-process.ts')
  const ran = runPlugin(command, args ?? [], variables, longestRun)
  const { output, complaint, failure } = await ran.catch((error: unknown) => {
    throw failed(`cannot be run: ${messageOf(error)}${installHint ? `; ${installHint}` : ''}`)
  })
  if (failure !== undefined) throw failed(`${failure}: ${complaint.trim() || 'it said nothing'}`)
  const { status } = credentialOf(output)
  if (!status?.token && !(status?.clientCertificateData && status.clientKeyData))
    throw failed('printed neither a token nor a certificate and key')
  return status
}

/**
 * KUBERNETES_EXEC_INFO: there is no terminal and, if the plugin asks for it, the cluster that the credentials are for.
 */
async function execInfo({ apiVersion, provideClusterInfo }: ExecPlugin, cluster: Cluster) {
  const spec = { interactive: false, ...(provideClusterInfo && { cluster: await clusterInfo(cluster) }) }
  return { apiVersion, kind: 'ExecCredential', spec }
}

async function clusterInfo({ extensions, 'certificate-authority': file, ...cluster }: Cluster) {
  const data = cluster['certificate-authority-data'] || (file && (await readFile(file, 'base64')))
  const config = extensions?.find(({ name }) => name === 'client.authentication.k8s.io/exec')?.extension
  return { ...cluster, 'certificate-authority-data': data, config }
}

/** The error omits JSON.parse's message, which quotes the output and so perhaps a token. */
function credentialOf(output: string): ExecCredential {
  try {
    return JSON.parse(output) ?? {}
  } catch {
    return {}
  }
}

import { existsSync, readFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { delimiter, dirname, join, resolve } from 'node:path'
import { parse } from 'yaml'
import { messageOf } from '../errors.ts'

/** Where to load the configuration from. Without `file`: by the default loading rules, then the in-cluster account. */
export interface KubeConfigSource {
  readonly file?: string | undefined
  readonly context?: string | undefined
  /** What the default rules go by: KUBECONFIG, HOME, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT. */
  readonly environment?: Environment
  /** The folder of the in-cluster account. */
  readonly account?: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Fields of a kubeconfig (client.authentication.k8s.io/v1) that we use, under their own names. Paths are absolute. */
export interface Cluster {
  readonly server: string
  readonly 'certificate-authority'?: string
  readonly 'certificate-authority-data'?: string
  readonly 'insecure-skip-tls-verify'?: boolean
  readonly 'tls-server-name'?: string
  readonly 'proxy-url'?: string
}

export interface User {
  readonly 'client-certificate'?: string
  readonly 'client-certificate-data'?: string
  readonly 'client-key'?: string
  readonly 'client-key-data'?: string
  readonly token?: string
  readonly tokenFile?: string
  readonly username?: string
  readonly password?: string
  readonly as?: string
  readonly exec?: object
  readonly 'auth-provider'?: { readonly name: string; readonly config?: object }
}

interface Context {
  readonly cluster: string
  readonly user?: string
  readonly namespace?: string
}

/** What one context of a kubeconfig says; `name` is the context's. */
export interface LoadedKubeConfig {
  readonly name: string
  readonly server: URL
  readonly cluster: Cluster
  readonly user: User
  readonly namespace: string | undefined
}

/** One file or several, by name. */
interface KubeConfig {
  currentContext: string | undefined
  readonly clusters: Map<string, Cluster>
  readonly users: Map<string, User>
  readonly contexts: Map<string, Context>
}

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

/**
 * Reads a kubeconfig by the rules of client-node, which is not asked: loading it takes half a second and 85 MB.
 * Throws an Error that names the file or context at fault, and says what would help.
 */
export function loadKubeConfig({
  file,
  context,
  environment = {},
  account = ACCOUNT,
}: KubeConfigSource): LoadedKubeConfig {
  const files = file === undefined ? defaultFiles(environment) : [file]
  if (files.length > 0) return chosen(merged(files.map(readKubeConfig)), context)
  if (existsSync(join(account, 'token'))) return inCluster(environment, account)
  throw new Error('no cluster: give --kubeconfig FILE, set KUBECONFIG, or run in a cluster')
}

function defaultFiles({ KUBECONFIG = '', HOME = '' }: Environment): string[] {
  const files = KUBECONFIG.split(delimiter).filter((file) => file !== '')
  if (files.length > 0 || HOME === '') return files
  return [join(HOME, '.kube', 'config')].filter((file) => existsSync(file))
}

/** The service account of our pod. */
function inCluster(environment: Environment, account: string): LoadedKubeConfig {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = environment
  const scheme = ['80', '8080', '8001'].includes(port) ? 'http' : 'https'
  const server = `${scheme}://${isIPv6(host) ? `[${host}]` : host}:${port}`
  if (!URL.canParse(server))
    throw new Error('in a cluster, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT have to be set')
  const namespace = join(account, 'namespace')
  return {
    name: 'inClusterContext',
    server: new URL(server),
    cluster: { server, 'certificate-authority': join(account, 'ca.crt') },
    user: { tokenFile: join(account, 'token') },
    namespace: existsSync(namespace) ? readFileSync(namespace, 'utf8').trim() : undefined,
  }
}

function readKubeConfig(file: string): KubeConfig {
  try {
    const { clusters, users, contexts, ...rest } = parse(readFileSync(file, 'utf8')) ?? {}
    const directory = dirname(resolve(file))
    return {
      currentContext: rest['current-context'] || undefined,
      clusters: byName(clusters, 'cluster', directory, ['certificate-authority']),
      users: byName(users, 'user', directory, ['client-certificate', 'client-key', 'tokenFile']),
      contexts: byName(contexts, 'context', directory, []),
    }
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    const why = missing ? 'there is no such file' : messageOf(cause)
    throw new Error(`cannot load the kubeconfig ${file}: ${why}`, { cause })
  }
}

/** Of equal names in one file the first counts. `paths` are the fields with a path, relative to `directory`. */
function byName<Body>(
  list: readonly { readonly name?: string; readonly [field: string]: unknown }[] | null | undefined,
  field: 'cluster' | 'user' | 'context',
  directory: string,
  paths: readonly (keyof Body & string)[],
): Map<string, Body> {
  const found = new Map<string, Body>()
  for (const [index, entry] of (list ?? []).entries()) {
    if (!entry.name) throw new Error(`${field}s[${index}].name is missing`)
    const body = { ...(entry[field] as Record<string, string> | null) }
    for (const path of paths) if (body[path]) body[path] = resolve(directory, body[path])
    if (!found.has(entry.name)) found.set(entry.name, body as Body)
  }
  return found
}

/** The last file that names a current context decides; a name may stand in one file alone. */
function merged(files: readonly KubeConfig[]): KubeConfig {
  const [first, ...others] = files
  if (!first) throw new TypeError('no kubeconfig')
  for (const other of others) {
    first.currentContext = other.currentContext ?? first.currentContext
    for (const what of ['clusters', 'users', 'contexts'] as const)
      for (const [name, body] of other[what]) {
        if (first[what].has(name)) throw new Error(`KUBECONFIG: two of its files have ${what} named ${name}`)
        ;(first[what] as Map<string, unknown>).set(name, body)
      }
  }
  return first
}

function chosen(config: KubeConfig, name = config.currentContext): LoadedKubeConfig {
  const context = name === undefined ? undefined : config.contexts.get(name)
  if (name === undefined || !context) throw new Error(missingContext(config, name))
  const cluster = config.clusters.get(context.cluster)
  if (!cluster || !URL.canParse(cluster.server)) {
    throw new Error(
      `kubeconfig: context ${name} names the cluster ${context.cluster}, which has no valid server`,
    )
  }
  const user = config.users.get(context.user ?? '') ?? {}
  return { name, server: new URL(cluster.server), cluster, user, namespace: context.namespace || undefined }
}

function missingContext({ contexts }: KubeConfig, name: string | undefined): string {
  const known = [...contexts.keys()].join(', ')
  if (name === undefined) return `kubeconfig: no current-context is set; known contexts: ${known || 'none'}`
  return `kubeconfig: there is no context ${name}; known contexts: ${known || 'none'}`
}

import { existsSync, readFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import { delimiter, join } from 'node:path'
import { readKubeConfig, type Cluster, type KubeConfig, type Named, type User } from './kube-config-file.ts'

/** The source of the configuration. Without `file`: by the default loading rules, then the in-cluster account. */
export interface KubeConfigSource {
  readonly file?: string | undefined
  readonly context?: string | undefined
  /** The user to impersonate, in place of the kubeconfig's (Kubernetes docs, "User impersonation"). */
  readonly as?: string | undefined
  readonly asGroups?: readonly string[] | undefined
  /**
   * Variables of the default rules: KUBECONFIG, HOME, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT. An exec
   * plugin gets all variables.
   */
  readonly environment?: Environment
  /** The folder of the in-cluster account. */
  readonly account?: string
}

export type Environment = Readonly<Record<string, string | undefined>>

/** The kubeconfig has contexts, and none of that name. */
export class NoSuchContext extends Error {}

/** One context of a kubeconfig with its cluster and user; `name` is the context's. */
export interface LoadedKubeConfig {
  readonly name: string
  readonly server: URL
  readonly cluster: Cluster
  readonly user: User
  readonly namespace: string | undefined
}

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'

/**
 * Reads a kubeconfig by kubectl's rules (Kubernetes docs, "Organizing Cluster Access Using kubeconfig Files"): `file`
 * alone; else those files of KUBECONFIG that exist, merged; else ~/.kube/config; else, by our own rule, the account of
 * the pod. Throws an Error that names the file or context at fault, and says how to fix it.
 */
export function loadKubeConfig({ as, asGroups, ...source }: KubeConfigSource): LoadedKubeConfig {
  const loaded = load(source)
  if (as === undefined) return loaded
  const { 'as-uid': _, 'as-groups': __, 'as-user-extra': ___, ...user } = loaded.user
  return { ...loaded, user: { ...user, as, ...(asGroups && { 'as-groups': asGroups }) } }
}

function load({ file, context, environment = {}, account = ACCOUNT }: KubeConfigSource): LoadedKubeConfig {
  const { named, configs } = configsOf(file, environment)
  if (configs.length > 0) return chosen(merged(configs), context)
  if (file !== undefined) throw new Error(`cannot load the kubeconfig ${file}: there is no such file`)
  if (named.length > 0)
    throw new Error(
      `KUBECONFIG: none of its files exists: ${named.join(', ')}; correct or unset it, or give --kubeconfig FILE`,
    )
  if (existsSync(join(account, 'token'))) return inCluster(environment, account)
  throw new Error('no cluster: give --kubeconfig FILE, set KUBECONFIG, or run in a cluster')
}

function configsOf(file: string | undefined, { KUBECONFIG = '', HOME = '' }: Environment) {
  const named = file === undefined ? KUBECONFIG.split(delimiter).filter((name) => name !== '') : [file]
  const byDefault = HOME === '' ? [] : [join(HOME, '.kube', 'config')]
  const configs = (named.length > 0 ? named : byDefault).flatMap((name) => readKubeConfig(name) ?? [])
  return { named, configs }
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

/**
 * A context. `cluster` is equal where server, CA, TLS name and proxy are; `user` is equal where the credentials are. A
 * proxy may choose the cluster by the credentials, so only equal ones lead to the same cluster for sure.
 */
interface KnownContext {
  readonly name: string
  readonly cluster: string
  readonly user: string
}

/** All contexts in `file`, or in the files of the default rules. */
export function knownContexts({ file, environment = {} }: KubeConfigSource): KnownContext[] {
  const config = merged(configsOf(file, environment).configs)
  return [...new Set(config.contexts.map(({ name }) => name))].map((name) => {
    const context = first(config.contexts, name)
    const cluster = first(config.clusters, context?.cluster)
    const user = firstWith(config.users, credentialsOf(first(config.users, context?.user) ?? {}))
    return { name, cluster: cluster ? placeOf(cluster) : name, user }
  })
}

/** Everything of a user but whom to impersonate. */
function credentialsOf(user: User): string {
  const { as: _, 'as-uid': __, 'as-groups': ___, 'as-user-extra': ____, ...own } = user
  return JSON.stringify(own)
}

/** The name of the first user with these credentials, which are secret. */
function firstWith(users: readonly Named<User>[], credentials: string): string {
  return users.find(({ body }) => credentialsOf(body) === credentials)?.name ?? ''
}

/** One server may lead to several clusters by a name of its own for each, or by a proxy. */
function placeOf(cluster: Cluster): string {
  const { server, 'certificate-authority-data': data, 'certificate-authority': file } = cluster
  const { 'tls-server-name': name, 'proxy-url': proxy } = cluster
  const url = URL.canParse(server) ? new URL(server).href : server
  return JSON.stringify([url, data || file, name, proxy])
}

/** The first file that sets a value or a name wins. */
function merged(configs: readonly KubeConfig[]): KubeConfig {
  return {
    file: configs.map(({ file }) => file).join(', '),
    currentContext: configs.find(({ currentContext }) => currentContext)?.currentContext,
    clusters: configs.flatMap(({ clusters }) => clusters),
    users: configs.flatMap(({ users }) => users),
    contexts: configs.flatMap(({ contexts }) => contexts),
  }
}

function first<Body>(entries: readonly Named<Body>[], name: string | undefined): Body | undefined {
  return entries.find((entry) => entry.name === name)?.body
}

function chosen(config: KubeConfig, name = config.currentContext): LoadedKubeConfig {
  const context = first(config.contexts, name)
  if (name === undefined || !context) throw missingContext(config, name)
  const cluster = first(config.clusters, context.cluster)
  if (!cluster || !isUrl(cluster.server, HTTP))
    throw new Error(
      `kubeconfig: context ${name} names the cluster ${context.cluster}, which has no server https://HOST:PORT`,
    )
  if (cluster['proxy-url'] && !isUrl(cluster['proxy-url'], PROXY))
    throw new Error(
      `kubeconfig: the proxy-url of the cluster ${context.cluster} is not an http, https or socks5 URL`,
    )
  const user = first(config.users, context.user) ?? {}
  return { name, server: new URL(cluster.server), cluster, user, namespace: context.namespace || undefined }
}

const HTTP = /^https?:\/\//i
const PROXY = /^(https?|socks5):\/\//i

function isUrl(text: string, scheme: RegExp): boolean {
  return scheme.test(text) && URL.canParse(text)
}

function missingContext({ file, contexts }: KubeConfig, name: string | undefined): Error {
  if (contexts.length === 0)
    return new Error(
      `kubeconfig: there are no contexts in ${file}; name another with --kubeconfig or KUBECONFIG`,
    )
  const known = `known contexts: ${[...new Set(contexts.map((context) => context.name))].join(', ')}`
  if (name !== undefined) return new NoSuchContext(`kubeconfig: there is no context ${name}; ${known}`)
  return new Error(
    `kubeconfig: no current-context is set; ${known}; choose one: kubectl config use-context NAME`,
  )
}

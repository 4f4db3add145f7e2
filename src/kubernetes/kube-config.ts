import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { KubeConfig, type Cluster, type Context } from '@kubernetes/client-node'
import { parse } from 'yaml'

/** Where to load the configuration from. Without `file`: by the default loading rules, then the in-cluster account. */
export interface KubeConfigSource {
  readonly file?: string | undefined
  readonly context?: string | undefined
}

export interface LoadedKubeConfig {
  readonly kubeConfig: KubeConfig
  readonly cluster: Cluster
  readonly context: Context
}

interface UserWithTokenFile {
  name: string
  user?: { tokenFile?: string }
}

/**
 * Supports a user's `tokenFile`: client-node 2.0.1 looks for it under the name `token-file`, and reads it only
 * once. Such a user gets the in-cluster account's provider, which reads the file again as it rotates.
 */
class RotatingKubeConfig extends KubeConfig {
  override loadFromString(config: string, ...rest: [] | [Parameters<KubeConfig['loadFromString']>[1]]): void {
    super.loadFromString(config, ...rest)
    const { users }: { users?: UserWithTokenFile[] | null } = parse(config) ?? {}
    for (const { name, user } of users ?? []) {
      if (user?.tokenFile) this.#followTokenFile(name, user.tokenFile)
    }
  }

  override makePathsAbsolute(rootDirectory: string): void {
    super.makePathsAbsolute(rootDirectory)
    for (const { authProvider } of this.users) {
      if (authProvider?.name !== 'tokenFile') continue
      authProvider.config.tokenFile = resolve(rootDirectory, authProvider.config.tokenFile)
    }
  }

  #followTokenFile(userName: string, tokenFile: string): void {
    this.users = this.users.map((user) =>
      user.name === userName && !user.token
        ? { ...user, authProvider: { name: 'tokenFile', config: { tokenFile } } }
        : user,
    )
  }
}

/** Throws an Error that names the file or context at fault, and says what would help. */
export function loadKubeConfig({ file, context: contextName }: KubeConfigSource): LoadedKubeConfig {
  const kubeConfig = new RotatingKubeConfig()
  if (file === undefined) loadByRules(kubeConfig)
  else loadFile(kubeConfig, file)
  if (contextName !== undefined) kubeConfig.setCurrentContext(contextName)
  // client-node refuses plain HTTP unless verification is off; without TLS nothing is verified anyway.
  kubeConfig.clusters = kubeConfig.clusters.map((cluster) =>
    cluster.server?.startsWith('http:') ? { ...cluster, skipTLSVerify: true } : cluster,
  )

  const name = kubeConfig.getCurrentContext()
  const context = kubeConfig.contexts.find((candidate) => candidate.name === name)
  if (!context) throw new Error(missingContext(kubeConfig, name))
  const cluster = kubeConfig.getCurrentCluster()
  if (!cluster || !URL.canParse(cluster.server)) {
    throw new Error(
      `kubeconfig: context ${name} names the cluster ${context.cluster}, which has no valid server`,
    )
  }
  return { kubeConfig, cluster, context }
}

function loadFile(kubeConfig: KubeConfig, file: string): void {
  try {
    kubeConfig.loadFromString(readFileSync(file, 'utf8'))
    kubeConfig.makePathsAbsolute(dirname(resolve(file)))
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    const why = missing ? 'there is no such file' : messageOf(cause)
    throw new Error(`cannot load the kubeconfig ${file}: ${why}`, { cause })
  }
}

function loadByRules(kubeConfig: KubeConfig): void {
  try {
    kubeConfig.loadFromDefault()
  } catch (cause) {
    throw new Error(`cannot load a kubeconfig by the default rules: ${messageOf(cause)}`, { cause })
  }
  // What client-node falls back to when it found nothing.
  if (kubeConfig.getCurrentCluster()?.server === 'http://localhost:8080') {
    throw new Error('no cluster: give --kubeconfig FILE, set KUBECONFIG, or run in a cluster')
  }
}

function missingContext(kubeConfig: KubeConfig, name: string | undefined): string {
  const known = kubeConfig.contexts.map((context) => context.name).join(', ')
  if (!name) return `kubeconfig: no current-context is set; known contexts: ${known || 'none'}`
  return `kubeconfig: there is no context ${name}; known contexts: ${known || 'none'}`
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

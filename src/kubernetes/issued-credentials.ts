import { pluginIssuer, type Issuer } from './exec-plugin.ts'
import type { Environment, LoadedKubeConfig } from './kube-config.ts'

/** A user who has one of these needs no other credentials: nothing is run, as with kubectl. */
const OWN = ['token', 'tokenFile', 'username', 'client-certificate', 'client-certificate-data'] as const

/**
 * What issues a user's credentials: an exec plugin, or one of client-node's auth providers. undefined: nothing does.
 * client-node is loaded only here, for an auth provider: its models take 85 MB.
 */
export async function issuerOf(
  { cluster, user }: LoadedKubeConfig,
  environment: Environment,
): Promise<Issuer | undefined> {
  if (OWN.some((field) => user[field])) return undefined
  if (user.exec) return pluginIssuer(user.exec, cluster, environment)
  const { 'auth-provider': authProvider } = user
  if (!authProvider) return undefined
  const { KubeConfig } = await import('@kubernetes/client-node')
  const kubeConfig = new KubeConfig()
  kubeConfig.loadFromClusterAndUser(
    { name: 'cluster', server: 'https://unused', skipTLSVerify: false },
    { name: 'user', authProvider },
  )
  return (options) => kubeConfig.applyToHTTPSOptions(options)
}

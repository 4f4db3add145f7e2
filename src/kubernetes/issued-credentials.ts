import type { RequestOptions } from 'node:https'
import type { User } from './kube-config-file.ts'

/** Adds headers and a client certificate; they are asked for once, and again when they have expired. */
export type Issuer = (options: RequestOptions) => Promise<void>

/**
 * What issues a user's credentials: an exec plugin, or one of client-node's auth providers. undefined: nothing does.
 * Loaded only here: with its models client-node takes 85 MB, which a plugin does not need but an auth provider does.
 */
export async function issuerOf({ exec, 'auth-provider': authProvider }: User): Promise<Issuer | undefined> {
  if (!exec && !authProvider) return undefined
  const user = { name: 'user', exec, authProvider }
  const { ExecAuth } = await import('@kubernetes/client-node/dist/exec_auth.js')
  const plugin = new ExecAuth()
  if (plugin.isAuthProvider(user)) return (options) => plugin.applyAuthentication(user, options)
  const { KubeConfig } = await import('@kubernetes/client-node')
  const kubeConfig = new KubeConfig()
  kubeConfig.loadFromClusterAndUser({ name: 'cluster', server: 'https://unused', skipTLSVerify: false }, user)
  return (options) => kubeConfig.applyToHTTPSOptions(options)
}

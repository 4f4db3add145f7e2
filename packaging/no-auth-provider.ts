/**
 * In an executable in place of client-node, which would make it start 20 ms later for the few whose kubeconfig has an
 * auth-provider.
 */
export function KubeConfig(): never {
  throw new Error(
    'the auth-provider of this kubeconfig is not in the executable: use an exec plugin, or the npm package kubectl-dormouse',
  )
}

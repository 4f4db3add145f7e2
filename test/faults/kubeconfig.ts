import { parse } from 'yaml'

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: Record<string, string> }[]
}

const CA = 'certificate-authority-data'

/** The API server's address in a kubeconfig of one cluster; `ca` is PEM, undefined for plain HTTP. */
export function targetOf(kubeconfig: string): { url: string; ca: string | undefined } {
  const { server, [CA]: ca } = clusterOf(parse(kubeconfig) as Kubeconfig)
  if (server === undefined) throw new TypeError('the kubeconfig names no server')
  return { url: server, ca: ca === undefined ? undefined : Buffer.from(ca, 'base64').toString() }
}

/** The same accounts at another server; `ca` is PEM. JSON is YAML. */
export function leadingTo(kubeconfig: string, url: string, ca: string | undefined): string {
  const changed = parse(kubeconfig) as Kubeconfig
  const authority = ca === undefined ? {} : { [CA]: Buffer.from(ca).toString('base64') }
  Object.assign(clusterOf(changed), { server: url, ...authority })
  return JSON.stringify(changed)
}

function clusterOf({ clusters: [first] }: Kubeconfig): Record<string, string> {
  if (!first) throw new TypeError('the kubeconfig has no cluster')
  return first.cluster
}

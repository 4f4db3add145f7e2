import { writeFile } from 'node:fs/promises'

/** How to reach the API server and trust it. `caData` is PEM. */
export interface Cluster {
  readonly url: string
  readonly caData: string
}

/** Writes a kubeconfig, readable by its owner only, that speaks as the holder of `token`. JSON is YAML. */
export async function writeKubeconfig(
  file: string,
  cluster: Cluster,
  user: { readonly name: string; readonly token: string },
  namespace = 'default',
): Promise<string> {
  const name = 'control-plane'
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name,
        cluster: {
          server: cluster.url,
          'certificate-authority-data': Buffer.from(cluster.caData).toString('base64'),
        },
      },
    ],
    users: [{ name: user.name, user: { token: user.token } }],
    contexts: [{ name, context: { cluster: name, user: user.name, namespace } }],
    'current-context': name,
  }
  await writeFile(file, `${JSON.stringify(kubeconfig, null, 2)}\n`, { mode: 0o600 })
  return file
}

import { writeFile } from 'node:fs/promises'

/** How to reach the API server and trust it. `caData` is PEM. */
export interface Cluster {
  readonly url: string
  readonly caData: string
}

/** Writes a kubeconfig, readable by its owner only, that speaks with these credentials. JSON is YAML. */
export async function writeKubeconfig(
  file: string,
  cluster: Cluster,
  name: string,
  credentials: { readonly token: string } | Readonly<Record<`client-${'certificate' | 'key'}-data`, string>>,
  namespace = 'default',
): Promise<string> {
  const here = 'control-plane'
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: here,
        cluster: {
          server: cluster.url,
          'certificate-authority-data': Buffer.from(cluster.caData).toString('base64'),
        },
      },
    ],
    users: [{ name, user: credentials }],
    contexts: [{ name: here, context: { cluster: here, user: name, namespace } }],
    'current-context': here,
  }
  await writeFile(file, `${JSON.stringify(kubeconfig, null, 2)}\n`, { mode: 0o600 })
  return file
}

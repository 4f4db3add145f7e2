import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { freePorts } from '../../test/control-plane/ports.ts'
import { newLocalTokens } from '../../test/support/local-tokens.ts'
import { manifest } from '../../test/support/manifests.ts'
import { startSandboxCluster, type StartedCluster } from '../../test/support/sandbox-cluster.ts'
import { MeasuredProgram } from './measured-program.ts'

/** `dormouse serve` as it is shipped, with its webhook, over a sandbox in this process. */
export interface MeasuredService {
  readonly program: MeasuredProgram
  readonly cluster: StartedCluster
  /** The webhook's. */
  readonly url: string
  /** POSTs to the API. @throws Error unless it answers 200 */
  post(path: string): Promise<void>
  stop(): Promise<void>
}

/** With the Deployments `shop/web-0`, `shop/web-1` and so on. */
export async function startService(deployments: number): Promise<MeasuredService> {
  const cluster = await startSandboxCluster()
  const directory = await mkdtemp(join(tmpdir(), 'dormouse-bench-'))
  const tokens = newLocalTokens()
  const { issuer, audience, publicKey } = tokens
  const publicKeyFile = join(directory, 'public.pem')
  await writeFile(publicKeyFile, publicKey)
  const [port] = await freePorts(1)
  const config = join(directory, 'config.yaml')
  const settings = {
    newWorkloadGrace: '0s',
    api: { host: '127.0.0.1', port: 0, insecurePort: 0 },
    auth: { local: { issuer, audience, publicKeyFile } },
    webhook: { port, url: `https://127.0.0.1:${port}` },
    metrics: { port: 0 },
  }
  await writeFile(config, JSON.stringify(settings))
  await cluster.admin.expect('POST', '/api/v1/namespaces', { metadata: { name: 'shop' } })
  const names = Array.from({ length: deployments }, (_, index) => `web-${index}`)
  await cluster.create(
    'shop',
    names.map((name) => manifest('deployments', name, { replicas: 3 })),
  )
  const kubeconfig = cluster.dormouseKubeconfig
  const program = new MeasuredProgram(['serve', '--config', config, '--kubeconfig', kubeconfig, '--json'])
  const { api, webhook: url } = await program.ready()
  const authorization = `Bearer ${await tokens.token()}`
  return {
    program,
    cluster,
    url,
    async post(path) {
      const { statusCode } = await request(api + path, { method: 'POST', headers: { authorization } })
      if (statusCode !== 200) throw new Error(`POST ${path} answered ${statusCode}`)
    },
    async stop() {
      await cluster.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

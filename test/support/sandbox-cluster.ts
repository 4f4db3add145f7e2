import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/process/clock.ts'
import { SandboxCluster } from '../../src/sandbox/sandbox.ts'
import { clientFor } from '../control-plane/client.ts'
import { createIn, type Cluster, type SeenRequest } from './cluster.ts'
import { kubectlFor } from './kubectl.ts'

/** Identifies Dormouse's requests, among those of kubectl and of the tests, by the user agent. */
const OURS = /^dormouse\b/i

export interface StartedCluster extends Cluster {
  stop(): Promise<void>
}

/** Starts the sandbox's cluster in this process, without Dormouse, which is started by its kubeconfig. */
export async function startSandboxCluster({
  readyAfterMs = 200,
  clock = systemClock,
} = {}): Promise<StartedCluster> {
  const requests: SeenRequest[] = []
  const sandbox = new SandboxCluster({
    port: 0,
    clock,
    readyAfterMs,
    onRequest: ({ method, url, userAgent }) => {
      if (OURS.test(userAgent)) requests.push({ verb: verbOf(method, url), url, at: Date.now() })
    },
  })
  await sandbox.start()
  const directory = await mkdtemp(join(tmpdir(), 'dormouse-e2e-'))
  const kubeconfig = join(directory, 'kubeconfig')
  await writeFile(kubeconfig, sandbox.kubeconfig(), { mode: 0o600 })
  const admin = clientFor(sandbox)
  const kubectl = kubectlFor(kubeconfig, join(directory, 'kubectl-cache'))
  return {
    name: 'the sandbox',
    isReal: false,
    adminKubeconfig: kubeconfig,
    dormouseKubeconfig: kubeconfig,
    kubectl,
    admin,
    create: (namespace, objects) => createIn(admin, namespace, objects),
    stopApiServer: realAlone,
    startApiServer: realAlone,
    refuse: realAlone,
    requestsSince: async (since) => requests.filter(({ at }) => at >= since),
    accountToken: realAlone,
    async stop() {
      await admin.close()
      await sandbox.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The sandbox allows everything and does not fail; put a fault proxy in front of it for faults. */
const realAlone = () => Promise.reject(new TypeError('only the real control plane can do this'))

function verbOf(method: string, url: string): SeenRequest['verb'] {
  if (method === 'PATCH' || (method === 'PUT' && !url.includes('/leases/'))) return 'write'
  if (method === 'POST') return 'create'
  if (method !== 'GET') return 'other'
  const { pathname, searchParams } = new URL(url, 'http://sandbox')
  if (searchParams.get('watch')) return 'watch'
  // /apis/<group>/<version>[/namespaces/<namespace>]/<resource>[/<name>…]
  const [, , , , first, , ...rest] = pathname.split('/')
  return first === 'namespaces' && rest.length > 1 ? 'get' : 'list'
}

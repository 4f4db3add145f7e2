import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../src/service/process/clock.ts'
import type { Faults } from '../../src/sandbox/http/faults.ts'
import { SandboxCluster } from '../../src/sandbox/sandbox.ts'
import { clientFor } from '../control-plane/client.ts'
import { createIn, type Cluster, type Grant, type SeenRequest } from './cluster.ts'
import { apiVersionOf } from '../../src/domain/kinds.ts'
import { kubectlFor } from './kubectl.ts'

/** By its user agent, Dormouse's requests are told from those of kubectl and of the tests. */
const OURS = /^dormouse\b/i

export interface StartedCluster extends Cluster {
  readonly faults: Faults
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
  const grantsOf = new Map<string, { namespace: string; grants: readonly Grant[] }>()
  sandbox.faults.denyAccess(({ user, verb, resource, subresource, namespace, name }) => {
    const given = grantsOf.get(user)
    if (!given) return false
    const asked = subresource === '' ? resource : `${resource}/${subresource}`
    const allows = ({ verbs, resources, resourceNames }: Grant) =>
      verbs.includes(verb) && resources.includes(asked) && (resourceNames?.includes(name) ?? true)
    return !(given.namespace === namespace && given.grants.some(allows))
  })
  return {
    faults: sandbox.faults,
    name: 'the sandbox',
    isReal: false,
    adminKubeconfig: kubeconfig,
    dormouseKubeconfig: kubeconfig,
    kubectl,
    admin,
    create: (namespace, objects) => createIn(admin, namespace, objects),
    stopApiServer: () => sandbox.faults.refuseConnections(),
    startApiServer() {
      // A real API server knows no roles at first, while it starts.
      sandbox.faults.answer({ path: /^\/apis\/apps\//, status: 403, message: 'forbidden', times: 8 })
      return sandbox.faults.acceptConnections()
    },
    async refuse(kind) {
      const path = new RegExp(`^/apis/${apiVersionOf(kind)}/${kind}\\?`)
      const allow = sandbox.faults.answer({ path, status: 403, message: 'forbidden', times: Infinity })
      return async () => allow()
    },
    requestsSince: async (since) => requests.filter(({ at }) => at >= since),
    async accountToken(namespace, account, ...grants) {
      await kubectl('create', 'serviceaccount', account, '-n', namespace)
      grantsOf.set(`system:serviceaccount:${namespace}:${account}`, { namespace, grants })
      return (await kubectl('create', 'token', account, '-n', namespace, '--audience', 'dormouse')).trim()
    },
    async stop() {
      await admin.close()
      await sandbox.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

function verbOf(method: string, url: string): SeenRequest['verb'] {
  if (method === 'PATCH') return 'patch'
  if (method === 'POST') return 'create'
  if (method !== 'GET') return 'other'
  const { pathname, searchParams } = new URL(url, 'http://sandbox')
  if (searchParams.get('watch')) return 'watch'
  // /apis/<group>/<version>[/namespaces/<namespace>]/<resource>[/<name>…]
  const [, , , , first, , ...rest] = pathname.split('/')
  return first === 'namespaces' && rest.length > 1 ? 'get' : 'list'
}

import { join } from 'node:path'
import type { Kind } from '../../src/domain/workload/workload.ts'
import { readAuditLog, type AuditEvent } from '../control-plane/audit.ts'
import type { Client } from '../control-plane/client.ts'
import type { ControlPlane } from '../control-plane/control-plane.ts'
import { dormouse } from '../control-plane/dormouse-account.ts'
import { eventually } from './eventually.ts'
import { createIn, type Cluster, type Grant, type SeenRequest } from './cluster.ts'
import { kubectlFor } from './kubectl.ts'
import { account, grant, isAllowed } from './rights.ts'

const VERBS: readonly string[] = ['get', 'list', 'watch', 'create']
const WRITES: readonly string[] = ['patch', 'update']

/** The real control plane, with an account for Dormouse and one for the tests. */
export async function realCluster(plane: ControlPlane): Promise<Cluster> {
  const { admin, adminKubeconfig } = plane
  const kubectl = kubectlFor(adminKubeconfig, join(plane.directory, 'kubectl-cache'))
  const { gitVersion } = await admin.expect('GET', '/version')
  return {
    name: `the real control plane`,
    version: `Kubernetes ${String(gitVersion)}`,
    isReal: true,
    adminKubeconfig,
    dormouseKubeconfig: await plane.dormouseKubeconfig(),
    personKubeconfig: (name, ...groups) => plane.personKubeconfig(name, ...groups),
    kubectl,
    admin,
    create: (namespace, objects) => createIn(admin, namespace, objects),
    stopApiServer: () => plane.stopApiServer(),
    startApiServer: () => plane.startApiServer(),
    refuse: (kind) => withoutKind(admin, kind),
    async requestsSince(since) {
      const events = await readAuditLog(plane.auditLog, since)
      return events
        .filter(({ verb, stage }) => verb !== 'watch' || stage === 'ResponseStarted')
        .map(seenRequest)
    },
    async accountToken(namespace, account, ...grants) {
      await createAccount(admin, namespace, account, grants)
      for (const grant of grants) await mayAct(admin, namespace, account, grant)
      const options = ['--audience', 'dormouse', '--duration', '24h']
      return (await kubectl('create', 'token', account, '-n', namespace, ...options)).trim()
    },
  }
}

/** Removes a kind from Dormouse's ClusterRole; the function returned puts it back. */
async function withoutKind(admin: Client, kind: Kind): Promise<() => Promise<void>> {
  const path = `/apis/rbac.authorization.k8s.io/v1/clusterroles/${dormouse.name}`
  const { rules } = (await admin.expect('GET', path)) as unknown as { rules: { resources?: string[] }[] }
  const fewer = rules.map((rule) => ({
    ...rule,
    ...(rule.resources && { resources: rule.resources.filter((resource) => resource !== kind) }),
  }))
  await admin.expect('PATCH', path, { rules: fewer })
  return async () => void (await admin.expect('PATCH', path, { rules }))
}

function seenRequest({ verb, requestURI, requestReceivedTimestamp }: AuditEvent): SeenRequest {
  const writes = WRITES.includes(verb) && !requestURI.includes('/leases/')
  const known = VERBS.includes(verb) ? (verb as SeenRequest['verb']) : 'other'
  return { verb: writes ? 'write' : known, url: requestURI, at: Date.parse(requestReceivedTimestamp) }
}

async function createAccount(
  admin: Client,
  namespace: string,
  name: string,
  grants: readonly Grant[],
): Promise<void> {
  await admin.expect('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } })
  const rights = grants.map((each) => ({ apiGroups: ['apps', 'batch'], ...each }))
  await grant(admin, account(namespace, name), { name, rights, namespace })
}

/** Resolves once the API server, whose view of roles is a moment late, grants it. */
async function mayAct(
  admin: Client,
  namespace: string,
  account: string,
  { verbs: [verb = ''], resources: [granted = ''], resourceNames: [name] = [] }: Grant,
): Promise<void> {
  const [resource = '', subresource] = granted.split('/')
  const access = { namespace, verb, group: 'apps', resource, subresource, name }
  const user = `system:serviceaccount:${namespace}:${account}`
  await eventually(`${user} to be allowed to ${verb} ${granted}`, () => isAllowed(admin, user, access))
}

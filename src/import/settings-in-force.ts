import type { ImportedObject } from './plan/imported-object.ts'
import type { Settings } from './plan/in-force.ts'
import { compilePolicy } from '../domain/policy/configured.ts'
import { Refusal } from '../process/errors.ts'
import type { ClusterObjects } from '../client/ports.ts'

const PUBLISHED = '/api/v1/namespaces/kube-public/configmaps/dormouse'

/** The settings that the running Dormouse publishes; undefined: it does not, or the person may not read them. */
export async function settingsInForce(cluster: ClusterObjects): Promise<Settings | undefined> {
  const { knownService } = await import('../client/cluster/known-service.ts')
  const { newer, policies, policy, excludeNamespaces } = knownService(await published(cluster))
  if (newer !== undefined || policies === undefined) return undefined
  try {
    policies.forEach(compilePolicy)
  } catch {
    return undefined
  }
  return { timezone: policy.timezone, excludeNamespaces, policies }
}

async function published(
  cluster: ClusterObjects,
): Promise<Readonly<Record<string, string>> | 'forbidden' | 'missing'> {
  try {
    const found = await cluster.get<ImportedObject>(PUBLISHED)
    return found ? (found.data ?? {}) : 'missing'
  } catch (error) {
    if (error instanceof Refusal && error.code === 'FORBIDDEN') return 'forbidden'
    throw error
  }
}

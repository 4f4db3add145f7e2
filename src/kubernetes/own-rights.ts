import { resourceOf, type Kind } from '../domain/kinds.ts'
import type { KubernetesClient } from './client.ts'
import { ClusterRefusal } from './failures.ts'
import { review, type AccessStatus } from './reviews.ts'

const SELF = ['authorization.k8s.io/v1', 'SelfSubjectAccessReview'] as const

/**
 * The kinds that our account may patch, but not update, anywhere in the cluster (`authorization.k8s.io/v1`
 * SelfSubjectAccessReview, which every account may create): each of their writes is a patch, which costs the API server
 * more. None where the cluster does not say.
 */
export async function onlyPatched(
  client: Pick<KubernetesClient, 'call'>,
  kinds: readonly Kind[],
  signal: AbortSignal,
): Promise<Kind[]> {
  const may = async (verb: 'patch' | 'update', kind: Kind) => {
    const spec = { resourceAttributes: { verb, ...resourceOf(kind) } }
    return (await review<AccessStatus>(client, SELF, spec, signal))?.allowed
  }
  try {
    const asked = kinds.map(async (kind) => (await may('update', kind)) === false && may('patch', kind))
    const answers = await Promise.all(asked)
    return kinds.filter((_, at) => answers[at] === true)
  } catch (error) {
    if (error instanceof ClusterRefusal) return []
    throw error
  }
}

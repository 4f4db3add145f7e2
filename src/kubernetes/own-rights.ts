import { resourceOf, type Kind } from '../domain/kinds.ts'
import type { KubernetesClient } from './client.ts'
import { ClusterRefusal } from './failures.ts'
import { review, type AccessStatus } from './reviews.ts'

const SELF = ['authorization.k8s.io/v1', 'SelfSubjectAccessReview'] as const

/** Rights that a configuration needs and the account lacks; nothing of an account that may write no kind at all, as a reader's. */
export interface OwnRights {
  /** Kinds that it may patch, but not update: each of their writes is a patch, which costs the API server more. */
  readonly onlyPatched: readonly Kind[]
  /** Kinds, and resources beside workloads, that it may not write. */
  readonly unwritable: readonly Kind[]
  /** Rights that wake on traffic needs, such as `create endpointslices.discovery.k8s.io`. */
  readonly lackedByTraffic: readonly string[]
}

const OF_TRAFFIC = [
  ['list', '', 'services'],
  ['watch', '', 'services'],
  ...['list', 'watch', 'create', 'patch', 'delete'].map((verb) => [
    verb,
    'discovery.k8s.io',
    'endpointslices',
  ]),
] as const

const NOTHING: OwnRights = { onlyPatched: [], unwritable: [], lackedByTraffic: [] }

/**
 * `paused`: resources that are patched alone. By `authorization.k8s.io/v1` SelfSubjectAccessReview, which every account may create; nothing where the cluster does not
 * say.
 */
export async function ownRights(
  client: Pick<KubernetesClient, 'call'>,
  kinds: readonly Kind[],
  paused: readonly Kind[],
  wakesOnTraffic: boolean,
  signal: AbortSignal,
): Promise<OwnRights> {
  const may = async (verb: 'patch' | 'update', kind: Kind) => {
    const spec = { resourceAttributes: { verb, ...resourceOf(kind) } }
    return (await review<AccessStatus>(client, SELF, spec, signal))?.allowed
  }
  const asked = async (kind: Kind) => {
    if ((await may('update', kind)) !== false) return 'whole'
    return (await may('patch', kind)) === true ? 'patched' : 'not'
  }
  const askedToPause = async (resource: Kind) => (await may('patch', resource)) !== false
  try {
    const answers = await Promise.all(kinds.map(asked))
    const pausable = await Promise.all(paused.map(askedToPause))
    const those = (answer: (typeof answers)[number]) => kinds.filter((_, at) => answers[at] === answer)
    const unwritable = those('not')
    if (unwritable.length === kinds.length) return NOTHING
    const unpaused = paused.filter((_, at) => !pausable[at])
    return {
      onlyPatched: those('patched'),
      unwritable: [...unwritable, ...unpaused],
      lackedByTraffic: wakesOnTraffic ? await lackedByTraffic(client, signal) : [],
    }
  } catch (error) {
    if (error instanceof ClusterRefusal) return NOTHING
    throw error
  }
}

async function lackedByTraffic(
  client: Pick<KubernetesClient, 'call'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const asked = OF_TRAFFIC.map(async ([verb, group, resource]) => {
    const spec = { resourceAttributes: { verb, group, resource } }
    const answer = await review<AccessStatus>(client, SELF, spec, signal)
    return answer?.allowed === false
      ? [`${verb} ${[resource, group].filter((part) => part !== '').join('.')}`]
      : []
  })
  return (await Promise.all(asked)).flat()
}

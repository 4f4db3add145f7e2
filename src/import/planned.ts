import type { ImportedConfiguration } from './plan/configuration.ts'
import type { InForce, Settings } from './plan/in-force.ts'
import type { ImportedObject, Step } from './plan/imported-object.ts'
import { downscalerAmong, isOfVisits, type Running, type Tool } from './tool.ts'
import { compilePolicy } from '../domain/policy/configured.ts'
import { Refusal } from '../process/errors.ts'
import type { ClusterObjects } from '../client/ports.ts'

/** The work of an import. */
export interface Import {
  readonly steps: readonly Step[]
  /** The settings in force, and those that the steps are planned for. */
  readonly force: readonly [now: InForce, planned: InForce]
  /** Whether those in force are published, and the person may read them. */
  readonly isKnown: boolean
  readonly configuration?: ImportedConfiguration
}

export async function planned(
  cluster: ClusterObjects,
  from: Tool,
  objects: readonly ImportedObject[],
  running: readonly Running[],
  now: number,
  place: string,
): Promise<Import> {
  const [{ InForce }, known] = await Promise.all([import('./plan/in-force.ts'), settingsInForce(cluster)])
  const namespaces = objects.filter(({ kind }) => kind === 'Namespace')
  const inForce = new InForce(known, namespaces)
  if (from === 'kube-green') {
    const { byNamespace, planOfKubeGreen } = await import('./plan/kube-green-plan.ts')
    const steps = byNamespace(objects).flatMap((each) => planOfKubeGreen(each, now, inForce, place))
    return { steps, force: [inForce, inForce], isKnown: known !== undefined }
  }
  if (isOfVisits(from)) {
    const { planOfKubeElasti, planOfSablier } = await import('./plan/visited.ts')
    const steps = (from === 'sablier' ? planOfSablier : planOfKubeElasti)(objects, now, inForce)
    return { steps, force: [inForce, inForce], isKnown: known !== undefined }
  }
  const [{ planOfDownscaler }, { configurationOf }] = await Promise.all([
    import('./plan/downscaler-plan.ts'),
    import('./plan/configuration.ts'),
  ])
  const left = {
    ...(await downscalerAmong(running, from, cluster)),
    namespaces,
    objects: objects.filter(({ kind }) => kind !== 'Namespace'),
  }
  const configuration = configurationOf(left, now)
  const force = inForce.with(configuration)
  return {
    steps: planOfDownscaler(left, now, force),
    configuration,
    force: [inForce, force],
    isKnown: known !== undefined,
  }
}

const PUBLISHED = '/api/v1/namespaces/kube-public/configmaps/dormouse'

/** The settings that the running Dormouse publishes; undefined: it does not, or the person may not read them. */
async function settingsInForce(cluster: ClusterObjects): Promise<Settings | undefined> {
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

import type { ScalersVersion } from './observed.ts'
import type { Target } from './target.ts'

interface Entry {
  readonly manager: string
  readonly subresource?: string
}

/** Everything that was done to a workload, and every version that came of it, in order. */
export function traceOf(target: Target): string {
  const asked = target.asked.map(({ what, from, status }) => ({
    at: from,
    text: `${what} -> ${status ?? 'no answer'}`,
  }))
  const versions = target.observed.versions(target.key).map(({ at, object, gone }, index) => {
    const { labels, annotations, managedFields } = object.metadata
    const managers = (managedFields as readonly Entry[] | undefined)?.map(
      ({ manager, subresource }) => `${manager}${subresource === undefined ? '' : `/${subresource}`}`,
    )
    const marks = JSON.stringify({ ...labels, ...annotations })
    const { replicas, suspend } = object.spec
    const count = replicas ?? (suspend === true ? 'suspended' : '-')
    const text = `version ${index}${gone ? ', deleted' : ''}: ${count} ${marks} by ${managers?.join()}`
    return { at, text }
  })
  const { scalers, hpas } = target.observed
  const beside = [...changesOf(target, 'ScaledObject', scalers), ...changesOf(target, 'HPA', hpas)]
  const lines = [...asked, ...versions, ...beside].toSorted((a, b) => a.at - b.at)
  return [target.title, ...lines.map(({ at, text }) => `  ${new Date(at).toISOString()} ${text}`)].join('\n')
}

function changesOf({ key: { name } }: Target, kind: string, versions: readonly ScalersVersion[]) {
  return versions.flatMap(({ at, byName }, index) => {
    const scaler = byName.get(name)
    if (scaler === versions[index - 1]?.byName.get(name)) return []
    const { minReplicas } = (scaler as { spec?: { minReplicas?: number } } | undefined)?.spec ?? {}
    const text = scaler ? `${minReplicas ?? ''} ${JSON.stringify(scaler.metadata.annotations ?? {})}` : 'gone'
    return [{ at, text: `${kind}: ${text}` }]
  })
}

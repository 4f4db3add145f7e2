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
  const scalers = target.observed.scalers.flatMap(({ at, byName }, index, all) => {
    const scaler = byName.get(target.key.name)
    if (target.key.kind !== 'deployments' || scaler === all[index - 1]?.byName.get(target.key.name)) return []
    const text = scaler ? JSON.stringify(scaler.metadata.annotations ?? {}) : 'gone'
    return [{ at, text: `ScaledObject: ${text}` }]
  })
  const lines = [...asked, ...versions, ...scalers].toSorted((a, b) => a.at - b.at)
  return [target.title, ...lines.map(({ at, text }) => `  ${new Date(at).toISOString()} ${text}`)].join('\n')
}

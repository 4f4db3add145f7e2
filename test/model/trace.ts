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
    const text = `version ${index}${gone ? ', deleted' : ''}: ${object.spec.replicas ?? '-'} ${marks} by ${managers?.join()}`
    return { at, text }
  })
  const lines = [...asked, ...versions].toSorted((a, b) => a.at - b.at)
  return [target.title, ...lines.map(({ at, text }) => `  ${new Date(at).toISOString()} ${text}`)].join('\n')
}

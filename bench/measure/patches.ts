import { deployments, namesOf } from './cluster.ts'
import type { Sent } from './raw.ts'

/** The minimal patches that put to sleep or wake: the count, and one annotation for the former one. */
export function mergePatches(
  namespace: string,
  count: number,
  direction: 'sleep' | 'wake',
  replicas = 3,
): Sent[] {
  const isAsleep = direction === 'sleep'
  const annotations = { 'raw.example/replicas': isAsleep ? String(replicas) : null }
  const patch = { metadata: { annotations }, spec: { replicas: isAsleep ? 0 : replicas } }
  const [body, headers] = [JSON.stringify(patch), { 'content-type': 'application/merge-patch+json' }]
  return namesOf(count).map((name) => {
    return { method: 'PATCH', path: `${deployments(namespace)}/${name}`, headers, body }
  })
}

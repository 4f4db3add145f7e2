import { compared, type Comparison, type Recorded } from './plan/comparison.ts'
import type { ImportedObject } from './plan/imported-object.ts'
import type { ClusterObjects } from '../client/ports.ts'
import { pathOf } from './resources.ts'

/** Reads each of them again, and compares; what is gone meanwhile is left out. */
export async function readAgain(
  cluster: ClusterObjects,
  recorded: readonly Recorded[],
): Promise<Comparison[]> {
  const all: Comparison[] = []
  for (const each of recorded) {
    const now = await cluster.get<ImportedObject>(pathOf(each.object))
    if (now) all.push(compared({ ...now, kind: each.object.kind }, each.recorded))
  }
  return all
}

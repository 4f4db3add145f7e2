import { typeOf } from '../../domain/kinds.ts'
import { KINDS, type Kind, type Workload, type WorkloadKey } from '../../domain/workload/workload.ts'
import { Refusal } from '../../process/errors.ts'
import type { LiveReader, Workloads } from '../../kubernetes/ports.ts'

/**
 * The informer's copy of a workload, else that of one live read.
 * @throws Refusal NOT_FOUND, CLUSTER_UNAVAILABLE
 */
export async function newestCopy(
  workloads: Workloads,
  writer: LiveReader,
  path: WorkloadKey,
): Promise<Workload> {
  demandCurrent(workloads, path.kind)
  return workloads.get(path) ?? (await liveCopy(writer, path))
}

/** @throws Refusal NOT_FOUND, CLUSTER_UNAVAILABLE */
export async function liveCopy(
  writer: LiveReader,
  { kind, namespace, name }: WorkloadKey,
): Promise<Workload> {
  const workload = await writer.read({ kind, namespace, name })
  if (workload) return workload
  throw new Refusal(
    'NOT_FOUND',
    `there is no ${typeOf(kind)} ${name} in the namespace ${namespace}: check both names`,
  )
}

/**
 * Refuses while the informer's copies of this kind, without `kind` those of any kind, may be old or missing.
 * @throws Refusal CLUSTER_UNAVAILABLE
 */
export function demandCurrent(workloads: Workloads, kind?: Kind): void {
  // A configured kind that cannot be watched is left out of lists of all.
  const missing = (kind === undefined ? KINDS : [kind]).filter((each) => !workloads.isConnected(each))
  if (missing.length === 0) return
  const fault = kind === undefined ? undefined : workloads.faultOf?.(kind)
  if (fault !== undefined)
    throw new Refusal('CLUSTER_UNAVAILABLE', fault, { retryAfter: 30, details: { kinds: missing } })
  const others =
    kind === undefined && missing.length < KINDS.length ? ', or ask for one of the other kinds by ?kind=' : ''
  throw new Refusal(
    'CLUSTER_UNAVAILABLE',
    `${missing.join(', ')} are not all known now: try again${others}`,
    { retryAfter: 1, details: { kinds: missing } },
  )
}

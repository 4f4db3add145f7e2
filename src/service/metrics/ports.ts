import type { Kind, Workload, WorkloadKey } from '../../domain/workload/workload.ts'

/** The informer, which is asked at each scrape. */
export interface Informer {
  readonly watches: Iterable<{ readonly kind: Kind | 'namespaces'; readonly connected: boolean }>
  get(key: WorkloadKey): Workload | undefined
}

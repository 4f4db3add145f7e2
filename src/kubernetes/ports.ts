import type { Kind } from '../domain/workload/workload.ts'

/** What becomes known of our calls to the cluster; the composition root turns it into metrics. */
export interface KubernetesObserver {
  /** One answered or failed call; `code` is the HTTP status, 0: no answer. */
  request(verb: string, resource: string, code: number, seconds: number): void
  watchRestarted(kind: Kind | 'namespaces', reason: string): void
  eventDropped(): void
  /** A listener of the informer threw. */
  listenerFailed(): void
}

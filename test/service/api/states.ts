import { encodeState } from '../../../src/domain/workload/state-codec.ts'
import { EMPTY_STATE, type State } from '../../../src/domain/workload/state.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { aWorkload } from '../../support/fake-cluster.ts'
import { NOON } from './service.ts'

/** A workload that Dormouse manages, with this state. */
export function managed(state: Partial<State> = {}, given: Partial<Workload> = {}): Workload {
  const annotations = {
    enabled: 'true',
    ...encodeState({ ...EMPTY_STATE, kind: given.kind ?? 'deployments', counter: 1, ...state }),
    ...given.annotations,
  }
  return aWorkload({ ...given, annotations, hasAnnotations: true })
}

/** Its only state is one that cannot be read. */
export function unreadable(given: Partial<Workload> = {}): Workload {
  return aWorkload({ ...given, annotations: { enabled: 'true', state: '{' }, hasAnnotations: true })
}

/** A deployment's own ReplicaSet. */
export function owned(name: string): Workload {
  return aWorkload({
    kind: 'replicasets',
    name,
    owner: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
  })
}

export const pinned: Partial<State> = {
  pin: { state: 'active', replicas: 3, at: NOON - 1000, by: 'local:bob' },
}
export const inBackoff: Partial<State> = { backoff: { until: NOON + 300_000, times: 1, cause: 'flapping' } }

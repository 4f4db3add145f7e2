import { KIND_NAME, apiVersionOf, type BuiltInKind } from '../../src/domain/kinds.ts'
import type { Item } from '../../src/headlamp/host.ts'
import type { KubernetesFields } from '../../src/headlamp/workload.ts'
import type { Workload } from '../../src/domain/workload/workload.ts'
import { objectOf } from '../support/workload-object.ts'

/** The object as Headlamp reads it of the API server. */
export function objectIn(workload: Workload): KubernetesFields {
  const kind = workload.kind as BuiltInKind
  return { ...objectOf(workload), kind: KIND_NAME[kind], apiVersion: apiVersionOf(kind) } as KubernetesFields
}

export function itemOf(workload: Workload): Item {
  return { jsonData: objectIn(workload), cluster: 'dev' }
}

import type { Served } from '../domain/companions/companion.ts'
import type { KubernetesObject } from './api-object.ts'

/** A CustomResourceDefinition, as far as we read it. */
export interface CustomDefinition extends KubernetesObject {
  readonly spec?: {
    readonly group?: string
    readonly names?: { readonly kind?: string }
    readonly versions?: readonly {
      readonly name: string
      readonly served?: boolean
      readonly storage?: boolean
    }[]
  }
  readonly status?: { readonly conditions?: readonly { readonly type?: string; readonly status?: string }[] }
}

/** Until then the API server does not serve its objects. */
export function isEstablished({ status, metadata }: CustomDefinition): boolean {
  if (metadata.deletionTimestamp != null) return false
  return status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true
}

/** Where its objects are served, as they are stored if that is possible; undefined: nowhere. */
export function servedBy({ spec }: CustomDefinition): Served | undefined {
  const served = spec?.versions?.filter((each) => each.served) ?? []
  const version = served.find(({ storage }) => storage) ?? served[0]
  return version && { base: `/apis/${spec?.group ?? ''}/${version.name}`, kind: spec?.names?.kind ?? '' }
}

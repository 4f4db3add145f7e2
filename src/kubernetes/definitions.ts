import { placesOf, type CompanionRow, type Served } from '../domain/companions/companion.ts'
import { namesIn } from '../domain/json-pointer.ts'
import type { KubernetesObject } from './api-object.ts'

/** The collection of CustomResourceDefinitions. */
export const DEFINITIONS = {
  resource: 'customresourcedefinitions',
  path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
} as const

/** The part of an OpenAPI schema that we read. */
interface Schema {
  readonly minimum?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: unknown
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
}

/** A CustomResourceDefinition, as far as we read it. */
export interface CustomDefinition extends KubernetesObject {
  readonly spec?: {
    readonly group?: string
    readonly names?: { readonly kind?: string }
    readonly versions?: readonly {
      readonly name: string
      readonly served?: boolean
      readonly storage?: boolean
      readonly schema?: { readonly openAPIV3Schema?: Schema }
      readonly subresources?: { readonly scale?: { readonly specReplicasPath?: string } }
    }[]
  }
  readonly status?: { readonly conditions?: readonly { readonly type?: string; readonly status?: string }[] }
}

/** Until then the API server does not serve its objects. */
export function isEstablished({ status, metadata }: CustomDefinition): boolean {
  if (metadata.deletionTimestamp != null) return false
  return status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true
}

/**
 * The place where the objects of a row are served: as they are stored, if that version has the row's places, else at another one that
 * has. A text: the place that none of them has; undefined: it is not served.
 */
export function servedBy(row: CompanionRow, { spec }: CustomDefinition): Served | string | undefined {
  const served = spec?.versions?.filter((each) => each.served) ?? []
  const versions = [...served.filter(({ storage }) => storage), ...served.filter(({ storage }) => !storage)]
  const lacks = versions.map(({ schema }) =>
    placesOf(row).find((place) => !hasPlace(schema?.openAPIV3Schema, place)),
  )
  const version = versions[lacks.indexOf(undefined)]
  if (!version) return lacks[0]
  return { base: `/apis/${spec?.group ?? ''}/${version.name}`, kind: spec?.names?.kind ?? '' }
}

/** Whether objects may have a value at a JSON pointer; those of `metadata` may. */
export function hasPlace(schema: Schema | undefined, place: string): boolean {
  return has(schema, namesIn(place))
}

/** The minimum that a definition allows at a JSON pointer; 0: it has none. */
export function leastAt(schema: Schema | undefined, place: string): number {
  return (
    namesIn(place).reduce<Schema | undefined>((inner, name) => inner?.properties?.[name], schema)?.minimum ??
    0
  )
}

/** Why a resource cannot be used that has no definition. */
export function notServed(resource: string): string {
  return `the cluster serves no ${resource}: is its CustomResourceDefinition installed?`
}

function has(schema: Schema | undefined, [name = '', ...rest]: readonly string[]): boolean {
  if (!schema || name === 'metadata') return true
  if (name === '' || schema['x-kubernetes-preserve-unknown-fields'] === true) return true
  const inner = schema.properties?.[name]
  return inner ? has(inner, rest) : schema.additionalProperties !== undefined
}

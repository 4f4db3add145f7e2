import { isRecord, list, text, type JsonRecord, type KubeObject } from './object.ts'
import type { ObjectStore } from './object-store.ts'
import { served, type Resource, type Subresource } from './resources.ts'

export const DEFINITIONS = served('apiextensions.k8s.io', 'customresourcedefinitions')

/** The only place of a count that the sandbox's scale subresource knows. */
const REPLICAS_PATH = '.spec.replicas'

/** The resources of all CustomResourceDefinitions that exist, one for each version that is served. */
export function customResources(store: ObjectStore): Resource[] {
  return store.list(DEFINITIONS.store).flatMap(resourcesOf)
}

/** undefined: no definition makes it. */
export function findCustomResource(
  store: ObjectStore,
  group: string,
  version: string,
  plural: string,
): Resource | undefined {
  const definition = store.get(DEFINITIONS.store, undefined, `${plural}.${group}`)
  return definition && resourcesOf(definition).find((each) => each.version === version)
}

function resourcesOf({ spec, metadata }: KubeObject): Resource[] {
  const names = recordIn(spec, 'names')
  const kind = text(names, 'kind')
  return list(spec, 'versions')
    .filter(isRecord)
    .filter((version) => version['served'] === true)
    .map((version) => ({
      group: text(spec, 'group'),
      version: text(version, 'name'),
      plural: text(names, 'plural'),
      singular: text(names, 'singular') || kind.toLowerCase(),
      kind,
      namespaced: text(spec, 'scope') === 'Namespaced',
      shortNames: list(names, 'shortNames').map(String),
      categories: list(names, 'categories').map(String),
      verbs: READ_AND_WRITE,
      subresources: subresourcesOf(recordIn(version, 'subresources')),
      store: metadata.name,
      generation: 'spec',
      unconditionalUpdate: false,
      custom: true,
    }))
}

const READ_AND_WRITE = [...served('', 'configmaps').verbs]

function subresourcesOf(subresources: JsonRecord): Subresource[] {
  const scale = recordIn(subresources, 'scale')
  return [
    ...(isRecord(subresources['status']) ? ['status' as const] : []),
    ...(text(scale, 'specReplicasPath') === REPLICAS_PATH ? ['scale' as const] : []),
  ]
}

/** A definition as it is once the API server serves it, which is at once. */
export function established(definition: KubeObject): KubeObject {
  const conditions = ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True' }))
  const { spec } = definition
  return { ...definition, status: { conditions, acceptedNames: recordIn(spec, 'names') } }
}

function recordIn(value: unknown, field: string): JsonRecord {
  const found = isRecord(value) ? value[field] : undefined
  return isRecord(found) ? found : {}
}

import { dormouse } from '../control-plane/dormouse-account.ts'
import type { Cluster } from './cluster.ts'
import { eventually } from './eventually.ts'
import { account, grant, takeBack } from './rights.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
/** A schema that takes anything. */
const OPEN = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }

/** A custom kind: `{ group: 'example.com', plural: 'wheels', kind: 'Wheel' }`. */
export interface CustomKind {
  readonly group: string
  readonly plural: string
  readonly kind: string
  /** Default: v1. */
  readonly version?: string
  /** The schema of its objects; by default they may have anything. */
  readonly schema?: object
  /** The path of its count, such as `.spec.replicas`; without it, it has no scale. */
  readonly countPath?: string
  /** Whether its status is a subresource, as with a scale it is. */
  readonly hasStatus?: true
}

/** The definition's entry for one version; the first of several is the stored one. */
function versionOf(
  { schema = OPEN, countPath, hasStatus }: CustomKind,
  name: string,
  storage: boolean,
  served = true,
) {
  const scale = { specReplicasPath: countPath, statusReplicasPath: '.status.replicas' }
  return {
    name,
    served,
    storage,
    schema: { openAPIV3Schema: schema },
    ...(hasStatus && { subresources: { status: {} } }),
    ...(countPath === undefined ? {} : { subresources: { status: {}, scale } }),
  }
}

function definitionOf(custom: CustomKind) {
  const { group, plural, kind, version = 'v1' } = custom
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [versionOf(custom, version, true)],
    },
  }
}

/**
 * Changes a definition that is there: `custom` is what it is now, at its version; objects stay. `past`: versions that it
 * had, and serves no more. Resolves once the API server has taken it up.
 */
export async function redefineKind(
  { admin }: Cluster,
  custom: CustomKind,
  past: readonly string[] = [],
): Promise<void> {
  const { group, plural, version = 'v1' } = custom
  const path = `${DEFINITIONS}/${plural}.${group}`
  const versions = [
    versionOf(custom, version, true),
    ...past.map((name) => versionOf(custom, name, false, false)),
  ]
  await admin.expect('PATCH', path, { spec: { versions } })
  const statusAt = async (name: string) =>
    (await admin.send('GET', `/apis/${group}/${name}/${plural}`)).status
  await eventually(`${plural} to be served as it is defined now`, async () => {
    const statuses = await Promise.all([version, ...past].map(statusAt))
    return statuses.every((status, place) => status === (place === 0 ? 200 : 404))
  })
}

/** Resolves once it is served, by a definition that stays: one that is being deleted goes first. */
export async function defineKind({ admin }: Cluster, custom: CustomKind): Promise<void> {
  const { group, plural, version = 'v1' } = custom
  const definition = definitionOf(custom)
  await eventually(`${plural} to be served`, async () => {
    const { status, body } = await admin.send('POST', DEFINITIONS, definition)
    if (status !== 201 && status !== 409) throw new Error(`the definition was refused: ${body.message}`)
    if (status === 409) {
      const { metadata } = await admin.expect('GET', `${DEFINITIONS}/${plural}.${group}`)
      if (metadata?.['deletionTimestamp'] !== undefined) return false
    }
    return (await admin.send('GET', `/apis/${group}/${version}/${plural}`)).status === 200
  })
}

/** All objects go with it; resolves once it is gone. */
export async function undefineKind(
  { admin }: Cluster,
  { group, plural }: Pick<CustomKind, 'group' | 'plural'>,
): Promise<void> {
  const path = `${DEFINITIONS}/${plural}.${group}`
  await admin.send('DELETE', path)
  await eventually(`${plural} to be gone`, async () => (await admin.send('GET', path)).status === 404)
}

/** Gives Dormouse's account the chart's rights for configured kinds of an API group. */
export async function mayManage({ admin }: Cluster, group: string): Promise<void> {
  const rights = [
    { apiGroups: [group], resources: ['*'], verbs: ['get', 'list', 'watch', 'patch', 'update'] },
    {
      apiGroups: ['apiextensions.k8s.io'],
      resources: ['customresourcedefinitions'],
      verbs: ['get', 'list', 'watch'],
    },
  ]
  await grant(admin, account(dormouse.namespace, dormouse.name), { name: group, rights })
}

export function mayNoLongerManage({ admin }: Cluster, group: string): Promise<void> {
  return takeBack(admin, group)
}

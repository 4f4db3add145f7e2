import { groupVersion, RESOURCES } from '../store/resources.ts'
import type { Resource } from '../store/resources.ts'

const VERSION = '1.35'

/** The discovery document at this path, with these resources beside the sandbox's own; undefined: there is none. */
export function discovery(path: string, host: string, custom: readonly Resource[]): object | undefined {
  const groups = Map.groupBy([...RESOURCES, ...custom], (resource) => resource.group)
  const versions = Map.groupBy([...RESOURCES, ...custom], rootOf)
  switch (path.replace(/\/$/, '')) {
    case '':
      return { paths: ['/api', '/apis', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version'] }
    case '/version':
      return {
        major: VERSION.split('.')[0],
        minor: VERSION.split('.')[1],
        gitVersion: `v${VERSION}.0+dormouse.sandbox`,
        gitCommit: '',
        gitTreeState: 'clean',
        buildDate: '1970-01-01T00:00:00Z',
        goVersion: '',
        compiler: '',
        platform: `${process.platform}/${process.arch}`,
      }
    case '/api':
      return {
        kind: 'APIVersions',
        versions: ['v1'],
        serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: host }],
      }
    case '/apis':
      return {
        kind: 'APIGroupList',
        apiVersion: 'v1',
        groups: [...groups].filter(([name]) => name !== '').map(([name, served]) => group(name, served)),
      }
    case '/openapi/v3':
      return { paths: Object.fromEntries([...versions.values()].map(openapiPath)) }
  }
  for (const [name, resources] of groups)
    if (path === `/apis/${name}`) return { kind: 'APIGroup', apiVersion: 'v1', ...group(name, resources) }
  for (const [root, resources] of versions) {
    if (path === root) return resourceList(resources)
    if (path === `/openapi/v3${root}`) return openapi(resources)
  }
  return undefined
}

const rootOf = (resource: Resource) => `${resource.group === '' ? '/api' : '/apis'}/${groupVersion(resource)}`

function group(name: string, resources: readonly Resource[]) {
  const names = [...new Set(resources.map(({ version }) => version))]
  const versions = names.map((version) => ({ groupVersion: `${name}/${version}`, version }))
  return { name, versions, preferredVersion: versions[0] }
}

function resourceList(resources: Resource[]): object {
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: resources.slice(0, 1).map(groupVersion).join(''),
    resources: resources.flatMap((resource) => [
      {
        name: resource.plural,
        singularName: resource.singular,
        namespaced: resource.namespaced,
        kind: resource.kind,
        verbs: resource.verbs,
        ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
        ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
      },
      ...resource.subresources.map((subresource) => ({
        name: `${resource.plural}/${subresource}`,
        singularName: '',
        namespaced: resource.namespaced,
        ...SUBRESOURCES[subresource](resource),
      })),
    ]),
  }
}

const READ_AND_WRITE = ['get', 'patch', 'update']

const SUBRESOURCES: Record<Resource['subresources'][number], (resource: Resource) => object> = {
  status: ({ kind }) => ({ kind, verbs: READ_AND_WRITE }),
  scale: () => ({ group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: READ_AND_WRITE }),
}

function openapiPath(resources: Resource[]): [string, object] {
  const root = resources.slice(0, 1).map(rootOf).join('')
  return [root.slice(1), { serverRelativeURL: `/openapi/v3${root}` }]
}

/**
 * OpenAPI without schemas. It lists the parameters of PATCH, so that kubectl leaves validation to the server
 * instead of fetching all schemas.
 */
function openapi(resources: Resource[]): object {
  const parameters = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
    name,
    in: 'query',
    schema: { type: 'string', uniqueItems: true },
  }))
  const paths = resources.map((resource) => {
    const { group, version, kind, plural, namespaced } = resource
    const place = `${rootOf(resource)}${namespaced ? '/namespaces/{namespace}' : ''}/${plural}/{name}`
    const operation = {
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group, version, kind },
      parameters,
      responses: {},
    }
    return [place, { patch: operation }]
  })
  return {
    openapi: '3.0.0',
    info: { title: 'Dormouse sandbox', version: VERSION },
    paths: Object.fromEntries(paths),
    components: { schemas: {} },
  }
}

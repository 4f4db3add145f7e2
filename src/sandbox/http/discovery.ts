import { groupVersion, RESOURCES } from '../store/resources.ts'
import type { Resource } from '../store/resources.ts'

const VERSION = '1.35'

/** The discovery document at this path; undefined: there is none. */
export function discovery(path: string, host: string): object | undefined {
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
        groups: [...groups().keys()].filter(Boolean).map(group),
      }
    case '/openapi/v3':
      return { paths: Object.fromEntries([...groups().values()].map(openapiPath)) }
  }
  for (const [name, resources] of groups()) {
    const [first] = resources
    if (!first) continue
    if (path === rootOf(first)) return resourceList(resources)
    if (path === `/apis/${name}`) return { kind: 'APIGroup', apiVersion: 'v1', ...group(name) }
    if (path === `/openapi/v3${rootOf(first)}`) return openapi(resources)
  }
  return undefined
}

const groups = () => Map.groupBy(RESOURCES, (resource) => resource.group)

const rootOf = (resource: Resource) => `${resource.group === '' ? '/api' : '/apis'}/${groupVersion(resource)}`

function group(name: string) {
  const version = { groupVersion: `${name}/v1`, version: 'v1' }
  return { name, versions: [version], preferredVersion: version }
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
  token: () => ({ group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', verbs: ['create'] }),
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

/** One served resource. `store` names where its objects are stored. */
export interface Resource {
  group: string
  version: string
  plural: string
  singular: string
  kind: string
  namespaced: boolean
  shortNames: string[]
  categories: string[]
  verbs: string[]
  subresources: readonly Subresource[]
  store: string
  /**
   * The fields that make `metadata.generation` grow; a Deployment's annotations do, since its ReplicaSets copy
   * them.
   */
  generation: 'none' | 'spec' | 'spec and annotations' | 'webhooks'
  /** Whether an update may leave out the resourceVersion; not for Leases and webhook configurations. */
  unconditionalUpdate: boolean
  /** A CustomResourceDefinition defines it. */
  custom?: true
}

/** One object of a resource, whether it exists or not. */
export interface Target {
  resource: Resource
  namespace: string | undefined
  name: string
}

export type Subresource = 'status' | 'scale'

const READ_AND_WRITE = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']

type Rest = Partial<Omit<Resource, 'plural' | 'kind' | 'group'>>

function resource(group: string, plural: string, kind: string, rest: Rest = {}): Resource {
  return {
    group,
    version: 'v1',
    plural,
    singular: kind.toLowerCase(),
    kind,
    namespaced: true,
    shortNames: [],
    categories: [],
    verbs: READ_AND_WRITE,
    subresources: [],
    store: group === '' ? plural : `${plural}.${group}`,
    generation: 'none',
    unconditionalUpdate: true,
    ...rest,
  }
}

const CLUSTER = { namespaced: false } as const
const REVIEW = { namespaced: false, verbs: ['create'] }
const ALL = { categories: ['all'] }
const STATUS = { subresources: ['status'] } as const
const SCALABLE = { ...ALL, generation: 'spec', subresources: ['status', 'scale'] } as const

const AUTHENTICATION = 'authentication.k8s.io'
const AUTHORIZATION = 'authorization.k8s.io'

export const RESOURCES: readonly Resource[] = [
  resource('', 'namespaces', 'Namespace', { ...CLUSTER, shortNames: ['ns'], ...STATUS }),
  resource('', 'nodes', 'Node', { ...CLUSTER, shortNames: ['no'], ...STATUS }),
  resource('', 'pods', 'Pod', { ...ALL, shortNames: ['po'], ...STATUS }),
  resource('', 'events', 'Event', { shortNames: ['ev'] }),
  resource('', 'secrets', 'Secret'),
  resource('', 'configmaps', 'ConfigMap', { shortNames: ['cm'] }),
  resource('', 'serviceaccounts', 'ServiceAccount', { shortNames: ['sa'] }),
  resource('', 'services', 'Service', { ...ALL, shortNames: ['svc'], ...STATUS }),
  resource('apps', 'deployments', 'Deployment', {
    ...SCALABLE,
    shortNames: ['deploy'],
    generation: 'spec and annotations',
  }),
  resource('apps', 'statefulsets', 'StatefulSet', { ...SCALABLE, shortNames: ['sts'] }),
  resource('apps', 'replicasets', 'ReplicaSet', { ...SCALABLE, shortNames: ['rs'] }),
  resource('apps', 'daemonsets', 'DaemonSet', { ...SCALABLE, shortNames: ['ds'], ...STATUS }),
  resource('batch', 'cronjobs', 'CronJob', { ...ALL, ...STATUS, generation: 'spec', shortNames: ['cj'] }),
  resource('autoscaling', 'horizontalpodautoscalers', 'HorizontalPodAutoscaler', {
    ...ALL,
    ...STATUS,
    version: 'v2',
    shortNames: ['hpa'],
  }),
  resource('discovery.k8s.io', 'endpointslices', 'EndpointSlice'),
  resource('coordination.k8s.io', 'leases', 'Lease', { unconditionalUpdate: false }),
  resource('admissionregistration.k8s.io', 'mutatingwebhookconfigurations', 'MutatingWebhookConfiguration', {
    ...CLUSTER,
    generation: 'webhooks',
    unconditionalUpdate: false,
  }),
  resource('apiextensions.k8s.io', 'customresourcedefinitions', 'CustomResourceDefinition', {
    ...CLUSTER,
    shortNames: ['crd', 'crds'],
    generation: 'spec',
    subresources: ['status'],
    unconditionalUpdate: false,
  }),
  resource(AUTHENTICATION, 'tokenreviews', 'TokenReview', REVIEW),
  resource(AUTHENTICATION, 'selfsubjectreviews', 'SelfSubjectReview', REVIEW),
  resource(AUTHORIZATION, 'subjectaccessreviews', 'SubjectAccessReview', REVIEW),
  resource(AUTHORIZATION, 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', REVIEW),
  resource(AUTHORIZATION, 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', REVIEW),
]

const BY_PATH = new Map(RESOURCES.map((each) => [`${each.group}/${each.version}/${each.plural}`, each]))

export function findResource(group: string, version: string, plural: string): Resource | undefined {
  return BY_PATH.get(`${group}/${version}/${plural}`)
}

/** A resource of the table. @throws TypeError for one that is not in it */
export function served(group: string, plural: string): Resource {
  const found = findResource(group, 'v1', plural)
  if (!found) throw new TypeError(`the sandbox serves no ${plural} in group "${group}"`)
  return found
}

export const groupVersion = (resource: Pick<Resource, 'group' | 'version'>) =>
  resource.group === '' ? resource.version : `${resource.group}/${resource.version}`

export const isStored = (resource: Resource) => resource.verbs.includes('get')

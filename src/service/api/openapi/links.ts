import type { OperationId } from './entries.ts'

/** An OpenAPI link: an operation that takes what a request or its answer had. */
interface Link {
  readonly operationId: OperationId
  readonly description: string
  readonly parameters: Readonly<Record<string, string>>
}

/** The operations that callers send next for the same workload. */
const NEXT: Partial<Record<OperationId, readonly OperationId[]>> = {
  read: ['plan', 'enable', 'snooze', 'wake'],
  readStatus: ['plan'],
  plan: ['read', 'schedule'],
  enable: ['read', 'plan', 'schedule', 'snooze', 'pin', 'override', 'disable'],
  disable: ['read', 'enable'],
  override: ['read', 'clearOverride'],
  clearOverride: ['read', 'plan'],
  pin: ['read', 'unpin'],
  unpin: ['read', 'plan'],
  snooze: ['read', 'wake', 'pin'],
  wake: ['read', 'snooze', 'pin'],
  schedule: ['read', 'plan'],
}

const SAME = {
  namespace: '$request.path.namespace',
  kind: '$request.path.kind',
} as const
const FILTERS = { state: '$request.query.state', labelSelector: '$request.query.labelSelector' } as const
const CONTINUE = '$response.body#/continue'

/** Links of pages, and to what a list names. */
const OF_LISTS = {
  nextInNamespace: {
    operationId: 'listNamespace',
    description: 'The next page: the same filters, with `continue` unless it is null',
    parameters: { ...SAME, ...FILTERS, continue: CONTINUE },
  },
  next: {
    operationId: 'listWorkloads',
    description: 'The next page: the same filters, with `continue` unless it is null',
    parameters: {
      namespace: '$request.query.namespace',
      kind: '$request.query.kind',
      ...FILTERS,
      continue: CONTINUE,
    },
  },
  nextOfPlan: {
    operationId: 'plan',
    description: 'The next page: the same hours, with `continue` unless it is null',
    parameters: {
      ...SAME,
      name: '$request.path.name',
      hours: '$request.query.hours',
      continue: CONTINUE,
    },
  },
  first: {
    operationId: 'read',
    description: 'The first workload of the page',
    parameters: { ...SAME, name: '$response.body#/data/0/name' },
  },
} as const satisfies Record<string, Link>

/** The operations that callers send next for the same namespace. */
const NEXT_IN_NAMESPACE: Partial<Record<OperationId, readonly OperationId[]>> = {
  readNamespace: ['snoozeNamespace', 'wakeNamespace', 'pinNamespace', 'overrideNamespace'],
  snoozeNamespace: ['readNamespace', 'wakeNamespace'],
  wakeNamespace: ['readNamespace', 'snoozeNamespace'],
  pinNamespace: ['readNamespace', 'unpinNamespace'],
  unpinNamespace: ['readNamespace'],
  overrideNamespace: ['readNamespace', 'clearNamespaceOverride'],
  clearNamespaceOverride: ['readNamespace'],
}

/** Links of namespaces and of what is done to all in them. */
const OF_NAMESPACES = {
  nextNamespaces: {
    operationId: 'listNamespaces',
    description: 'The next page: the same filter, with `continue` unless it is null',
    parameters: { kind: '$request.query.kind', continue: CONTINUE },
  },
  firstNamespace: {
    operationId: 'readNamespace',
    description: 'The first namespace of the page',
    parameters: { namespace: '$response.body#/data/0/name' },
  },
  firstItem: {
    operationId: 'read',
    description: 'The first workload that was done or refused',
    parameters: {
      namespace: SAME.namespace,
      kind: '$response.body#/data/items/0/kind',
      name: '$response.body#/data/items/0/name',
    },
  },
} as const satisfies Record<string, Link>

/** The links of the document, by name; those for the same workload are named as their operations. */
export const LINKS: Readonly<Record<string, Link>> = {
  ...sameWorkload(),
  ...sameNamespace(),
  ...OF_LISTS,
  ...OF_NAMESPACES,
}

/** References to the links of an operation's success; undefined: it has none. */
export function linksOf(id: OperationId): Record<string, { readonly $ref: string }> | undefined {
  const names = LISTED[id] ?? inNamespace(id) ?? NEXT[id]
  return names && Object.fromEntries(names.map((name) => [name, { $ref: `#/components/links/${name}` }]))
}

const LISTED: Partial<Record<OperationId, readonly string[]>> = {
  listWorkloads: ['next'],
  listNamespace: ['nextInNamespace', 'first'],
  listNamespaces: ['nextNamespaces', 'firstNamespace'],
  plan: ['nextOfPlan', ...(NEXT.plan ?? [])],
}

function inNamespace(id: OperationId): readonly string[] | undefined {
  const next = NEXT_IN_NAMESPACE[id]
  return next && id !== 'readNamespace' ? [...next, 'firstItem'] : next
}

function sameNamespace(): Record<string, Link> {
  const parameters = { namespace: SAME.namespace }
  const ids = new Set(Object.values(NEXT_IN_NAMESPACE).flat())
  return Object.fromEntries(
    [...ids].map((operationId) => [
      operationId,
      { operationId, description: 'For the same namespace', parameters },
    ]),
  )
}

function sameWorkload(): Record<string, Link> {
  const parameters = { ...SAME, name: '$request.path.name' }
  const ids = new Set(Object.values(NEXT).flat())
  return Object.fromEntries(
    [...ids].map((operationId) => [
      operationId,
      { operationId, description: 'For the same workload', parameters },
    ]),
  )
}

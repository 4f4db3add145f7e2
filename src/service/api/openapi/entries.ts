import type { QUERY_PARAMETERS } from './parameters.ts'

export type Method = 'get' | 'post' | 'put' | 'delete'
export type Tag = keyof typeof TAGS

/** One operation in short; document.ts spells it out. */
export interface Entry {
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly tag: Tag
  readonly summary: string
  readonly description: string
  readonly query: readonly (keyof typeof QUERY_PARAMETERS)[]
  readonly body?: 'Setting' | 'Override' | 'Nothing'
  readonly answer:
    | 'StatusAnswer'
    | 'ListAnswer'
    | 'PlanAnswer'
    | 'IndexAnswer'
    | 'BulkAnswer'
    | 'NamespaceAnswer'
    | 'NamespacesAnswer'
}

export const TAGS = {
  Read: 'See one workload, many, or what is to come. Changes nothing.',
  Write:
    'Change something. A request for what is so already succeeds and changes nothing; `dryRun` only says what would happen.',
  Bulk: 'Change all workloads of a namespace, or those of a kind or with labels, each by its own rights and with its own result.',
  Service: 'Paths, kinds, and this document.',
} as const

export const NAMESPACES = '/api/v1/namespaces'
const NAMESPACE = `${NAMESPACES}/{namespace}`
const WORKLOADS = `${NAMESPACE}/{kind}`
const WORKLOAD = `${WORKLOADS}/{name}`

const one = { query: [], answer: 'StatusAnswer', tag: 'Read' } as const
const write = { body: 'Nothing', answer: 'StatusAnswer', tag: 'Write' } as const
const bulk = { body: 'Nothing', answer: 'BulkAnswer', tag: 'Bulk' } as const
const some = ['kind', 'labelSelector', 'dryRun'] as const
const filters = ['state', 'labelSelector', 'limit', 'continue', 'watch'] as const
const SCALE = 'Right: `update` the scale (DaemonSets and CronJobs: `patch`).'
const CHANGE = 'Right: `patch` the kind.'
const EACH =
  'Of the workloads that you may list; 200 whatever becomes of each, which `data.items` says. At most 500, and one such request at a time. Right: `list` the kind, and `update` the scale (DaemonSets: `patch`) of each workload.'

// prettier-ignore
export const ENTRIES = [
  { id: 'index', method: 'get', path: '/api/v1', tag: 'Service', summary: 'Where everything is', query: [], answer: 'IndexAnswer',
    description: 'The paths of this API, its kinds, and where this document is.' },
  { id: 'listWorkloads', method: 'get', path: '/api/v1/workloads', tag: 'Read', summary: 'All workloads that you may see', query: ['namespace', 'kind', ...filters], answer: 'ListAnswer',
    description: 'Of all namespaces and kinds that you may list, in pages. What a controller owns is left out.' },
  { id: 'listNamespaces', method: 'get', path: NAMESPACES, tag: 'Read', summary: 'The namespaces that you may see', query: ['kind', 'limit', 'continue'], answer: 'NamespacesAnswer',
    description: 'Those with workloads that you may list, ordered by name, in pages: how many are in which state, what comes next, what was saved. What you may not list is not counted.' },
  { id: 'readNamespace', method: 'get', path: NAMESPACE, tag: 'Read', summary: 'A namespace', query: ['kind'], answer: 'NamespaceAnswer',
    description: 'How many of its workloads are in which state, what comes next, what was saved; of the kinds that you may list. Right: `list` of any kind.' },
  { id: 'snoozeNamespace', method: 'post', path: `${NAMESPACE}/snooze`, summary: 'Put a namespace to sleep', query: [...some, 'wait', 'for', 'force'], ...bulk,
    description: `As \`snooze\` does with one. ${EACH}` },
  { id: 'wakeNamespace', method: 'post', path: `${NAMESPACE}/wake`, summary: 'Wake a namespace', query: [...some, 'wait', 'for', 'force'], ...bulk,
    description: `As \`wake\` does with one, ahead of everything that is to be put to sleep. ${EACH}` },
  { id: 'pinNamespace', method: 'post', path: `${NAMESPACE}/pin`, summary: 'Hold a namespace as it is', query: some, ...bulk,
    description: `As \`pin\` does with one. ${EACH}` },
  { id: 'unpinNamespace', method: 'delete', path: `${NAMESPACE}/pin`, summary: 'Remove the pins of a namespace', query: some, ...bulk,
    description: `As \`unpin\` does with one. ${EACH}` },
  { id: 'overrideNamespace', method: 'post', path: `${NAMESPACE}/override`, summary: 'Turn automatic behaviour off in a namespace', query: some, ...bulk, body: 'Override',
    description: `As \`override\` does with one. ${EACH}` },
  { id: 'clearNamespaceOverride', method: 'delete', path: `${NAMESPACE}/override`, summary: 'Turn automatic behaviour on again in a namespace', query: some, ...bulk,
    description: `As \`clearOverride\` does with one. ${EACH}` },
  { id: 'listNamespace', method: 'get', path: WORKLOADS, tag: 'Read', summary: 'The workloads of a kind in a namespace', query: filters, answer: 'ListAnswer',
    description: 'In pages, ordered by name. What a controller owns is left out. Right: `list` the kind.' },
  { id: 'read', method: 'get', path: WORKLOAD, ...one, summary: 'A workload',
    description: 'Its record; the message says why it is as it is. Right: `get` the kind.' },
  { id: 'readStatus', method: 'get', path: `${WORKLOAD}/status`, ...one, summary: 'A workload',
    description: 'The same record. Right: `get` the kind.' },
  { id: 'plan', method: 'get', path: `${WORKLOAD}/plan`, tag: 'Read', summary: 'What is to come if nobody acts', query: ['hours', 'continue'], answer: 'PlanAnswer',
    description: 'The coming changes between awake and asleep, with their reasons, in pages of 200. Right: `get` the kind.' },
  { id: 'enable', method: 'post', path: `${WORKLOAD}/enable`, summary: 'Let Dormouse manage a workload', query: ['dryRun', 'wait', 'inherit'], ...write, body: 'Setting',
    description: `With a schedule it follows that at once. Repairs a state that cannot be read. ${CHANGE}` },
  { id: 'disable', method: 'post', path: `${WORKLOAD}/disable`, summary: 'Wake it and leave it alone', query: ['dryRun', 'wait', 'inherit'], ...write,
    description: `Clears pin, override and backoff, keeps schedule and history. ${CHANGE} If it is pinned or overridden, also the right to \`update\` the scale.` },
  { id: 'override', method: 'post', path: `${WORKLOAD}/override`, summary: 'Turn automatic behaviour off', query: ['dryRun'], ...write, body: 'Override',
    description: `For a time or for good; requests still work. Again: replaces the end. ${SCALE}` },
  { id: 'clearOverride', method: 'delete', path: `${WORKLOAD}/override`, summary: 'Turn automatic behaviour on again', query: ['dryRun'], ...write,
    description: `The schedule applies again at once. ${SCALE}` },
  { id: 'pin', method: 'post', path: `${WORKLOAD}/pin`, summary: 'Hold it in the state it is in', query: ['dryRun'], ...write,
    description: `Neither schedule nor requests nor manual scaling change it until it is unpinned. ${SCALE}` },
  { id: 'unpin', method: 'delete', path: `${WORKLOAD}/pin`, summary: 'Remove the pin', query: ['dryRun'], ...write,
    description: `What was missed meanwhile is made up for. ${SCALE}` },
  { id: 'snooze', method: 'post', path: `${WORKLOAD}/snooze`, summary: 'Put it to sleep', query: ['dryRun', 'wait', 'for', 'force'], ...write,
    description: `Until the next edge of its schedule, or for a time, edges included. The replica count is kept. ${SCALE}` },
  { id: 'wake', method: 'post', path: `${WORKLOAD}/wake`, summary: 'Wake it', query: ['dryRun', 'wait', 'for', 'force'], ...write,
    description: `To its kept count; until the next edge of its schedule, or for a time, edges included. ${SCALE}` },
  { id: 'schedule', method: 'put', path: `${WORKLOAD}/schedule`, summary: 'Set or remove its schedule', query: ['dryRun', 'inherit'], ...write, body: 'Setting',
    description: `It follows the new hours at once. A zone alone keeps the schedule; no body removes it. ${CHANGE}` },
] as const satisfies readonly Entry[]

export type OperationId = (typeof ENTRIES)[number]['id']

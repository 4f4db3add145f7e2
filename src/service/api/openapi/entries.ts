import {
  ACTIONS,
  isApiAction,
  isForMany,
  isOfNamed,
  OPERATIONS,
  PARAMETERS,
  type ApiAction,
  type Parameter,
} from '../../../domain/requests/operations.ts'
import type { QUERY_PARAMETERS } from './parameters.ts'

export type Method = 'get' | 'post' | 'put' | 'delete'
export type Tag = keyof typeof TAGS

type Query = keyof typeof QUERY_PARAMETERS

/** One operation in short; document.ts spells it out. */
export interface Entry {
  readonly id: string
  /** The operation on workloads that it asks for; undefined: it reads. */
  readonly action?: ApiAction
  readonly method: Method
  readonly path: string
  readonly tag: Tag
  readonly summary: string
  readonly description: string
  readonly query: readonly Query[]
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
const filters = ['state', 'labelSelector', 'limit', 'continue', 'watch'] as const
const RIGHTS = {
  scale: 'Right: `update` the scale (DaemonSets and CronJobs: `patch`).',
  change: 'Right: `patch` the kind.',
} as const
const ENDS = ' If it is pinned or overridden, also the right to `update` the scale.'
const EACH =
  'Of the workloads that you may list; 200 whatever becomes of each, which `data.items` says. At most 500, and one such request at a time. Right: `list` the kind, and `update` the scale (DaemonSets: `patch`) of each workload.'

// prettier-ignore
const READS = [
  { id: 'index', method: 'get', path: '/api/v1', tag: 'Service', summary: 'Where everything is', query: [], answer: 'IndexAnswer',
    description: 'The paths of this API, its kinds, where this document is, which cluster this is, and who asks.' },
  { id: 'listWorkloads', method: 'get', path: '/api/v1/workloads', tag: 'Read', summary: 'All workloads that you may see', query: ['namespace', 'kind', ...filters], answer: 'ListAnswer',
    description: 'Of all namespaces and kinds that you may list, in pages. What a controller owns is left out, unless Dormouse manages it or pauses its owner.' },
  { id: 'listNamespaces', method: 'get', path: NAMESPACES, tag: 'Read', summary: 'The namespaces that you may see', query: ['kind', 'labelSelector', 'limit', 'continue'], answer: 'NamespacesAnswer',
    description: 'Those with workloads that you may list, ordered by name, in pages: how many are in which state, what comes next, what was saved. What you may not list is not counted.' },
  { id: 'readNamespace', method: 'get', path: NAMESPACE, tag: 'Read', summary: 'A namespace', query: ['kind', 'labelSelector'], answer: 'NamespaceAnswer',
    description: 'How many of its workloads are in which state, what comes next, what was saved; of the kinds that you may list. Right: `list` of any kind.' },
] as const satisfies readonly Entry[]

// prettier-ignore
const READS_BY_KIND = [
  { id: 'listNamespace', method: 'get', path: WORKLOADS, tag: 'Read', summary: 'The workloads of a kind in a namespace', query: filters, answer: 'ListAnswer',
    description: 'In pages, ordered by name. What a controller owns is left out, unless Dormouse manages it or pauses its owner. Right: `list` the kind.' },
  { id: 'read', method: 'get', path: WORKLOAD, ...one, summary: 'A workload',
    description: 'Its record; the message says why it is as it is. Right: `get` the kind.' },
  { id: 'readStatus', method: 'get', path: `${WORKLOAD}/status`, ...one, summary: 'A workload',
    description: 'The same record. Right: `get` the kind.' },
  { id: 'plan', method: 'get', path: `${WORKLOAD}/plan`, tag: 'Read', summary: 'What is to come if nobody acts', query: ['hours', 'schedule', 'timezone', 'continue'], answer: 'PlanAnswer',
    description: 'The coming changes between awake and asleep, with their reasons, in pages of 200. Right: `get` the kind.' },
] as const satisfies readonly Entry[]
type Reading = (typeof READS)[number] | (typeof READS_BY_KIND)[number]
export type ReadId = Reading['id']

/** The document's words on a writing operation; all else follows from the table of operations. */
interface Words {
  readonly summary: string
  readonly says: string
}

// prettier-ignore
const WORDS: Readonly<Record<ApiAction, Words>> = {
  enable: { summary: 'Let Dormouse manage a workload',
    says: 'With a schedule it follows that at once. Repairs a state that cannot be read.' },
  disable: { summary: 'Wake it and leave it alone',
    says: 'Clears pin, override and backoff, keeps schedule and history.' },
  override: { summary: 'Turn automatic behaviour off',
    says: 'For a time or for good; requests still work. Again: replaces the end.' },
  clearOverride: { summary: 'Turn automatic behaviour on again',
    says: 'The schedule applies again at once.' },
  pin: { summary: 'Hold it in the state it is in',
    says: 'Neither schedule nor requests nor manual scaling change it until it is unpinned.' },
  unpin: { summary: 'Remove the pin',
    says: 'What was missed meanwhile is made up for.' },
  snooze: { summary: 'Put it to sleep',
    says: 'Until the next edge of its schedule, or for a time, edges included. The replica count is kept.' },
  wake: { summary: 'Wake it',
    says: 'To its kept count, ahead of everything that is to be put to sleep; until the next edge of its schedule, or for a time, edges included.' },
  schedule: { summary: 'Set or remove its schedule',
    says: 'It follows the new hours at once. A zone alone keeps the schedule; no body removes it.' },
}

/** The operation on one workload. */
function write(action: ApiAction) {
  const { summary, says } = WORDS[action]
  const { right, ends } = OPERATIONS[action]
  return {
    id: action,
    ...asked(action, WORKLOAD, []),
    tag: 'Write',
    summary,
    description: `${says} ${RIGHTS[right]}${ends === 'always' ? ENDS : ''}`,
    answer: 'StatusAnswer',
  } as const
}

/** The same on each workload of a namespace. */
function bulk(action: ApiAction) {
  return {
    id: `${action}Namespace` as const,
    ...asked(action, NAMESPACE, ['kind', 'labelSelector'], (name) => !isOfNamed(name)),
    tag: 'Bulk',
    summary: `${WORDS[action].summary}: each workload of a namespace`,
    description: `As \`${action}\` does with one. ${EACH}`,
    answer: 'BulkAnswer',
  } as const
}

function asked(
  action: ApiAction,
  place: string,
  some: readonly Query[],
  isTaken: (name: Parameter) => boolean = () => true,
) {
  const { takes, call, waits } = OPERATIONS[action]
  const [method, path] = call.split(' ') as ['POST' | 'PUT' | 'DELETE', string]
  const said = takes.filter((name) => PARAMETERS[name].in === 'query' && isTaken(name)) as readonly Query[]
  return {
    action,
    method: method.toLowerCase() as Lowercase<typeof method>,
    path: `${place}/${path}`,
    query: [...some, 'dryRun', ...(waits ? ['wait' as const] : []), ...said],
    body: takes.includes('schedule') ? 'Setting' : takes.includes('duration') ? 'Override' : 'Nothing',
  } as const
}

/** The routes are tried in this order: a word such as `snooze` before any kind. */
export const ENTRIES: readonly Listed[] = [
  ...READS,
  ...ACTIONS.filter(isForMany).map(bulk),
  ...READS_BY_KIND,
  ...ACTIONS.filter(isApiAction).map(write),
]

type Writing = ReturnType<typeof write> | ReturnType<typeof bulk>
export type Listed = (Reading & { readonly action?: never }) | Writing
export type OperationId = Listed['id']

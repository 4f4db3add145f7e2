import { count, isRecord, list, text } from '../store/object.ts'
import type { JsonRecord, KubeObject } from '../store/object.ts'
import { selectorText } from '../store/selectors.ts'

export interface Column {
  name: string
  /** As in OpenAPI. */
  type: 'string' | 'integer'
  /** Shown with `-o wide` only. */
  wide?: boolean
  cell: (object: KubeObject, now: number) => string | number
}

const NONE = '<none>'
const [SECOND, MINUTE, HOUR, DAY, YEAR] = [1000, 60_000, 3_600_000, 86_400_000, 31_536_000_000]

/** An age as kubectl writes it: in two units while the number is small, then in one. */
function age(milliseconds: number): string {
  const two = (large: number, largeUnit: string, small: number, smallUnit: string) => {
    const rest = Math.floor((milliseconds % large) / small)
    return `${Math.floor(milliseconds / large)}${largeUnit}${rest > 0 ? `${rest}${smallUnit}` : ''}`
  }
  if (milliseconds < 2 * MINUTE) return `${Math.max(0, Math.floor(milliseconds / SECOND))}s`
  if (milliseconds < 10 * MINUTE) return two(MINUTE, 'm', SECOND, 's')
  if (milliseconds < 3 * HOUR) return `${Math.floor(milliseconds / MINUTE)}m`
  if (milliseconds < 8 * HOUR) return two(HOUR, 'h', MINUTE, 'm')
  if (milliseconds < 2 * DAY) return `${Math.floor(milliseconds / HOUR)}h`
  if (milliseconds < 8 * DAY) return two(DAY, 'd', HOUR, 'h')
  if (milliseconds < 2 * YEAR) return `${Math.floor(milliseconds / DAY)}d`
  return two(YEAR, 'y', DAY, 'd')
}

const since = (time: unknown, now: number) =>
  typeof time === 'string' && time !== '' ? age(now - Date.parse(time)) : '<unknown>'

const column = (name: string, type: Column['type'], cell: Column['cell'], wide = false): Column => ({
  name,
  type,
  cell,
  wide,
})

const NAME = column('Name', 'string', ({ metadata }) => metadata.name)
const AGE = column('Age', 'string', ({ metadata }, now) => since(metadata.creationTimestamp, now))

const string = (name: string, cell: Column['cell']) => column(name, 'string', cell)
const wide = (name: string, cell: Column['cell']) => column(name, 'string', cell, true)
const status = (name: string, field: string) =>
  column(name, 'integer', (object) => count(object.status, field))

const containers = (object: KubeObject): unknown[] => list(object.spec?.template?.spec, 'containers')
const CONTAINERS = wide('Containers', (object) => joined(containers(object), 'name'))
const IMAGES = wide('Images', (object) => joined(containers(object), 'image'))
const SELECTOR = wide('Selector', (object) => selectorText(object.spec?.selector) || NONE)

const joined = (items: unknown[], field: string) => items.map((item) => text(item, field)).join(',')

const READY = string(
  'Ready',
  (object) => `${count(object.status, 'readyReplicas')}/${object.spec?.replicas ?? 0}`,
)

const nodeSelector = (object: KubeObject) =>
  Object.entries(object.spec?.template?.spec?.nodeSelector ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(',') || NONE

const size = (field: string) =>
  column('Data', 'integer', (object) => Object.keys(record(object[field])).length)

const record = (value: unknown): JsonRecord => (isRecord(value) ? value : {})

function podReady(pod: KubeObject): string {
  const states = list(pod.status, 'containerStatuses')
  const ready = states.filter((state) => isRecord(state) && state['ready'] === true).length
  return `${ready}/${pod.spec?.containers?.length ?? 0}`
}

const nodeReady = (node: KubeObject) =>
  list(node.status, 'conditions').some(
    (each) => text(each, 'type') === 'Ready' && text(each, 'status') === 'True',
  )

const roles = (node: KubeObject) =>
  Object.keys(node.metadata.labels ?? {})
    .filter((label) => label.startsWith('node-role.kubernetes.io/'))
    .map((label) => label.split('/')[1])
    .join(',') || NONE

const involved = (event: KubeObject) => {
  const { involvedObject } = event
  return `${text(involvedObject, 'kind').toLowerCase()}/${text(involvedObject, 'name')}`
}

const lastSeen = (event: KubeObject) =>
  event['lastTimestamp'] ?? event['eventTime'] ?? event.metadata.creationTimestamp

/** By the name of the store; all other resources show name and age. */
const COLUMNS: Record<string, Column[]> = {
  namespaces: [NAME, string('Status', (object) => text(object.status, 'phase')), AGE],
  nodes: [
    NAME,
    string('Status', (node) => (nodeReady(node) ? 'Ready' : 'NotReady')),
    string('Roles', roles),
    AGE,
    string('Version', (node) => text(node.status?.['nodeInfo'], 'kubeletVersion')),
  ],
  pods: [
    NAME,
    string('Ready', podReady),
    string('Status', (pod) => text(pod.status, 'phase')),
    column('Restarts', 'integer', () => 0),
    AGE,
    wide('IP', (pod) => text(pod.status, 'podIP') || NONE),
    wide('Node', (pod) => pod.spec?.nodeName ?? NONE),
  ],
  events: [
    string('Last Seen', (event, now) => since(lastSeen(event), now)),
    string('Type', (event) => text(event, 'type')),
    string('Reason', (event) => text(event, 'reason')),
    string('Object', involved),
    wide('Source', (event) => text(event['source'], 'component') || text(event, 'reportingComponent')),
    string('Message', (event) => text(event, 'message').trim()),
    column('Count', 'integer', (event) => count(event, 'count') || 1, true),
    wide('Name', (event) => event.metadata.name),
  ],
  secrets: [NAME, string('Type', (secret) => text(secret, 'type') || 'Opaque'), size('data'), AGE],
  configmaps: [NAME, size('data'), AGE],
  'deployments.apps': [
    NAME,
    READY,
    status('Up-to-date', 'updatedReplicas'),
    status('Available', 'availableReplicas'),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  'statefulsets.apps': [NAME, READY, AGE, CONTAINERS, IMAGES],
  'replicasets.apps': [
    NAME,
    column('Desired', 'integer', (object) => object.spec?.replicas ?? 0),
    status('Current', 'replicas'),
    status('Ready', 'readyReplicas'),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  'daemonsets.apps': [
    NAME,
    status('Desired', 'desiredNumberScheduled'),
    status('Current', 'currentNumberScheduled'),
    status('Ready', 'numberReady'),
    status('Up-to-date', 'updatedNumberScheduled'),
    status('Available', 'numberAvailable'),
    string('Node Selector', nodeSelector),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  'cronjobs.batch': [
    NAME,
    string('Schedule', (object) => text(object.spec, 'schedule')),
    string('Timezone', (object) => text(object.spec, 'timeZone') || NONE),
    string('Suspend', (object) => (object.spec?.['suspend'] === true ? 'True' : 'False')),
    column('Active', 'integer', (object) => list(object.status, 'active').length),
    string('Last Schedule', (object, now) =>
      object.status?.['lastScheduleTime'] ? since(object.status['lastScheduleTime'], now) : NONE,
    ),
    AGE,
  ],
  'leases.coordination.k8s.io': [NAME, string('Holder', (lease) => text(lease.spec, 'holderIdentity')), AGE],
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': [
    NAME,
    column('Webhooks', 'integer', (configuration) => list(configuration, 'webhooks').length),
    AGE,
  ],
}

export function columnsOf(store: string): Column[] {
  return COLUMNS[store] ?? [NAME, AGE]
}

import { count, isRecord, list, text, valueAt } from '../store/object.ts'
import { selectorText } from '../store/selectors.ts'
import type { KubeObject } from '../store/object.ts'

export interface Column {
  name: string
  /** As in OpenAPI. */
  type: 'string' | 'integer'
  cell: (object: KubeObject, now: number) => unknown
}

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

const states = (pod: KubeObject) => list(pod.status, 'containerStatuses').filter(isRecord)

const reference = (to: unknown) => `${text(to, 'kind')}/${text(to, 'name')}`

function targetOf(metric: unknown): string {
  const target = valueAt(metric, 'resource.target')
  const wanted = text(target, 'averageValue') || `${Number(valueAt(target, 'averageUtilization'))}%`
  return `${text(valueAt(metric, 'resource'), 'name')}: <unknown>/${wanted}`
}

const LAST_SEEN = ['lastTimestamp', 'eventTime', 'metadata.creationTimestamp']

/** Cells that are more than the value of one field. */
const CELLS: Record<string, Column['cell']> = {
  name: ({ metadata }) => metadata.name,
  age: ({ metadata }, now) => since(metadata.creationTimestamp, now),
  lastSeen: (event, now) => since(LAST_SEEN.map((path) => valueAt(event, path)).find(Boolean), now),
  lastSchedule: ({ status }, now) =>
    text(status, 'lastScheduleTime') && since(status?.['lastScheduleTime'], now),
  ready: ({ status, spec }) => `${count(status, 'readyReplicas')}/${spec?.replicas ?? 0}`,
  podReady: (pod) =>
    `${states(pod).filter(({ ready }) => ready === true).length}/${pod.spec?.containers?.length ?? 0}`,
  restarts: (pod) => states(pod).reduce((sum, state) => sum + count(state, 'restartCount'), 0),
  nodeReady: (node) =>
    (text(list(node.status, 'conditions')[0], 'status') === 'True' ? 'Ready' : 'NotReady') +
    (node.spec?.['unschedulable'] === true ? ',SchedulingDisabled' : ''),
  involved: ({ involvedObject }) => reference(involvedObject).replace(/^[^/]*/, (kind) => kind.toLowerCase()),
  suspend: ({ spec }) => (spec?.['suspend'] === true ? 'True' : 'False'),
  ports: ({ spec }) =>
    list(spec, 'ports')
      .map((port) => `${String(valueAt(port, 'port'))}/${text(port, 'protocol') || 'TCP'}`)
      .join(),
  endpointPorts: (slice) =>
    list(slice, 'ports')
      .map((port) => String(valueAt(port, 'port')))
      .join(),
  endpoints: (slice) =>
    list(slice, 'endpoints')
      .flatMap((each) => list(each, 'addresses'))
      .join(),
  scaled: ({ spec }) => reference(spec?.['scaleTargetRef']),
  targets: ({ spec }) => list(spec, 'metrics').map(targetOf).join(', '),
  nodeSelector: ({ spec }) => selectorText({ matchLabels: spec?.template?.spec?.nodeSelector ?? {} }),
}

/**
 * By the name of the store, after the name: `Title=cell` for a text, `Title#cell` for a number or a size, `_` for a
 * space. A cell is one of the above or a field, with what stands for none behind `|`.
 */
const COLUMNS: Record<string, string> = {
  namespaces: 'Status=status.phase Age=age',
  nodes: 'Status=nodeReady Roles=-|<none> Age=age Version=status.nodeInfo.kubeletVersion',
  pods: 'Ready=podReady Status=status.phase Restarts#restarts Age=age',
  events: 'Last_Seen=lastSeen Type=type Reason=reason Object=involved Message=message',
  secrets: 'Type=type Data#data Age=age',
  configmaps: 'Data#data Age=age',
  services:
    'Type=spec.type Cluster-IP=spec.clusterIP|<none> External-IP=spec.externalName|<none> Port(s)=ports Age=age',
  'endpointslices.discovery.k8s.io':
    'AddressType=addressType Ports=endpointPorts|<unset> Endpoints=endpoints|<unset> Age=age',
  'deployments.apps':
    'Ready=ready Up-to-date#status.updatedReplicas Available#status.availableReplicas Age=age',
  'statefulsets.apps': 'Ready=ready Age=age',
  'replicasets.apps': 'Desired#spec.replicas Current#status.replicas Ready#status.readyReplicas Age=age',
  'daemonsets.apps':
    'Desired#status.desiredNumberScheduled Current#status.currentNumberScheduled Ready#status.numberReady ' +
    'Up-to-date#status.updatedNumberScheduled Available#status.numberAvailable Node_Selector=nodeSelector|<none> Age=age',
  'cronjobs.batch':
    'Schedule=spec.schedule Timezone=spec.timeZone|<none> Suspend=suspend Active#status.active Last_Schedule=lastSchedule|<none> Age=age',
  'horizontalpodautoscalers.autoscaling':
    'Reference=scaled Targets=targets MinPods#spec.minReplicas MaxPods#spec.maxReplicas Replicas#status.currentReplicas Age=age',
}

function column(word: string): Column {
  const [, name = '', mark, path = '', none = ''] = /^([^=#]+)([=#])([^|]+)\|?(.*)$/.exec(word) ?? []
  const cell = CELLS[path] ?? ((object: KubeObject) => valueAt(object, path))
  const title = name.replaceAll('_', ' ')
  if (mark !== '#') return { name: title, type: 'string', cell: (object, now) => cell(object, now) || none }
  return { name: title, type: 'integer', cell: (object, now) => sizeOf(cell(object, now)) }
}

const sizeOf = (value: unknown) => (typeof value === 'number' ? value : Object.keys(value ?? {}).length)

const columnsIn = (words: string) =>
  (words.startsWith('Last_Seen') ? words : `Name=name ${words}`).split(' ').map(column)

const BY_STORE = new Map(Object.entries(COLUMNS).map(([store, words]) => [store, columnsIn(words)]))
const OTHERS = columnsIn('Age=age')

/** All other resources show name and age, and `-o wide` shows no more. */
export const columnsOf = (store: string): Column[] => BY_STORE.get(store) ?? OTHERS

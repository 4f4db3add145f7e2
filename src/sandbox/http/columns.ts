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
  data: (object) => Object.keys(object['data'] ?? {}).length,
  suspend: ({ spec }) => (spec?.['suspend'] === true ? 'True' : 'False'),
  active: ({ status }) => list(status, 'active').length,
  ports: ({ spec }) =>
    list(spec, 'ports')
      .map((port) => `${String(valueAt(port, 'port'))}/${text(port, 'protocol') || 'TCP'}`)
      .join(),
  scaled: ({ spec }) => reference(spec?.['scaleTargetRef']),
  targets: ({ spec }) => `cpu: <unknown>/${count(spec, 'targetCPUUtilizationPercentage')}%`,
  nodeSelector: ({ spec }) => selectorText({ matchLabels: spec?.template?.spec?.nodeSelector ?? {} }),
}

/**
 * By the name of the store: `Name=cell` for a text and `Name#cell` for a number, `_` for a space.
 * A cell is one of the above or a field, with what stands for none behind `|`.
 */
const COLUMNS: Record<string, string> = {
  namespaces: 'Name=name Status=status.phase Age=age',
  nodes: 'Name=name Status=nodeReady Roles=-|<none> Age=age Version=status.nodeInfo.kubeletVersion',
  pods: 'Name=name Ready=podReady Status=status.phase Restarts#restarts Age=age',
  events: 'Last_Seen=lastSeen Type=type Reason=reason Object=involved Message=message',
  secrets: 'Name=name Type=type Data#data Age=age',
  configmaps: 'Name=name Data#data Age=age',
  services:
    'Name=name Type=spec.type Cluster-IP=spec.clusterIP|<none> External-IP=spec.externalName|<none> Port(s)=ports Age=age',
  'deployments.apps':
    'Name=name Ready=ready Up-to-date#status.updatedReplicas Available#status.availableReplicas Age=age',
  'statefulsets.apps': 'Name=name Ready=ready Age=age',
  'replicasets.apps':
    'Name=name Desired#spec.replicas Current#status.replicas Ready#status.readyReplicas Age=age',
  'daemonsets.apps':
    'Name=name Desired#status.desiredNumberScheduled Current#status.currentNumberScheduled Ready#status.numberReady ' +
    'Up-to-date#status.updatedNumberScheduled Available#status.numberAvailable Node_Selector=nodeSelector|<none> Age=age',
  'cronjobs.batch':
    'Name=name Schedule=spec.schedule Timezone=spec.timeZone|<none> Suspend=suspend Active#active Last_Schedule=lastSchedule|<none> Age=age',
  'horizontalpodautoscalers.autoscaling':
    'Name=name Reference=scaled Targets=targets MinPods#spec.minReplicas MaxPods#spec.maxReplicas Replicas#status.currentReplicas Age=age',
}

function column(word: string): Column {
  const [, name = '', mark, path = '', none = ''] = /^([^=#]+)([=#])([^|]+)\|?(.*)$/.exec(word) ?? []
  const cell = CELLS[path] ?? ((object: KubeObject) => valueAt(object, path))
  const [type, other] = mark === '#' ? (['integer', 0] as const) : (['string', none] as const)
  return { name: name.replaceAll('_', ' '), type, cell: (object, now) => cell(object, now) || other }
}

const columnsIn = (words: string) => words.split(' ').map(column)

const BY_STORE = new Map(Object.entries(COLUMNS).map(([store, words]) => [store, columnsIn(words)]))
const OTHERS = columnsIn('Name=name Age=age')

/** All other resources show name and age, and `-o wide` shows no more. */
export const columnsOf = (store: string): Column[] => BY_STORE.get(store) ?? OTHERS

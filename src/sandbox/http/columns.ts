import { count, isRecord, list, text } from '../store/object.ts'
import type { KubeObject } from '../store/object.ts'

export interface Column {
  name: string
  /** As in OpenAPI. */
  type: 'string' | 'integer'
  cell: (object: KubeObject, now: number) => string | number
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

const string = (name: string, cell: Column['cell']): Column => ({ name, type: 'string', cell })
const integer = (name: string, cell: Column['cell']): Column => ({ name, type: 'integer', cell })
const status = (name: string, field: string) => integer(name, (object) => count(object.status, field))

const NAME = string('Name', ({ metadata }) => metadata.name)
const AGE = string('Age', ({ metadata }, now) => since(metadata.creationTimestamp, now))
const READY = string(
  'Ready',
  (object) => `${count(object.status, 'readyReplicas')}/${object.spec?.replicas ?? 0}`,
)

function podReady(pod: KubeObject): string {
  const states = list(pod.status, 'containerStatuses')
  const ready = states.filter((state) => isRecord(state) && state['ready'] === true).length
  return `${ready}/${pod.spec?.containers?.length ?? 0}`
}

const involved = ({ involvedObject }: KubeObject) =>
  `${text(involvedObject, 'kind').toLowerCase()}/${text(involvedObject, 'name')}`

const lastSeen = (event: KubeObject) =>
  event['lastTimestamp'] ?? event['eventTime'] ?? event.metadata.creationTimestamp

/** By the name of the store; all other resources show name and age, and `-o wide` shows no more. */
const COLUMNS: Record<string, Column[]> = {
  namespaces: [NAME, string('Status', (object) => text(object.status, 'phase')), AGE],
  pods: [NAME, string('Ready', podReady), string('Status', (pod) => text(pod.status, 'phase')), AGE],
  events: [
    string('Last Seen', (event, now) => since(lastSeen(event), now)),
    string('Type', (event) => text(event, 'type')),
    string('Reason', (event) => text(event, 'reason')),
    string('Object', involved),
    string('Message', (event) => text(event, 'message').trim()),
  ],
  'deployments.apps': [
    NAME,
    READY,
    status('Up-to-date', 'updatedReplicas'),
    status('Available', 'availableReplicas'),
    AGE,
  ],
  'statefulsets.apps': [NAME, READY, AGE],
  'replicasets.apps': [
    NAME,
    integer('Desired', (object) => object.spec?.replicas ?? 0),
    status('Current', 'replicas'),
    status('Ready', 'readyReplicas'),
    AGE,
  ],
  'daemonsets.apps': [
    NAME,
    status('Desired', 'desiredNumberScheduled'),
    status('Current', 'currentNumberScheduled'),
    status('Ready', 'numberReady'),
    status('Available', 'numberAvailable'),
    AGE,
  ],
  'cronjobs.batch': [
    NAME,
    string('Schedule', (object) => text(object.spec, 'schedule')),
    string('Suspend', (object) => (object.spec?.['suspend'] === true ? 'True' : 'False')),
    AGE,
  ],
}

export function columnsOf(store: string): Column[] {
  return COLUMNS[store] ?? [NAME, AGE]
}

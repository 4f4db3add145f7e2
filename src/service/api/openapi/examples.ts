import { noneOfAll, type NamespaceRecord } from '../../../domain/records/namespace-record.ts'
import { SAVED_OVER } from '../../../domain/records/replica-time.ts'
import { policyRecord, type StatusRecord, type TransitionRecord } from '../../../domain/records/record.ts'
import { effectiveSettings } from '../../../domain/policy/effective.ts'
import { DEFAULT_POLICY } from '../../../domain/workload/settings-rules.ts'
import { KINDS } from '../../../domain/workload/workload.ts'
import { HTTP_STATUS, type ErrorCode } from '../../../process/errors.ts'
import { countsOf, summaryOf } from '../../../domain/records/bulk.ts'
import type { BulkItem } from '../bulk/item.ts'

const timestamp = '2026-03-03T19:00:00.000Z'
const reason = 'asleep by schedule 8:00-18:00,Mon-Fri (Europe/Berlin) until 2026-03-04T07:00:00Z'
const wake: TransitionRecord = {
  at: '2026-03-04T07:00:00.000Z',
  type: 'wake',
  reason: 'schedule 8:00-18:00,Mon-Fri (Europe/Berlin)',
}

const unset = policyRecord({
  effective: effectiveSettings({}, undefined, DEFAULT_POLICY),
  schedule: undefined,
})

const sleeper: StatusRecord = {
  name: 'web',
  namespace: 'shop',
  type: 'deployment',
  enabled: true,
  current_replicas: 0,
  last_replicas: 3,
  ready_replicas: 0,
  phase: 'asleep',
  held_by: null,
  is_snoozed: true,
  snooze_requested: false,
  wake_requested: false,
  snoozed_at: '2026-03-03T17:00:00.012Z',
  woken_at: '2026-03-03T07:00:00.009Z',
  wake_schedule: '8:00-18:00,Mon-Fri',
  timezone: 'Europe/Berlin',
  has_manual_override: false,
  manual_override_until: null,
  pin_state: 'none',
  in_backoff_period: false,
  backoff_until: null,
  late: false,
  trouble: null,
  waits_for: 'pods',
  operation_in_progress: false,
  recent_operations: 0,
  operation_history: [
    {
      type: 'snooze',
      trigger: 'schedule',
      timestamp: '2026-03-03T17:00:00.012Z',
      replicas: 0,
      duration: 2140,
      by: null,
      result: 'succeeded',
    },
  ],
  next_transition: wake,
  policy: {
    ...unset,
    enabled: { value: true, source: 'namespace/shop' },
    schedule: { value: '8:00-18:00,Mon-Fri', source: 'workload' },
    timezone: { value: 'Europe/Berlin', source: 'policy/dev' },
  },
  reason,
  reason_code: 'schedule',
  reason_values: {
    schedule: '8:00-18:00,Mon-Fri',
    timezone: 'Europe/Berlin',
    calendar: '',
    source: 'workload',
    until: '2026-03-04T07:00:00Z',
  },
  remedy: null,
}

const inBulk: readonly BulkItem[] = [
  {
    kind: 'deployments',
    name: 'checkout',
    result: 'refused',
    code: 'PINNED',
    message:
      'pinned asleep by k8s:alice since 2026-03-02T09:12:44Z; to let it go: DELETE /api/v1/namespaces/shop/deployments/checkout/pin',
    operation_in_progress: false,
  },
  {
    kind: 'deployments',
    name: 'web',
    result: 'done',
    code: null,
    message: 'woken to 3 replicas: awake by request of k8s:bob; sleeps 2026-03-04T18:00:00Z',
    operation_in_progress: true,
  },
]

const saved = {
  replica_seconds: 1_036_800,
  cpu_core_seconds: 259_200,
  memory_byte_seconds: 278_306_955_264_000,
  money: { amount: 2.519993, currency: 'EUR' },
}

const shop: NamespaceRecord = {
  name: 'shop',
  workloads: 2,
  counts: { deployments: { ...noneOfAll(), pinned_snoozed: 1, snoozed: 1 } },
  late: 0,
  next_transition: { at: wake.at, type: wake.type, workloads: 1 },
  saved: { since: new Date(Date.parse(timestamp) - SAVED_OVER).toISOString(), ...saved },
  saved_by_team: { checkout: saved },
  policy: {
    ...unset,
    enabled: { value: true, source: 'policy/dev' },
    schedule: { value: '7:00-19:00,Mon-Fri', source: 'namespace/shop' },
    timezone: { value: 'Europe/Berlin', source: 'policy/dev' },
  },
}

function success(message: string, data: unknown, more: object = {}): object {
  return { success: true, message, data, ...more, timestamp }
}

/** The answer to `GET /api/v1`. */
export const INDEX = {
  openapi: '/api/v1/openapi.json',
  workloads: '/api/v1/workloads',
  namespaces: '/api/v1/namespaces',
  workload: '/api/v1/namespaces/{namespace}/{kind}/{name}',
  kinds: KINDS,
  cluster: 'dev',
  user: 'alice',
  may_change: true,
}

/** An example for each body and answer of the document, by the name of its schema. */
export const EXAMPLES = {
  Setting: { schedule: '8:00-18:00,Mon-Fri', timezone: 'Europe/Berlin' },
  Override: { duration: '24h' },
  Nothing: {},
  StatusAnswer: success(reason, sleeper),
  ListAnswer: success('1 workload', [sleeper], { continue: null }),
  PlanAnswer: success('1 transition in the next 48 hours', [wake], { continue: null }),
  BulkAnswer: success(summaryOf(inBulk), { items: inBulk, counts: countsOf(inBulk) }),
  NamespaceAnswer: success('2 workloads', shop),
  NamespacesAnswer: success('1 namespace', [shop], { continue: null }),
  IndexAnswer: success('see /api/v1/openapi.json for all paths', INDEX),
} as const

/** An error answer with this code. */
export function errorExample(code: ErrorCode, message: string = ERRORS[HTTP_STATUS[code]]): object {
  const details = { request_id: '220b8956-8560-4903-944e-5062acc7230e' }
  return { success: false, error: { code, message, details }, timestamp }
}

const ERRORS: Readonly<Record<(typeof HTTP_STATUS)[ErrorCode], string>> = {
  400: 'query /for must be a duration such as 90s, 1h30m or 2d, from 1m to 365d',
  401: 'a token is needed: send Authorization: Bearer <token>',
  403: 'k8s:alice may not update deployments.apps/scale in the namespace shop: ask for a Role that allows it',
  404: 'there is no deployment web in the namespace shop: check both names',
  405: 'GET does nothing here: use POST',
  409: 'not managed by Dormouse; to manage it: POST /api/v1/namespaces/shop/deployments/web/enable',
  413: 'the body is larger than 16384 bytes: send less',
  415: 'a body must be JSON: send Content-Type: application/json',
  422: 'dormouse.dev/state cannot be read: not JSON; to repair it: POST /api/v1/namespaces/shop/deployments/web/enable',
  429: 'at most 20 requests a second, and 40 at once: slow down',
  500: 'this is a fault of Dormouse: report it with the request id 220b8956-8560-4903-944e-5062acc7230e',
  502: 'patch deployments shop/web: the cluster refused: exceeded quota',
  503: 'deployments are not all known now: try again',
}

import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard'
import { newDashboard, withRows } from './dashboard.ts'
import { ADMISSION } from './operations/admission.ts'
import { API } from './operations/api.ts'
import { CLUSTER } from './operations/cluster.ts'
import { HEALTH } from './operations/health.ts'
import { PROCESS } from './operations/process.ts'
import { SCHEDULES } from './operations/schedules.ts'

/** For operators of Dormouse: whether it is healthy, and if not, which part. */
export function operations(): Dashboard {
  const dashboard = newDashboard(
    'dormouse-operations',
    'Dormouse / Operations',
    'Whether Dormouse is healthy: schedules, admission, API, the API server and the processes.',
  ).time({ from: 'now-6h', to: 'now' })
  return withRows(dashboard, [HEALTH, SCHEDULES, ADMISSION, API, CLUSTER, PROCESS]).build()
}

import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard'
import { newDashboard, withRows } from './dashboard.ts'
import { NOW } from './overview/now.ts'
import { OPERATIONS_ROW } from './overview/operations.ts'
import { SAVINGS } from './overview/savings.ts'
import { WAVES } from './overview/waves.ts'

/** For teams: which workloads sleep, what that saves, what comes next and what failed. */
export function overview(): Dashboard {
  const dashboard = newDashboard(
    'dormouse-overview',
    'Dormouse / Overview',
    'Which workloads sleep, what that saves, which will sleep and wake next, and what failed.',
  )
  return withRows(dashboard, [NOW, SAVINGS, WAVES, OPERATIONS_ROW]).build()
}

import { TextBoxVariableBuilder, type Dashboard } from '@grafana/grafana-foundation-sdk/dashboard'
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
    .withVariable(price('cpu_price', 'Price of a core per hour', '0.03'))
    .withVariable(price('memory_price', 'Price of a GiB per hour', '0.004'))
  return withRows(dashboard, [NOW, SAVINGS, WAVES, OPERATIONS_ROW]).build()
}

function price(name: string, label: string, value: string): TextBoxVariableBuilder {
  return new TextBoxVariableBuilder(name)
    .label(label)
    .description('In your currency; your cloud bill has it.')
    .defaultValue(value)
    .current({ text: value, value })
}

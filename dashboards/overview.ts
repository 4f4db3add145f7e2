import { TextBoxVariableBuilder, type Dashboard } from '@grafana/grafana-foundation-sdk/dashboard'
import { newDashboard, withRows } from './dashboard.ts'
import { NOW } from './overview/now.ts'
import { OPERATIONS_ROW } from './overview/operations.ts'
import { SAVINGS } from './overview/savings.ts'
import { WAVES } from './overview/waves.ts'

/** For those who pay and those who sleep: what is asleep, what it saves, what comes next, what failed. */
export function overview(): Dashboard {
  const dashboard = newDashboard(
    'dormouse-overview',
    'Dormouse / Overview',
    'What sleeps, what that saves, what will sleep and wake next, and what failed.',
  )
    .withVariable(price('cpu_price', 'Price of a core an hour', '0.03'))
    .withVariable(price('memory_price', 'Price of a GiB an hour', '0.004'))
  return withRows(dashboard, [NOW, SAVINGS, WAVES, OPERATIONS_ROW]).build()
}

function price(name: string, label: string, value: string): TextBoxVariableBuilder {
  return new TextBoxVariableBuilder(name)
    .label(label)
    .description('In your currency: ask your bill.')
    .defaultValue(value)
    .current({ text: value, value })
}

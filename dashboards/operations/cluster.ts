import type { Row } from '../dashboard.ts'
import { bars, graph } from '../panels.ts'
import { perStep, quantiles, rate } from '../queries.ts'
import { bad, PLAIN } from '../thresholds.ts'

const CALLS = 'dormouse_kubernetes_requests_total'

export const CLUSTER: Row = {
  id: 80,
  title: 'The Kubernetes API server',
  panels: [
    graph({
      id: 81,
      title: 'Calls to the API server',
      description:
        'Calls of Dormouse to the API server. At rest there are almost none: Leases, and a new watch every few minutes.',
      unit: 'reqps',
      thresholds: PLAIN,
      stacked: true,
      queries: [{ expr: rate(CALLS, ['verb', 'resource']), legend: '{{verb}} {{resource}}' }],
      width: 12,
    }),
    graph({
      id: 82,
      title: 'Answers of the API server',
      description:
        '0: no answer; 403: the ClusterRole lacks a right; 409 and 422: a workload changed meanwhile, and Dormouse decides again; 429: the API server is busy.',
      unit: 'reqps',
      thresholds: PLAIN,
      stacked: true,
      queries: [{ expr: rate(CALLS, ['code']), legend: '{{code}}' }],
      width: 12,
    }),
    graph({
      id: 83,
      title: 'API server latency',
      description: 'How long calls took until the answer, and watches until they began. p99, by verb.',
      unit: 's',
      thresholds: bad(1, 5),
      queries: quantiles('dormouse_kubernetes_request_duration_seconds', ['verb'], [0.99]),
      width: 12,
    }),
    bars({
      id: 84,
      title: 'Watch restarts',
      description:
        'ended: the API server ends each watch every few minutes, which is normal; expired: a new list was needed; all other reasons are failures. On all replicas.',
      unit: 'short',
      decimals: 0,
      thresholds: PLAIN,
      queries: [
        { expr: perStep('dormouse_watch_restarts_total', ['kind', 'reason']), legend: '{{kind}} {{reason}}' },
      ],
      width: 12,
    }),
  ],
}

import type { Row } from '../dashboard.ts'
import { graph } from '../panels.ts'
import { quantiles, rate, selected } from '../queries.ts'
import { bad, good, PLAIN } from '../thresholds.ts'

const REVIEWS = 'dormouse_admission_reviews_total'

export const ADMISSION: Row = {
  id: 40,
  title: 'Admission',
  panels: [
    graph({
      id: 41,
      title: 'Admission latency',
      description:
        'How long Dormouse took for a review, without the time on the network. The API server waits 3 s; then it refuses a scaling, and lets any other update through.',
      unit: 's',
      thresholds: bad(1, 3),
      limits: true,
      queries: quantiles('dormouse_admission_duration_seconds', ['webhook']),
      width: 6,
    }),
    graph({
      id: 42,
      title: 'Admission decisions',
      description:
        'scale: manual scaling; workloads: all other changes. Reviews denied as pinned or overridden are normal.',
      unit: 'reqps',
      thresholds: PLAIN,
      stacked: true,
      queries: [
        {
          expr: rate(REVIEWS, ['webhook', 'decision', 'reason']),
          legend: '{{webhook}} {{decision}}: {{reason}}',
        },
      ],
      width: 6,
    }),
    graph({
      id: 43,
      title: 'Admission faults',
      description:
        'failed: a fault of Dormouse, see the log. unchecked: Dormouse could not read the workload from the API server in time (403: a role is missing), so the scaling was refused.',
      unit: 'reqps',
      thresholds: bad(0.01),
      queries: [
        {
          expr: rate(REVIEWS, ['webhook', 'reason'], 'reason=~"failed|unchecked"'),
          legend: '{{webhook}}: {{reason}}',
        },
      ],
      width: 6,
    }),
    graph({
      id: 44,
      title: 'Webhook reached',
      description:
        'In every chosen cluster: 1: the leader saw the API server reach the webhook; manual scaling is refused while Dormouse is down. 0: it did not; manual scaling goes through unchecked.',
      unit: 'short',
      decimals: 0,
      thresholds: good(1, 1),
      max: 1,
      queries: [
        {
          expr: `min(max by (cluster) (${selected('dormouse_webhook_proven')}))`,
          legend: 'reached',
        },
      ],
      width: 6,
    }),
  ],
}

import type { Row } from '../dashboard.ts'
import { graph } from '../panels.ts'
import { quantiles, rate } from '../queries.ts'
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
        'How long reviews took, without the way to us. The API server waits 3 s; then it refuses a scaling, and lets any other update through.',
      unit: 's',
      thresholds: bad(1, 3),
      limits: true,
      queries: quantiles('dormouse_admission_duration_seconds', ['webhook']),
      width: 6,
    }),
    graph({
      id: 42,
      title: 'Verdicts',
      description:
        'scale: manual scaling; workloads: all other changes. denied by pinned or overridden is Dormouse doing its work.',
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
        'failed: a fault of ours, see the log; unchecked: the API server did not show us the workload, in time or at all (403: a role), so a scaling was refused.',
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
        '1: the leader saw the API server reach the webhook, so that manual scaling fails without it. 0: it did not; scaling goes on unchecked.',
      unit: 'short',
      decimals: 0,
      thresholds: good(1, 1),
      max: 1,
      queries: [{ expr: 'max(dormouse_webhook_proven)', legend: 'reached' }],
      width: 6,
    }),
  ],
}

import type { Row } from '../dashboard.ts'
import { graph } from '../panels.ts'
import { quantiles, rate } from '../queries.ts'
import { bad, PLAIN } from '../thresholds.ts'

const REQUESTS = 'dormouse_http_requests_total'

export const API: Row = {
  id: 60,
  title: 'API',
  panels: [
    graph({
      id: 61,
      title: 'API latency',
      description: 'How long the API took to answer, requests that wait for pods (?wait) included.',
      unit: 's',
      thresholds: bad(1, 5),
      queries: quantiles('dormouse_http_request_duration_seconds', [], [0.5, 0.9, 0.99]),
      width: 8,
    }),
    graph({
      id: 62,
      title: 'Status codes',
      description:
        '401: the token; 403: what it may do; 409: pinned, in backoff, not enabled; 422: unreadable state; 429: too many requests; 502 and 503: the cluster; 500: a fault of ours.',
      unit: 'reqps',
      thresholds: PLAIN,
      stacked: true,
      queries: [{ expr: rate(REQUESTS, ['code']), legend: '{{code}}' }],
      width: 8,
    }),
    graph({
      id: 63,
      title: 'Errors of servers',
      description:
        'The part of the answers that are 5xx: the cluster refused or did not answer, or we failed.',
      unit: 'percentunit',
      thresholds: bad(0.01, 0.1),
      limits: true,
      max: 1,
      queries: [
        {
          expr: `(${rate(REQUESTS, [], 'code=~"5.."')} or vector(0)) / ${rate(REQUESTS, [])}`,
          legend: '5xx',
        },
      ],
      width: 8,
    }),
    graph({
      id: 64,
      title: 'Routes',
      description: 'What is asked for. "none": a path that does not exist.',
      unit: 'reqps',
      thresholds: PLAIN,
      queries: [{ expr: rate(REQUESTS, ['method', 'route']), legend: '{{method}} {{route}}' }],
      width: 24,
    }),
  ],
}

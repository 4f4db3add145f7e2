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
      description: 'How long the API took to answer. Requests that wait for pods (?wait) are included.',
      unit: 's',
      thresholds: bad(1, 5),
      queries: quantiles('dormouse_http_request_duration_seconds', [], [0.5, 0.9, 0.99]),
      width: 8,
    }),
    graph({
      id: 62,
      title: 'Status codes',
      description:
        '401: the token is not valid; 403: its user may not do this; 409: pinned, in backoff or not enabled; 422: the state cannot be read; 429: too many requests; 502 and 503: the cluster refused or did not answer; 500: a fault of Dormouse.',
      unit: 'reqps',
      thresholds: PLAIN,
      stacked: true,
      queries: [{ expr: rate(REQUESTS, ['code']), legend: '{{code}}' }],
      width: 8,
    }),
    graph({
      id: 63,
      title: 'Server errors',
      description:
        'The share of 5xx among the answers: the cluster refused or did not answer, or Dormouse failed.',
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
      description: 'Requests by route. "unmatched": a path that does not exist.',
      unit: 'reqps',
      thresholds: PLAIN,
      queries: [{ expr: rate(REQUESTS, ['method', 'route']), legend: '{{method}} {{route}}' }],
      width: 24,
    }),
  ],
}

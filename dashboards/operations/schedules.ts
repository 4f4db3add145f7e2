import type { Row } from '../dashboard.ts'
import { graph } from '../panels.ts'
import { ofLeader, perStep, quantiles, rate } from '../queries.ts'
import { bad, PLAIN } from '../thresholds.ts'

const DURATION = 'dormouse_operation_duration_seconds'

function followed(id: number, title: string, type: string, description: string) {
  return graph({
    id,
    title,
    description,
    unit: 's',
    thresholds: bad(60, 600),
    queries: [0.5, 0.9, 0.99].map((q) => ({
      expr: `histogram_quantile(${q}, ${rate(`${DURATION}_bucket`, ['le'], `type="${type}"`)})`,
      legend: `p${q * 100}`,
    })),
    width: 8,
  })
}

export const SCHEDULES: Row = {
  id: 20,
  title: 'Schedules and operations',
  panels: [
    graph({
      id: 21,
      title: 'Schedule lag',
      description:
        "Time from a schedule's edge to the patch that carries it out. The target is 1 s; in a large wave, or with controller.wakesPerSecond, it is longer.",
      unit: 's',
      thresholds: bad(1, 60),
      limits: true,
      queries: quantiles('dormouse_schedule_lag_seconds', [], [0.5, 0.9, 0.99]),
      width: 8,
    }),
    followed(
      22,
      'From wake to ready',
      'wake',
      'Time from the patch until all pods were ready, for wakes that succeeded. If it is long, look at the pods: images, nodes, probes.',
    ),
    followed(
      23,
      'From snooze to gone',
      'snooze',
      'Time from the patch until no pod was left, for snoozes that succeeded. If it is long, look at the pods: grace periods, finalizers.',
    ),
    graph({
      id: 24,
      title: 'Queue',
      description:
        'Workloads that wait for a worker. A short peak at an edge is a wave; a peak that stays is a fault.',
      unit: 'short',
      decimals: 0,
      thresholds: bad(1000),
      queries: [{ expr: ofLeader('dormouse_queue_depth', []), legend: 'waiting' }],
      width: 6,
    }),
    graph({
      id: 25,
      title: 'Wait in the queue',
      description: 'How long workloads waited for a worker. Requests and wakes go before snoozes.',
      unit: 's',
      thresholds: bad(1, 60),
      limits: true,
      queries: quantiles('dormouse_queue_wait_seconds'),
      width: 6,
    }),
    graph({
      id: 26,
      title: 'Events dropped',
      description: 'Kubernetes Events that were dropped, to spare the API server. Nothing else is lost.',
      unit: 'ops',
      thresholds: PLAIN,
      queries: [{ expr: rate('dormouse_events_dropped_total', []), legend: 'dropped' }],
      width: 6,
    }),
    graph({
      id: 27,
      title: 'Writes withheld',
      description:
        'Workloads that were written too often, since something undoes the writes of Dormouse. The Event TooManyWrites names each workload.',
      unit: 'short',
      decimals: 0,
      thresholds: bad(1),
      queries: [{ expr: perStep('dormouse_writes_withheld_total', ['kind']), legend: '{{kind}}' }],
      width: 6,
    }),
    graph({
      id: 28,
      title: 'Services that wake on traffic',
      description:
        'EndpointSlices that lead the traffic of sleeping Services to wakers, and the wakers that are ready; neither without waker.enabled.',
      unit: 'short',
      decimals: 0,
      thresholds: PLAIN,
      queries: [
        { expr: ofLeader('dormouse_traffic_slices', []), legend: 'slices' },
        { expr: ofLeader('dormouse_traffic_wakers', []), legend: 'wakers' },
      ],
      width: 12,
    }),
    graph({
      id: 29,
      title: 'Writes of these slices',
      description:
        'One each as a Service falls asleep, as its first pod is ready, and as wakers come and go. If they fail, the Event NoWakeOnTraffic says why.',
      unit: 'short',
      decimals: 0,
      thresholds: PLAIN,
      queries: [
        {
          expr: perStep('dormouse_traffic_slice_writes_total', ['action', 'result']),
          legend: '{{action}} {{result}}',
        },
      ],
      width: 12,
    }),
  ],
}

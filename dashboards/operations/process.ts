import type { Row } from '../dashboard.ts'
import { graph } from '../panels.ts'
import { ofOurs, REPLICA } from '../queries.ts'
import { bad, PLAIN } from '../thresholds.ts'

export const PROCESS: Row = {
  id: 100,
  title: 'Process',
  panels: [
    graph({
      id: 101,
      title: 'CPU',
      description: 'CPU of each replica. A replica works on one core, so that 1 is its limit.',
      unit: 'suffix: cores',
      thresholds: bad(0.8, 1),
      queries: [
        {
          expr: ofOurs('rate(process_cpu_seconds_total[$__rate_interval])'),
          legend: REPLICA,
        },
      ],
      width: 6,
    }),
    graph({
      id: 102,
      title: 'Memory',
      description:
        'Resident memory of each replica, and its heap in use. If one grows without end, memory leaks.',
      unit: 'bytes',
      thresholds: PLAIN,
      queries: [
        { expr: ofOurs('process_resident_memory_bytes'), legend: `${REPLICA} resident` },
        { expr: ofOurs('nodejs_heap_size_used_bytes'), legend: `${REPLICA} heap` },
      ],
      width: 6,
    }),
    graph({
      id: 103,
      title: 'Event loop lag',
      description: 'How late timers fire (p99). The lag delays reviews and edges alike.',
      unit: 's',
      thresholds: bad(0.25, 1),
      limits: true,
      queries: [{ expr: ofOurs('nodejs_eventloop_lag_p99_seconds'), legend: REPLICA }],
      width: 6,
    }),
    graph({
      id: 104,
      title: 'Open files',
      description: 'Mostly sockets: ten to the API server, and one for each client and review.',
      unit: 'short',
      decimals: 0,
      thresholds: bad(1000),
      queries: [{ expr: ofOurs('process_open_fds'), legend: REPLICA }],
      width: 6,
    }),
  ],
}

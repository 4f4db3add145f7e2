import { TRIGGER, TRIGGERS } from '../../src/domain/workload/trigger.ts'
import type { WorkloadState } from '../../src/domain/records/workload-state.ts'
import type { Row } from '../dashboard.ts'
import { bars, graph, stat } from '../panels.ts'
import { CHOSEN, ofLeader, overRange, perStep, summed } from '../queries.ts'
import { bad, PLAIN } from '../thresholds.ts'

const OPERATIONS = 'dormouse_operations_total'

function ended(id: number, title: string, filter: string, description: string) {
  return stat({
    id,
    title,
    description: `${description} In all namespaces, in the chosen time range.`,
    unit: 'short',
    decimals: 0,
    thresholds: bad(1, 10),
    queries: [{ expr: overRange(OPERATIONS, [], filter), legend: title }],
    width: 6,
  })
}

/** A state that never occurred has no series: it counts as 0. */
function inState(id: number, title: string, state: WorkloadState, description: string) {
  const seen = ofLeader('dormouse_workloads', ['namespace', 'kind'], `state="${state}", ${CHOSEN}`)
  const any = ofLeader('dormouse_workloads', ['namespace'], CHOSEN)
  return graph({
    id,
    title,
    description,
    unit: 'short',
    decimals: 0,
    thresholds: bad(1),
    stacked: true,
    queries: [{ expr: `${summed(seen, ['namespace'])} or 0 * ${any}`, legend: '{{namespace}}' }],
    width: 8,
  })
}

export const OPERATIONS_ROW: Row = {
  id: 60,
  title: 'Operations',
  panels: [
    ended(61, 'Failed wakes', 'type="wake", result="failed"', 'Wakes that the cluster refused.'),
    ended(
      62,
      'Late wakes',
      'type="wake", result="timed_out"',
      'Wakes whose pods were not ready within operationTimeout.',
    ),
    ended(63, 'Failed snoozes', 'type="snooze", result="failed"', 'Snoozes that the cluster refused.'),
    ended(
      64,
      'Late snoozes',
      'type="snooze", result="timed_out"',
      'Snoozes whose pods were not gone within operationTimeout.',
    ),
    bars({
      id: 65,
      title: 'Operations by trigger',
      description: `What triggered operations: ${TRIGGERS.map((trigger) => TRIGGER[trigger].name).join(', ')}. In all namespaces.`,
      unit: 'short',
      decimals: 0,
      thresholds: PLAIN,
      queries: [{ expr: perStep(OPERATIONS, ['type', 'trigger']), legend: '{{type}} by {{trigger}}' }],
      width: 12,
    }),
    bars({
      id: 66,
      title: 'Operations that did not succeed',
      description:
        'failed: the cluster refused; timed_out: the pods did not follow in time; superseded: the opposite operation began before the pods had followed, which is normal. In all namespaces.',
      unit: 'short',
      decimals: 0,
      thresholds: bad(1),
      queries: [
        {
          expr: perStep(OPERATIONS, ['type', 'result'], 'result!="succeeded"'),
          legend: '{{type}} {{result}}',
        },
      ],
      width: 12,
    }),
    inState(
      67,
      'In backoff',
      'backoff',
      'Workloads whose automatic behaviour waits: they were switched too often, or the cluster refused. The field reason of the API says which.',
    ),
    inState(
      68,
      'Unreadable',
      'invalid',
      'Workloads whose state annotation cannot be read, so that Dormouse does not write to them. kubectl annotate … dormouse.dev/request=repair repairs one.',
    ),
    graph({
      id: 69,
      title: 'Overdue by type',
      description:
        'Workloads that should be asleep or awake by now and are not, and those that rightly wait for lower numbers of wake-order or sleep-order. A short peak at an edge is a wave. In all namespaces.',
      unit: 'short',
      decimals: 0,
      thresholds: bad(1),
      queries: [
        { expr: ofLeader('dormouse_overdue_transitions', ['type']), legend: '{{type}}' },
        { expr: ofLeader('dormouse_order_waiting', ['type']), legend: '{{type}}, waiting by its order' },
      ],
      width: 8,
    }),
    graph({
      id: 73,
      title: 'Autoscaler conflicts',
      description:
        'fight: an autoscaler wakes workloads that are asleep, so that Dormouse rests longer each time; held_by_keda: somebody else has paused their ScaledObject. The field reason of the API names it.',
      unit: 'short',
      decimals: 0,
      thresholds: bad(1),
      stacked: true,
      queries: [
        {
          expr: `${ofLeader('dormouse_autoscaler_conflicts', ['namespace', 'reason'], CHOSEN)} or on () vector(0)`,
          legend: '{{namespace}} {{reason}}',
        },
      ],
      width: 16,
    }),
    graph({
      id: 74,
      title: 'Late',
      description:
        'Woken workloads whose pods are still missing after operationTimeout. kubectl dormouse why says what keeps them.',
      unit: 'short',
      decimals: 0,
      thresholds: bad(1),
      stacked: true,
      queries: [
        {
          expr: `${ofLeader('dormouse_late_workloads', ['namespace'], CHOSEN)} or on () vector(0)`,
          legend: '{{namespace}}',
        },
      ],
      width: 8,
    }),
  ],
}

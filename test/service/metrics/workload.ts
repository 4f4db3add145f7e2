import { encodeState } from '../../../src/domain/workload/state-codec.ts'
import { EMPTY_STATE, type State } from '../../../src/domain/workload/state.ts'
import type { Rules } from '../../../src/domain/deciding/rules.ts'
import { ScheduleCompiler } from '../../../src/domain/schedule/schedule.ts'
import { ASLEEP_LABEL, type Workload } from '../../../src/domain/workload/workload.ts'
import { ALONE } from '../../support/rules.ts'

export const NOW = Date.parse('2026-03-02T12:00:00Z')
const HOUR = 3_600_000

const compiler = new ScheduleCompiler()
export const RULES: Rules = {
  policy: {
    timezone: 'UTC',
    operationTimeout: 600_000,
    newWorkloadGrace: 900_000,
    wakeHold: 12 * HOUR,
    backoff: { maxOperations: 6, window: HOUR, base: 300_000, max: HOUR },
  },
  compile: (text, zone) => compiler.compile(text, zone),
  ...ALONE,
}

/** A managed Deployment that runs three pods of half a core and 1000 bytes each. */
export function aWorkload(name = 'web', change: Partial<Workload> = {}): Workload {
  return {
    kind: 'deployments',
    namespace: 'shop',
    name,
    uid: name,
    resourceVersion: '1',
    generation: 1,
    createdAt: NOW - 24 * HOUR,
    deleting: false,
    owner: undefined,
    labels: undefined,
    annotations: { enabled: 'true' },
    hasAnnotations: true,
    otherAnnotationBytes: 0,
    formerRevision: false,
    deletesVolumes: false,
    hasNodeSelector: false,
    snoozeKey: undefined,
    replicas: 3,
    pods: { existing: 3, ready: 3, observedGeneration: 1 },
    replicasManager: undefined,
    ownReplicasEntry: undefined,
    requests: { cpu: 0.5, memory: 1000 },
    ...change,
  }
}

export function withState(workload: Workload, state: Partial<State>): Workload {
  const texts = encodeState({ ...EMPTY_STATE, kind: workload.kind, counter: 1, ...state })
  return { ...workload, annotations: { ...workload.annotations, ...texts } }
}

/** Put to sleep with `replicas` kept. */
export function asleep(workload: Workload, replicas = workload.replicas): Workload {
  const marks = { replicas: 0, labels: { [ASLEEP_LABEL]: String(replicas) } }
  const snoozed = { at: NOW, replicas, trigger: 'api' as const, by: 'k8s:me' }
  return withState({ ...workload, ...marks }, { asleep: true, snoozed })
}

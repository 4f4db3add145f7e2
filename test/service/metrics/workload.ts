import { encodeState } from '../../../src/domain/workload/state-codec.ts'
import { EMPTY_STATE, type State } from '../../../src/domain/workload/state.ts'
import { ASLEEP_LABEL, type Workload } from '../../../src/domain/workload/workload.ts'
import { aDeployment } from '../../support/workloads.ts'

export const NOW = Date.parse('2026-03-02T12:00:00Z')

/** A managed Deployment that runs three pods of half a core and 1000 bytes each. */
export function aWorkload(name = 'web', change: Partial<Workload> = {}): Workload {
  const requests = { cpu: 0.5, memory: 1000 }
  return aDeployment(`shop/${name}`)
    .withReplicas(3)
    .enabled()
    .with({ requests, ...change })
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

import { keyOf, type Workload, type WorkloadKey } from '../domain/workload.ts'

/** Which Deployments other workloads scale in place of their own pods: Rollouts, by `spec.workloadRef`. */
export class Scalers {
  /** By the Deployment's key, all that name it. */
  readonly #scalers = new Map<string, Map<string, WorkloadKey>>()

  changed(before: Workload | undefined, after: Workload | undefined): void {
    if (before && before.configured?.scales !== after?.configured?.scales) this.#remove(before)
    if (!after) return
    const deployment = deploymentOf(after)
    if (deployment === undefined) return
    const { kind, namespace, name } = after
    const known = this.#scalers.get(deployment) ?? new Map<string, WorkloadKey>()
    this.#scalers.set(deployment, known.set(keyOf(after), { kind, namespace, name }))
  }

  /** What scales this workload; undefined: nothing that is known. */
  of(workload: WorkloadKey): WorkloadKey | undefined {
    if (this.#scalers.size === 0 || workload.kind !== 'deployments') return undefined
    return this.#scalers.get(keyOf(workload))?.values().next().value
  }

  #remove(workload: Workload): void {
    const deployment = deploymentOf(workload)
    const known = deployment === undefined ? undefined : this.#scalers.get(deployment)
    known?.delete(keyOf(workload))
    if (deployment !== undefined && known?.size === 0) this.#scalers.delete(deployment)
  }
}

function deploymentOf({ namespace, configured }: Workload): string | undefined {
  const name = configured?.scales
  return name === undefined ? undefined : keyOf({ kind: 'deployments', namespace, name })
}

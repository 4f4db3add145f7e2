import { keyOf, type Workload, type WorkloadKey } from '../domain/workload/workload.ts'

/** Which Deployments other workloads scale in place of their own pods: Rollouts, by `spec.workloadRef`. */
export class Scalers {
  /** By the Deployment's key, all that name it. */
  readonly #scalers = new Map<string, Map<string, WorkloadKey>>()

  /** Returns the Deployments that something else scales now than before, or nothing any more. */
  changed(before: Workload | undefined, after: Workload | undefined): readonly WorkloadKey[] {
    const named = [before, after]
      .map((each) => each && deploymentOf(each))
      .filter((each) => each !== undefined)
    if (named.length === 0) return named
    const former = new Map(named.map((deployment) => [keyOf(deployment), this.of(deployment)]))
    if (before && before.configured?.scales !== after?.configured?.scales) this.#remove(before)
    if (after) this.#add(after)
    const isOther = (deployment: WorkloadKey) => this.of(deployment) !== former.get(keyOf(deployment))
    return named.filter(isOther)
  }

  /** What scales this workload; undefined: nothing that is known. */
  of(workload: WorkloadKey): WorkloadKey | undefined {
    if (this.#scalers.size === 0 || workload.kind !== 'deployments') return undefined
    return this.#scalers.get(keyOf(workload))?.values().next().value
  }

  #add(workload: Workload): void {
    const deployment = keyOfDeployment(workload)
    if (deployment === undefined) return
    const known = this.#scalers.get(deployment) ?? new Map<string, WorkloadKey>()
    const { kind, namespace, name } = workload
    const key = keyOf(workload)
    this.#scalers.set(deployment, known.set(key, known.get(key) ?? { kind, namespace, name }))
  }

  #remove(workload: Workload): void {
    const deployment = keyOfDeployment(workload)
    const known = deployment === undefined ? undefined : this.#scalers.get(deployment)
    known?.delete(keyOf(workload))
    if (deployment !== undefined && known?.size === 0) this.#scalers.delete(deployment)
  }
}

function keyOfDeployment(workload: Workload): string | undefined {
  const deployment = deploymentOf(workload)
  return deployment && keyOf(deployment)
}

function deploymentOf({ namespace, configured }: Workload): WorkloadKey | undefined {
  const name = configured?.scales
  return name === undefined ? undefined : { kind: 'deployments', namespace, name }
}

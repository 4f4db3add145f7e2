import { keyOf, type Workload, type WorkloadKey } from '../domain/workload/workload.ts'

/** Deployments whose pods another workload owns and scales: Rollouts with `spec.workloadRef`. */
export class PodOwners {
  /** By the Deployment's key: all workloads that name it. */
  readonly #owners = new Map<string, Map<string, WorkloadKey>>()

  /** Returns the Deployments whose owner of pods changed. */
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

  /** The workload that owns this one's pods; undefined: none is known. */
  of(workload: WorkloadKey): WorkloadKey | undefined {
    if (this.#owners.size === 0 || workload.kind !== 'deployments') return undefined
    return this.#owners.get(keyOf(workload))?.values().next().value
  }

  #add(workload: Workload): void {
    const deployment = keyOfDeployment(workload)
    if (deployment === undefined) return
    const owners = this.#owners.get(deployment) ?? new Map<string, WorkloadKey>()
    const { kind, namespace, name } = workload
    const key = keyOf(workload)
    this.#owners.set(deployment, owners.set(key, owners.get(key) ?? { kind, namespace, name }))
  }

  #remove(workload: Workload): void {
    const deployment = keyOfDeployment(workload)
    const owners = deployment === undefined ? undefined : this.#owners.get(deployment)
    owners?.delete(keyOf(workload))
    if (deployment !== undefined && owners?.size === 0) this.#owners.delete(deployment)
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

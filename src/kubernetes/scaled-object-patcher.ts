import { pausePatch, type PauseChange } from '../domain/autoscaling/pause.ts'
import { keyOfScaledObject, type ScaledObject } from '../domain/autoscaling/scaled-object.ts'
import { FIELD_MANAGER } from '../domain/workload/workload.ts'
import { Refusal } from '../process/errors.ts'
import type { KubernetesClient } from './client.ts'
import { ClusterRefusal } from './failures.ts'
import { doesNotApply } from './patch-refusals.ts'
import type { Gate } from './patcher.ts'
import type { Pauser, Stopping } from './ports.ts'
import { trimScaledObject, type ScaledObjectResource } from './scaled-object-store.ts'

interface Options {
  readonly client: Pick<KubernetesClient, 'call'>
  /** Stores the result of a patch of a ScaledObject. */
  readonly copy: { applied(scaledObject: ScaledObject): void }
  readonly gate: Gate
}

/** Writes the pause annotations of ScaledObjects, each by one patch with its preconditions. */
export class ScaledObjectPatcher implements Pauser {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /**
   * Sends the change ahead of all others: it belongs to a write that has already waited for its turn.
   * @throws Refusal CONFLICT (it has changed meanwhile, and the watch will deliver the change), NOT_FOUND,
   *   CLUSTER_REJECTED, CLUSTER_UNAVAILABLE; the signals' reasons
   */
  async pause(scaledObject: ScaledObject, change: PauseChange, { signal, cut }: Stopping): Promise<void> {
    const { client, copy, gate } = this.#options
    const send = (timeout: number | undefined) =>
      client.call<ScaledObjectResource>({
        method: 'PATCH',
        resource: 'scaledobjects',
        path: pathOf(scaledObject),
        contentType: 'application/json-patch+json',
        body: pausePatch(scaledObject, change),
        signal: cut,
        ...(timeout === undefined ? {} : { timeout }),
      })
    try {
      const turn = { key: `scaledobjects/${keyOfScaledObject(scaledObject)}`, signal }
      copy.applied(trimScaledObject(await gate.run('follow-up', send, turn)))
    } catch (error) {
      if (error instanceof ClusterRefusal && (error.status === 409 || doesNotApply(error)))
        throw new Refusal(
          'CONFLICT',
          `ScaledObject ${keyOfScaledObject(scaledObject)} was changed by others meanwhile`,
        )
      throw error
    }
  }
}

function pathOf({ namespace, name }: ScaledObject): string {
  const within = `/apis/keda.sh/v1alpha1/namespaces/${encodeURIComponent(namespace)}/scaledobjects`
  return `${within}/${encodeURIComponent(name)}?fieldManager=${FIELD_MANAGER}`
}

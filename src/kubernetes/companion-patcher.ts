import { keyOfCompanion, nameOfCompanion, type Companion } from '../domain/companions/companion.ts'
import { resourceOf } from '../domain/kinds.ts'
import { pausePatch, type PauseChange } from '../domain/companions/pause.ts'
import { FIELD_MANAGER } from '../domain/workload/workload.ts'
import { Refusal } from '../process/errors.ts'
import type { KubernetesObject } from './api-object.ts'
import type { KubernetesClient } from './client.ts'
import { trimCompanion } from './companion-store.ts'
import { ClusterRefusal } from './failures.ts'
import { doesNotApply } from './patch-refusals.ts'
import type { Gate } from './patcher.ts'
import type { Pauser, Stopping } from './ports.ts'

interface Options {
  readonly client: Pick<KubernetesClient, 'call'>
  /** Stores the result of a patch. */
  readonly copy: { applied(companion: Companion): void }
  readonly gate: Gate
}

/** Writes the pauses of companions, each by one patch with its preconditions. */
export class CompanionPatcher implements Pauser {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /**
   * Sends the change ahead of all others: it belongs to a write that has already waited for its turn.
   * @throws Refusal CONFLICT (it has changed meanwhile, and the watch will deliver the change), NOT_FOUND,
   *   CLUSTER_REJECTED, CLUSTER_UNAVAILABLE; the signals' reasons
   */
  async pause(companion: Companion, change: PauseChange, { signal, cut }: Stopping): Promise<void> {
    const { client, copy, gate } = this.#options
    const { row, served } = companion
    const send = (timeout: number | undefined) =>
      client.call<KubernetesObject>({
        method: 'PATCH',
        resource: resourceOf(row.resource).resource,
        path: pathOf(companion),
        contentType: 'application/json-patch+json',
        body: pausePatch(companion, change),
        signal: cut,
        timeout,
      })
    try {
      const written = await gate.run('follow-up', send, { key: keyOfCompanion(companion), signal })
      copy.applied(trimCompanion(row, served, written))
    } catch (error) {
      if (error instanceof ClusterRefusal && (error.status === 409 || doesNotApply(error)))
        throw new Refusal(
          'CONFLICT',
          `${nameOfCompanion(companion)} in ${companion.namespace} was changed by others meanwhile`,
        )
      throw error
    }
  }
}

function pathOf({ row, served, namespace, name }: Companion): string {
  const within = `${served.base}/namespaces/${encodeURIComponent(namespace)}/${resourceOf(row.resource).resource}`
  return `${within}/${encodeURIComponent(name)}?fieldManager=${FIELD_MANAGER}`
}

import { keyOfCompanion, nameOfCompanion, type Companion } from '../domain/companions/companion.ts'
import { pausePatch, type PauseChange } from '../domain/companions/pause.ts'
import type { PatchOperation } from '../domain/json-patch.ts'
import { resourceOf } from '../domain/kinds.ts'
import { givingUp } from '../domain/workload/patch.ts'
import { FIELD_MANAGER } from '../domain/workload/workload.ts'
import { Refusal } from '../process/errors.ts'
import type { KubernetesObject } from './api-object.ts'
import type { KubernetesClient } from './client.ts'
import { trimCompanion } from './companion-store.ts'
import { ClusterRefusal } from './failures.ts'
import { doesNotApply } from './patch-refusals.ts'
import type { Gate } from './patcher.ts'
import type { Pauser, Stopping } from './ports.ts'
import { ownEntryOf } from './trim.ts'

interface Options {
  readonly client: Pick<KubernetesClient, 'call'>
  /** Stores the result of a patch. */
  readonly copy: { applied(companion: Companion): void }
  readonly gate: Gate
}

/** Writes the pauses of companions, each by one patch with its preconditions; the end of one gives up its field by another. */
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
  async pause(companion: Companion, change: PauseChange, stopping: Stopping): Promise<void> {
    const { place } = companion.row
    try {
      const { metadata } = await this.#send(companion, pausePatch(companion, change), stopping)
      // The write that brings the former value back makes us its owner.
      const entry = change.mark === null ? ownEntryOf(place, metadata.managedFields ?? []) : undefined
      if (entry === undefined) return
      // Not done, it costs a server-side applier a conflict, and no more.
      await this.#send(companion, givingUp(entry, place), stopping).catch(unlessRefused)
    } catch (error) {
      if (error instanceof ClusterRefusal && (error.status === 409 || doesNotApply(error)))
        throw new Refusal(
          'CONFLICT',
          `${nameOfCompanion(companion)} in ${companion.namespace} was changed by others meanwhile`,
        )
      throw error
    }
  }

  /** Resolves with the object as it was written. */
  async #send(
    companion: Companion,
    body: readonly PatchOperation[],
    { signal, cut }: Stopping,
  ): Promise<KubernetesObject> {
    const { client, copy, gate } = this.#options
    const { row, served } = companion
    const send = (timeout: number | undefined) =>
      client.call<KubernetesObject>({
        method: 'PATCH',
        resource: resourceOf(row.resource).resource,
        path: pathOf(companion),
        contentType: 'application/json-patch+json',
        body,
        signal: cut,
        timeout,
      })
    const written = await gate.run('follow-up', send, { key: keyOfCompanion(companion), signal })
    copy.applied(trimCompanion(row, served, written))
    return written
  }
}

function unlessRefused(error: unknown): void {
  if (!(error instanceof ClusterRefusal)) throw error
}

function pathOf({ row, served, namespace, name }: Companion): string {
  const within = `${served.base}/namespaces/${encodeURIComponent(namespace)}/${resourceOf(row.resource).resource}`
  return `${within}/${encodeURIComponent(name)}?fieldManager=${FIELD_MANAGER}`
}

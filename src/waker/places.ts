import { NotJoined } from './not-joined.ts'
import type { ClaimedPort } from './ports.ts'

export interface Places {
  /** Connections that may wait at once. */
  readonly held: number
  /** The same of one Service. */
  readonly heldPerService: number
}

/** Has a place. */
interface Holder {
  /** Whether it sends nothing more: it has probably given up, which TCP does not tell. */
  readonly hasEnded: boolean
  leave(): void
}

/** The places of connections that wait for a pod. */
export class Held {
  readonly #places: Places
  /** The oldest first. */
  readonly #ofService = new Map<string, Set<Holder>>()
  #all = 0

  constructor(places: Places) {
    this.#places = places
  }

  get size(): number {
    return this.#all
  }

  /**
   * Takes a place; the returned function frees it. Where all are taken, the oldest that has ended its half has to leave.
   * @throws NotJoined when all are taken
   */
  take(port: ClaimedPort, holder: Holder): () => void {
    const service = serviceOf(port)
    if (this.#all >= this.#places.held) this.#makeRoom([...this.#ofService.keys()], 'full')
    if ((this.#ofService.get(service)?.size ?? 0) >= this.#places.heldPerService)
      this.#makeRoom([service], 'service-full')
    this.#all++
    this.#ofService.set(service, (this.#ofService.get(service) ?? new Set()).add(holder))
    return () => this.#free(service, holder)
  }

  #makeRoom(services: readonly string[], reason: 'full' | 'service-full'): void {
    for (const service of services)
      for (const holder of this.#ofService.get(service) ?? []) {
        if (!holder.hasEnded) continue
        this.#free(service, holder)
        return holder.leave()
      }
    throw new NotJoined(reason)
  }

  #free(service: string, holder: Holder): void {
    const holders = this.#ofService.get(service)
    if (holders?.delete(holder) !== true) return
    this.#all--
    if (holders.size === 0) this.#ofService.delete(service)
  }
}

export function serviceOf({ namespace, service }: Pick<ClaimedPort, 'namespace' | 'service'>): string {
  return `${namespace}/${service}`
}

import { NotJoined } from './not-joined.ts'
import type { ClaimedPort } from './ports.ts'

export interface Places {
  /** Connections that may wait at once. */
  readonly held: number
  /** The same of one Service. */
  readonly heldPerService: number
}

/** The places of connections that wait for a pod. */
export class Held {
  readonly #places: Places
  readonly #ofService = new Map<string, number>()
  #all = 0

  constructor(places: Places) {
    this.#places = places
  }

  get size(): number {
    return this.#all
  }

  /** Takes a place; the returned function frees it. @throws NotJoined when all are taken */
  take(port: ClaimedPort): () => void {
    const service = serviceOf(port)
    const taken = this.#ofService.get(service) ?? 0
    if (this.#all >= this.#places.held) throw new NotJoined('full')
    if (taken >= this.#places.heldPerService) throw new NotJoined('service-full')
    this.#all++
    this.#ofService.set(service, taken + 1)
    return () => {
      this.#all--
      const left = (this.#ofService.get(service) ?? 1) - 1
      if (left === 0) this.#ofService.delete(service)
      else this.#ofService.set(service, left)
    }
  }
}

export function serviceOf({ namespace, service }: Pick<ClaimedPort, 'namespace' | 'service'>): string {
  return `${namespace}/${service}`
}

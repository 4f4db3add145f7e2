/** What a sleeper would use if it ran. Whole numbers, so that sums come out even when it wakes. */
export interface Share {
  readonly replicas: number
  readonly microcores: number
  readonly bytes: number
}

/** Saved since the start; each only grows. */
export interface Saved {
  readonly replicaSeconds: number
  readonly coreSeconds: number
  readonly byteSeconds: number
}

const MICROCORES = 1_000_000

/** The share of `replicas` pods that ask for `cpu` cores and `memory` bytes each. */
export function shareOf(replicas: number, { cpu, memory }: { cpu: number; memory: number }): Share {
  return {
    replicas,
    microcores: Math.round(cpu * MICROCORES) * replicas,
    bytes: Math.round(memory) * replicas,
  }
}

/**
 * What a namespace saves: the sum of its sleepers' shares, multiplied by time whenever that sum changes or
 * is read. Nothing runs in between.
 */
export class Savings {
  #replicas = 0
  #microcores = 0
  #bytes = 0
  #at: number
  #saved: Saved = { replicaSeconds: 0, coreSeconds: 0, byteSeconds: 0 }

  /** `seconds`, here and below: a time that never goes back. */
  constructor(seconds: number) {
    this.#at = seconds
  }

  replace(before: Share | undefined, after: Share | undefined, seconds: number): void {
    this.total(seconds)
    this.#replicas += (after?.replicas ?? 0) - (before?.replicas ?? 0)
    this.#microcores += (after?.microcores ?? 0) - (before?.microcores ?? 0)
    this.#bytes += (after?.bytes ?? 0) - (before?.bytes ?? 0)
  }

  total(seconds: number): Saved {
    const passed = seconds - this.#at
    this.#at = seconds
    this.#saved = {
      replicaSeconds: this.#saved.replicaSeconds + this.#replicas * passed,
      coreSeconds: this.#saved.coreSeconds + (this.#microcores / MICROCORES) * passed,
      byteSeconds: this.#saved.byteSeconds + this.#bytes * passed,
    }
    return this.#saved
  }
}

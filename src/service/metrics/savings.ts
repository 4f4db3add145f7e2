/** Replicas and their requests. Whole numbers, so that sums are exact when shares are subtracted again. */
export interface Share {
  readonly replicas: number
  readonly microcores: number
  readonly bytes: number
}

/** Saved since the start; never decreases. */
export interface Saved {
  readonly replicaSeconds: number
  readonly coreSeconds: number
  readonly byteSeconds: number
}

const NOTHING: Share = { replicas: 0, microcores: 0, bytes: 0 }
export const MICROCORES = 1_000_000

/** The share of `replicas` pods that request `cpu` cores and `memory` bytes each. */
export function shareOf(replicas: number, { cpu, memory }: { cpu: number; memory: number }): Share {
  return {
    replicas,
    microcores: Math.round(cpu * MICROCORES) * replicas,
    bytes: Math.round(memory) * replicas,
  }
}

/** A sum of shares. */
export class Shares {
  #total = NOTHING

  get total(): Share {
    return this.#total
  }

  replace(before: Share = NOTHING, after: Share = NOTHING): void {
    const { replicas, microcores, bytes } = this.#total
    this.#total = {
      replicas: replicas + after.replicas - before.replicas,
      microcores: microcores + after.microcores - before.microcores,
      bytes: bytes + after.bytes - before.bytes,
    }
  }
}

/**
 * A namespace's savings: the sum of its sleepers' shares multiplied by time, computed whenever the sum changes or is
 * read; no timer runs in between.
 */
export class Savings {
  readonly #asleep = new Shares()
  #at: number
  #saved: Saved = { replicaSeconds: 0, coreSeconds: 0, byteSeconds: 0 }

  /** `seconds`, here and below: a time that never goes back. */
  constructor(seconds: number) {
    this.#at = seconds
  }

  /** The sum of the sleeping shares. */
  get asleep(): Share {
    return this.#asleep.total
  }

  replace(before: Share | undefined, after: Share | undefined, seconds: number): void {
    this.total(seconds)
    this.#asleep.replace(before, after)
  }

  total(seconds: number): Saved {
    const passed = seconds - this.#at
    this.#at = seconds
    const { replicas, microcores, bytes } = this.#asleep.total
    this.#saved = {
      replicaSeconds: this.#saved.replicaSeconds + replicas * passed,
      coreSeconds: this.#saved.coreSeconds + (microcores / MICROCORES) * passed,
      byteSeconds: this.#saved.byteSeconds + bytes * passed,
    }
    return this.#saved
  }
}

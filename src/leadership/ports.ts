/** The `spec` of a `coordination.k8s.io/v1` Lease; times are RFC 3339 with microseconds. */
export interface LeaseRecord {
  /** Empty: nobody holds it. */
  readonly holder: string
  readonly durationSeconds: number | undefined
  readonly acquireTime: string | undefined
  readonly renewTime: string | undefined
  readonly transitions: number
}

/** A Lease as it was read or written. */
export interface Lease {
  readonly record: LeaseRecord
  /** Replaces this very version; undefined: it was changed or deleted meanwhile. */
  update(record: LeaseRecord, signal: AbortSignal): Promise<Lease | undefined>
}

/** Linearizable; its calls may reject with anything, and then may or may not have been carried out. */
export interface LeaseStore {
  /** Whether a Lease that is not there may be created. */
  readonly creatable: boolean
  /** undefined: there is none. */
  read(signal: AbortSignal): Promise<Lease | undefined>
  /** undefined: somebody else was quicker. */
  create(record: LeaseRecord, signal: AbortSignal): Promise<Lease | undefined>
}

export interface LeadershipObserver {
  /** True before the leading parts are started, false once they have stopped. */
  lead(is: boolean): void
  /** The Lease was taken from a holder that may still act for so many milliseconds: that is waited for. */
  seized?(from: string, milliseconds: number): void
}

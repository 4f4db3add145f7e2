/** The `spec` of a `coordination.k8s.io/v1` Lease; times are RFC 3339 with microseconds. */
export interface LeaseRecord {
  /** Empty: nobody holds it. */
  readonly holder: string
  readonly durationSeconds: number | undefined
  readonly acquireTime: string | undefined
  readonly renewTime: string | undefined
  /** How often it went from one holder to another. */
  readonly transitions: number
}

/** A Lease as it was read or written. */
export interface Lease {
  readonly record: LeaseRecord
  /** Replaces exactly this version; undefined: the Lease was changed or deleted meanwhile. */
  update(record: LeaseRecord, signal: AbortSignal): Promise<Lease | undefined>
}

/** One Lease. Reads see every write before them; a call that rejects may or may not have been carried out. */
export interface LeaseStore {
  /** Whether a Lease that does not exist may be created. */
  readonly creatable: boolean
  /** undefined: it does not exist. */
  read(signal: AbortSignal): Promise<Lease | undefined>
  /** undefined: another candidate created it first. */
  create(record: LeaseRecord, signal: AbortSignal): Promise<Lease | undefined>
}

export interface LeadershipObserver {
  /** True before the leading parts are started, false once they have stopped. */
  lead(is: boolean): void
  /** The Lease was taken from a live holder, which may still act for so many milliseconds: we wait for that. */
  leaseTaken?(from: string, milliseconds: number): void
}

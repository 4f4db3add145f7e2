/** The service's own settings that the rules depend on; durations in milliseconds. */
export interface Policy {
  readonly timezone: string
  readonly operationTimeout: number
  readonly newWorkloadGrace: number
  /** null: until the next edge. */
  readonly wakeHold: number | null
  readonly backoff: {
    readonly maxOperations: number
    readonly window: number
    readonly base: number
    readonly max: number
  }
}

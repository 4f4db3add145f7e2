/** Why a review could not be decided; `unchecked`: the cluster did not show the workload. */
export type Cause = 'too_large' | 'too_many' | 'too_late' | 'unexpected' | 'unchecked' | 'failed'

/** Thrown where a review cannot be read or decided; the message is for the person who writes. */
export class Unread extends Error {
  override readonly name = 'Unread'
  readonly reason: Cause

  constructor(reason: Cause, message: string) {
    super(message)
    this.reason = reason
  }
}

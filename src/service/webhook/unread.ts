import { Refusal, type ErrorCode } from '../process/errors.ts'

/**
 * Why a review could not be decided, and the error where not even its uid can be read; `unchecked`: the cluster did not
 * show the workload.
 */
const CODE = {
  too_large: 'PAYLOAD_TOO_LARGE',
  too_many: 'RATE_LIMITED',
  too_late: 'RATE_LIMITED',
  unexpected: 'VALIDATION_ERROR',
  unchecked: 'CLUSTER_UNAVAILABLE',
  failed: 'INTERNAL',
} as const satisfies Record<string, ErrorCode>
export type Cause = keyof typeof CODE

/** Thrown where a review cannot be read or decided; the message is for the person who writes. */
export class Unread extends Refusal {
  readonly reason: Cause

  constructor(reason: Cause, message: string) {
    super(CODE[reason], message)
    this.reason = reason
  }
}

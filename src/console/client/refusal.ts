import { messageOf, Refusal } from '../../service/process/errors.ts'

/**
 * A failure as the page gets it. A 401 of the cluster does not mean that the page's token is bad: the page would ask for
 * another.
 */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof Refusal))
    return new Refusal('CLUSTER_UNAVAILABLE', messageOf(error), { cause: error })
  return error.code === 'UNAUTHENTICATED'
    ? new Refusal('CLUSTER_REJECTED', error.message, { cause: error })
    : error
}

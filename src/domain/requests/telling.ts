/** The effect of a request, in words that read on after the workload's name. */
export interface Telling {
  /** Once it is carried out: `woken to 3 replicas`. */
  readonly done: string
  /** As a dry run tells it: `would be woken to 3 replicas`. */
  readonly would: string
}

/** `woken to 3 replicas`. */
export function isNow(done: string): Telling {
  return { done, would: `would be ${done}` }
}

/** `asleep for 2h`. */
export function stays(how: string): Telling {
  return { done: `stays ${how}`, would: `would stay ${how}` }
}

/** A part of it has changed: `schedule removed`. */
export function hasIts(changed: string): Telling {
  return { done: changed, would: `would have its ${changed}` }
}

/** Nothing is changed, and why: `already awake`. */
export function leftFor(why: string): Telling {
  return { done: why, would: `would be left as it is: ${why}` }
}

export const NOTHING_TO_DO: Telling = { done: 'nothing to do', would: 'would be left as it is' }

export function followedBy({ done, would }: Telling, more: string): Telling {
  return { done: `${done}${more}`, would: `${would}${more}` }
}

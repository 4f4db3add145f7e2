/** Those that a snooze or a wake may wait for. */
export const FOLLOWERS = ['pods', 'operator', 'nobody'] as const
export type Follower = (typeof FOLLOWERS)[number]

export const PAUSED = 'autoscaling.keda.sh/paused'
export const PAUSED_REPLICAS = 'autoscaling.keda.sh/paused-replicas'

/** What people said in a ScaledObject's annotations of a pause. */
export type Pause = Readonly<Partial<Record<typeof PAUSED | typeof PAUSED_REPLICAS, string>>>

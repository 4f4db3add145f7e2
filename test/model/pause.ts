export const PAUSED = 'autoscaling.keda.sh/paused'
export const PAUSED_REPLICAS = 'autoscaling.keda.sh/paused-replicas'

/** People's own pause in a ScaledObject's annotations. */
export type Pause = Readonly<Partial<Record<typeof PAUSED | typeof PAUSED_REPLICAS, string>>>

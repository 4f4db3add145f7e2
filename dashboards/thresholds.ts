import {
  ThresholdsConfigBuilder,
  ThresholdsMode,
  type Threshold,
} from '@grafana/grafana-foundation-sdk/dashboard'

/** The values from which a colour applies, in ascending order; the first has no lower bound. */
export type Steps = readonly Threshold[]

/** A figure that is neither good nor bad. */
export const PLAIN: Steps = [{ color: 'blue', value: null }]

/** A figure that is a gain. */
export const SAVED: Steps = [{ color: 'green', value: null }]

/** Good below `warning`, bad from `critical` on. */
export function bad(warning: number, critical?: number): Steps {
  return [
    { color: 'green', value: null },
    { color: 'orange', value: warning },
    ...(critical === undefined ? [] : [{ color: 'red', value: critical }]),
  ]
}

/** Bad below `critical`, good from `fine` on. */
export function good(critical: number, fine: number): Steps {
  return [
    { color: 'red', value: null },
    ...(critical === fine ? [] : [{ color: 'orange', value: critical }]),
    { color: 'green', value: fine },
  ]
}

export function thresholdsOf(steps: Steps): ThresholdsConfigBuilder {
  return new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps([...steps])
}

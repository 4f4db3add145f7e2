/**
 * The ways in which connections to a Service wake its sleepers, from the strongest: the connection itself, its first byte,
 * a browser that opens a page, and a person who presses the page's button.
 */
export const TRAFFIC_MODES = ['connect', 'any', 'page', 'button'] as const
export type TrafficMode = (typeof TRAFFIC_MODES)[number]

export const A_TRAFFIC_MODE = 'off, page, button, any or connect'

/** The meaning of a setting's text; undefined: it has none. */
export function trafficMode(text: string): TrafficMode | 'off' | undefined {
  const word = text.trim()
  return word === 'off' ? word : TRAFFIC_MODES.find((mode) => mode === word)
}

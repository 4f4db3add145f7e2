import type { Instant } from '../../process/clock.ts'

/** As our annotations hold instants: in UTC, whole seconds without a fraction. */
const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/

/** NaN for anything but an instant. */
export function parseInstant(text: unknown): Instant {
  return typeof text === 'string' && ISO_8601.test(text) ? Date.parse(text) : NaN
}

export function writtenInstant(at: Instant): string {
  return new Date(at).toISOString().replace('.000Z', 'Z')
}

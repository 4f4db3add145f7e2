import { wordedFor } from '../domain/admission/for-people.ts'
import type { Rules } from '../domain/deciding/rules.ts'
import { clocksOf } from '../domain/schedule/zone.ts'
import { settingsOf } from '../domain/workload/settings.ts'
import type { Recorder } from '../kubernetes/ports.ts'
import type { Clock } from '../process/clock.ts'

/** Characters of the note of an Event (Kubernetes API, `events.k8s.io/v1`). */
const LONGEST = 1024

/**
 * Events in the words of people, who read them by `kubectl describe`: names without prefixes, times on the clocks of the
 * workload's zone, which the first one names; on other objects on those of the configuration.
 */
export function eventsForPeople(recorder: Recorder, rules: Rules, clock: Clock): Recorder {
  return {
    record(subject, type, reason, message) {
      const zone = 'kind' in subject ? settingsOf(subject, rules).zone : rules.policy.timezone
      recorder.record(subject, type, reason, wordedFor(message, clocksOf(zone), clock(), LONGEST))
    },
  }
}

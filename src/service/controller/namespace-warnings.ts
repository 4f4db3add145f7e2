import { faultOfNamespace } from '../../domain/workload/settings.ts'
import type { Namespace } from '../../domain/policy/inheritance.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import { calendarNames } from '../../domain/schedule/calendar.ts'
import type { Logger } from '../process/logger.ts'
import type { Recorder } from './ports.ts'

/** Where Events on objects without a namespace belong. */
const EVENTS_NAMESPACE = 'default'

interface NamespaceWarningsPorts {
  readonly recorder: Recorder
  readonly logger: Logger
}

/** Warns people of a Namespace's annotations that its workloads cannot inherit: by an Event on it and a log line, once. */
export class NamespaceWarnings {
  readonly #ports: NamespaceWarningsPorts
  readonly #rules: Rules
  readonly #excluded: ReadonlySet<string>

  constructor(ports: NamespaceWarningsPorts, rules: Rules, excluded: ReadonlySet<string>) {
    this.#ports = ports
    this.#rules = rules
    this.#excluded = excluded
  }

  changed(before: Namespace | undefined, after: Namespace | undefined): void {
    if (!after || after.deleting || this.#excluded.has(after.name)) return
    const fault = faultOfNamespace(after, this.#rules)
    if (fault === undefined || (before?.uid === after.uid && faultOfNamespace(before, this.#rules) === fault))
      return
    const { recorder, logger } = this.#ports
    const { name, uid, resourceVersion } = after
    const message = `${fault}. Nothing automatic is done about the workloads that inherit this`
    logger.warn({ namespace: name }, message)
    const reference = { apiVersion: 'v1', kind: 'Namespace', name }
    const subject = { namespace: EVENTS_NAMESPACE, name, uid, resourceVersion, reference }
    recorder.record(subject, 'Warning', 'InvalidSetting', message)
  }

  /** These calendars have changed, and with them perhaps what its annotation means. */
  reread(namespace: Namespace, names: ReadonlySet<string>): void {
    if (calendarNames(namespace.annotations.calendar ?? '').some((name) => names.has(name)))
      this.changed(undefined, namespace)
  }
}

import { namespaceFault } from '../../domain/policy/faults.ts'
import type { Namespace } from '../../domain/policy/inheritance.ts'
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
  readonly #excluded: ReadonlySet<string>

  constructor(ports: NamespaceWarningsPorts, excluded: ReadonlySet<string>) {
    this.#ports = ports
    this.#excluded = excluded
  }

  changed(before: Namespace | undefined, after: Namespace | undefined): void {
    if (!after || after.deleting || this.#excluded.has(after.name)) return
    const fault = namespaceFault(after)
    if (fault === undefined || (before?.uid === after.uid && namespaceFault(before) === fault)) return
    const { recorder, logger } = this.#ports
    const { name, uid, resourceVersion } = after
    const message = `${fault}. Nothing automatic is done about the workloads that inherit this`
    logger.warn({ namespace: name }, message)
    const reference = { apiVersion: 'v1', kind: 'Namespace', name }
    const subject = { namespace: EVENTS_NAMESPACE, name, uid, resourceVersion, reference }
    recorder.record(subject, 'Warning', 'InvalidSetting', message)
  }
}

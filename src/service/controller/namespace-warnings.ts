import { faultOfNamespace } from '../../domain/workload/settings.ts'
import type { Namespace } from '../../domain/policy/inheritance.ts'
import type { Rules } from '../../domain/deciding/rules.ts'
import type { Logger } from '../../process/logger.ts'
import type { Recorder } from '../../kubernetes/ports.ts'

/** The namespace of Events on cluster-scoped objects. */
const EVENTS_NAMESPACE = 'default'

interface NamespaceWarningsPorts {
  readonly recorder: Recorder
  readonly logger: Logger
}

/** Warns about a Namespace's faulty annotations, by an Event on it and a log line, once. */
export class NamespaceWarnings {
  readonly #ports: NamespaceWarningsPorts
  readonly #rules: Rules
  readonly #excluded: ReadonlySet<string>
  /** The latest fault of those that have one, by uid. */
  readonly #told = new Map<string, string>()

  constructor(ports: NamespaceWarningsPorts, rules: Rules, excluded: ReadonlySet<string>) {
    this.#ports = ports
    this.#rules = rules
    this.#excluded = excluded
  }

  /** Call it with (copy, copy) if only the meaning of its annotations has changed. */
  changed(before: Namespace | undefined, after: Namespace | undefined): void {
    if (before && before.uid !== after?.uid) this.#told.delete(before.uid)
    if (!after || after.deleting || this.#excluded.has(after.name)) return
    const fault = faultOfNamespace(after, this.#rules)
    const told = this.#told.get(after.uid)
    if (fault === undefined) this.#told.delete(after.uid)
    else this.#told.set(after.uid, fault)
    if (fault === undefined || fault === told) return
    const { recorder, logger } = this.#ports
    const { name, uid, resourceVersion } = after
    const message = `${fault}. Nothing automatic is done about the workloads that inherit this`
    logger.warn({ namespace: name }, message)
    const reference = { apiVersion: 'v1', kind: 'Namespace', name }
    const subject = { namespace: EVENTS_NAMESPACE, name, uid, resourceVersion, reference }
    recorder.record(subject, 'Warning', 'InvalidSetting', message)
  }

  clear(): void {
    this.#told.clear()
  }
}

import { expect } from 'chai'
import { typeOf } from '../../src/domain/kinds.ts'
import type { StatusRecord } from '../../src/domain/records/record.ts'
import type { State } from '../../src/domain/workload/state.ts'
import {
  ANNOTATION,
  ASLEEP_LABEL,
  HELD_LABEL,
  SNOOZE_KEY,
  type Kind,
} from '../../src/domain/workload/workload.ts'
import { eventually } from '../support/eventually.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { decoded } from '../support/readable.ts'
import type { Served } from '../support/served.ts'

/** The marks on a workload. */
export interface Marks {
  /** `spec.replicas`; of a DaemonSet, whether its nodeSelector has our key: 0 or the desired number; of a CronJob, whether it runs. */
  readonly replicas: number | undefined
  readonly label: string | undefined
  readonly enabled: string | undefined
  readonly schedule: string | undefined
  readonly timezone: string | undefined
  /** undefined: there is none. */
  readonly state: State | undefined
}

export function marksOf({ kind, metadata, spec, status }: KubectlObject): Marks {
  const { annotations = {}, labels = {} } = metadata
  const state = annotations[ANNOTATION.state]
  const history = annotations[ANNOTATION.history] ?? null
  const asleep = spec.template?.spec.nodeSelector?.[SNOOZE_KEY] !== undefined
  const counts: Record<string, number | undefined> = {
    DaemonSet: asleep ? 0 : status?.desiredNumberScheduled,
    CronJob: spec.suspend ? 0 : 1,
  }
  return {
    replicas: kind in counts ? counts[kind] : spec.replicas,
    label: labels[ASLEEP_LABEL],
    enabled: annotations[ANNOTATION.enabled],
    schedule: annotations[ANNOTATION.schedule],
    timezone: annotations[ANNOTATION.timezone],
    state: state === undefined ? undefined : decoded({ state, history }),
  }
}

/**
 * Checks that the object and the API show the same, as soon as both have the latest change, at most after `timeout`
 * milliseconds; returns the API's record.
 */
export async function agree(on: Served, kind: Kind, name: string, timeout = 30_000): Promise<StatusRecord> {
  return eventually(
    `the object and the API to agree on ${kind}/${name}`,
    async () => {
      const [record, object] = await Promise.all([on.workload(kind, name).status(), on.get(kind, name)])
      expect(saidByApi(record)).to.deep.equal(shownByObject(kind, object))
      return record
    },
    { timeout },
  )
}

function saidByApi(record: StatusRecord) {
  return {
    name: record.name,
    type: record.type,
    enabled: record.enabled,
    current: record.current_replicas,
    asleep: record.is_snoozed,
    kept: record.is_snoozed ? String(record.last_replicas) : undefined,
    schedule: record.wake_schedule,
    pin: record.pin_state,
    held: record.pin_state === 'none' ? (record.has_manual_override ? 'override' : undefined) : 'pin',
    override: record.has_manual_override ? record.manual_override_until : 'none',
    snoozedAt: record.snoozed_at,
    wokenAt: record.woken_at,
    history: record.operation_history.map(({ type, trigger, timestamp, replicas, by }) => ({
      type,
      trigger,
      timestamp,
      replicas,
      by,
    })),
  }
}

function shownByObject(kind: Kind, object: KubectlObject) {
  const { replicas, label, enabled, schedule, state } = marksOf(object)
  const { override } = state ?? {}
  const until = override && (override.until === null ? null : iso(override.until))
  return {
    name: object.metadata.name,
    type: typeOf(kind),
    enabled: enabled === 'true',
    current: replicas,
    asleep: label !== undefined,
    kept: label,
    schedule: schedule || null,
    pin: state?.pin?.state ?? 'none',
    held: object.metadata.labels?.[HELD_LABEL],
    override: override ? until : 'none',
    snoozedAt: state?.snoozed ? iso(state.snoozed.at) : null,
    wokenAt: state?.woken === undefined ? null : iso(state.woken.at),
    history: (state?.history ?? []).map(({ type, trigger, at, replicas, by }) => ({
      type,
      trigger,
      timestamp: iso(at),
      replicas,
      by,
    })),
  }
}

function iso(instant: number): string {
  return new Date(instant).toISOString()
}

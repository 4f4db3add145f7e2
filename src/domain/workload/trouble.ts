import { clip } from '../text.ts'
import { printable } from '../../process/printable.ts'

/** Why pods do not come, in the cluster's own words. */
export interface Trouble {
  /** The reason as Kubernetes names it, such as FailedCreate, ProgressDeadlineExceeded or Unschedulable. */
  readonly code: string
  /** On one line and cut; what tenants wrote may be in it. */
  readonly message: string
}

/** Characters of a message that is shown. */
const LONGEST = 200
const CODE = /^[A-Za-z]\w{0,63}$/

/** The conditions of a workload by which its controller says that pods do not come; the first counts. */
const TELLING = [
  { type: 'ReplicaFailure', status: 'True' },
  { type: 'InvalidSpec', status: 'True' },
  { type: 'Stalled', status: 'True' },
  { type: 'Progressing', status: 'False' },
] as const

/**
 * The trouble in `status.conditions`, which is whatever the cluster has there; undefined: none. Deployments and
 * ReplicaSets have such conditions, and many kinds of operators; StatefulSets and DaemonSets have none.
 */
export function troubleIn(conditions: unknown): Trouble | undefined {
  if (!Array.isArray(conditions) || conditions.length === 0) return undefined
  const all = conditions as readonly unknown[]
  for (const { type, status } of TELLING) {
    const found = all.map(fieldsOf).find((each) => each['type'] === type && each['status'] === status)
    if (found) return troubleOf(found['reason'], found['message'], type)
  }
  return undefined
}

/** A trouble from a reason and a message of the cluster; `otherwise` stands for a reason that is none. */
export function troubleOf(reason: unknown, message: unknown, otherwise: string): Trouble {
  const code = typeof reason === 'string' && CODE.test(reason) ? reason : otherwise
  return { code, message: shortened(typeof message === 'string' ? message : '') }
}

/** A message of the cluster on one line, without the name of the refused object in front, and cut. */
export function shortened(message: string): string {
  // Whoever wrote it may have made it long: nothing behind is looked at.
  const line = printable(message.slice(0, 4 * LONGEST))
    .replaceAll(/\s+/g, ' ')
    .trim()
  return clip(line.replace(/^[\w.]+ "[^"]*" is (?:forbidden: )?/, ''), LONGEST)
}

/** `exceeded quota: q (FailedCreate)`. */
export function troubleText({ code, message }: Trouble): string {
  return message === '' ? code : `${message} (${code})`
}

/** The fields of a value that may be anything; none: it is no object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

import { randomBytes } from 'node:crypto'
import type { Instant } from '../process/clock.ts'
import { factsOf } from '../domain/kinds.ts'
import { iso } from '../domain/text.ts'
import { printable } from '../process/printable.ts'
import { FIELD_MANAGER, type Workload } from '../domain/workload/workload.ts'
import type { EventSubject, EventType } from './ports.ts'

type Subject = Workload | EventSubject

/** One Event, with how often and when it occurred. */
export interface Recorded {
  readonly key: string
  readonly subject: Subject
  readonly type: EventType
  readonly reason: string
  readonly message: string
  /** The Event's own name; empty until it is sent. */
  name: string
  readonly first: Instant
  last: Instant
  count: number
  /** The count that the cluster has stored. */
  sent: number
}

const LONGEST_MESSAGE = 1024

/** An Event that has not occurred yet: its count is 0. Events with the same key may be counted as one. */
export function newEvent(
  subject: Subject,
  type: EventType,
  reason: string,
  text: string,
  at: Instant,
): Recorded {
  const message = printable(text).slice(0, LONGEST_MESSAGE)
  const key = [subject.uid, type, reason, message].join('\n')
  return { key, subject, type, reason, message, name: '', first: at, last: at, count: 0, sent: 0 }
}

/** An Event of `v1`, with the fields that `kubectl describe` shows for built-in controllers. */
export function eventObject({ subject, type, reason, message, name, first, last, count }: Recorded) {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: subject.namespace },
    involvedObject: {
      ...('reference' in subject ? subject.reference : referenceOf(subject)),
      uid: subject.uid,
      resourceVersion: subject.resourceVersion,
    },
    type,
    reason,
    message,
    count,
    firstTimestamp: iso(first),
    lastTimestamp: iso(last),
    source: { component: FIELD_MANAGER },
    reportingComponent: FIELD_MANAGER,
  }
}

/** A new name for an Event on the subject: a DNS subdomain of at most 253 characters. */
export function eventName({ name }: Subject): string {
  return `${name.slice(0, 230).replace(/[^a-z0-9]+$/, '')}.${randomBytes(8).toString('hex')}`
}

/** The merge patch that raises the count of a stored Event. */
export function countPatch({ count, last }: Recorded) {
  return { count, lastTimestamp: iso(last) }
}

function referenceOf({ kind, namespace, name, configured }: Workload) {
  const { group, version, name: built } = factsOf(kind)
  const apiVersion = configured?.apiVersion ?? `${group}/${version}`
  return { apiVersion, kind: configured?.kind ?? built, namespace, name }
}

import { isRecord } from './object.ts'
import type { KubeObject } from './object.ts'

/** Fields of `events.k8s.io/v1` and their names in the core Event; both are stored as core Events. */
const CORE_NAMES: Record<string, string> = {
  regarding: 'involvedObject',
  note: 'message',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
}

const NEW_NAMES = Object.fromEntries(Object.entries(CORE_NAMES).map(([name, core]) => [core, name]))

function renamed(event: object, names: Record<string, string>): object {
  return Object.fromEntries(Object.entries(event).map(([field, value]) => [names[field] ?? field, value]))
}

/** Converts an event of `events.k8s.io/v1` to the core Event that is stored. */
export function toCoreEvent(event: unknown): unknown {
  return isRecord(event) ? { ...renamed(event, CORE_NAMES), apiVersion: 'v1' } : event
}

export function fromCoreEvent(event: KubeObject): KubeObject {
  return { ...event, ...renamed(event, NEW_NAMES), ...dropped(event), apiVersion: 'events.k8s.io/v1' }
}

function dropped(event: KubeObject): object {
  return Object.fromEntries(
    Object.keys(NEW_NAMES)
      .filter((name) => name in event)
      .map((name) => [name, undefined]),
  )
}

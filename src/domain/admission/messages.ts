import { purposeOf, UNPIN, type Explanation, type Remedy } from '../workload/explanation.ts'
import type { Unreadable } from '../workload/state-codec.ts'
import { typeOf } from '../kinds.ts'
import { verbOf } from '../requests/annotation.ts'
import type { Action } from '../requests/operations.ts'
import { printable } from '../../process/printable.ts'
import { ANNOTATION, type WorkloadKey } from '../workload/workload.ts'
import { deny, type AdmissionReason, type Denial } from './decision.ts'

/** Characters of a warning or a denial: API servers may cut longer ones. */
export const LONGEST = 256
/** Characters of a workload's namespace and name that always stay. */
const SHORTEST_NAME = 24

/**
 * `Dormouse: deployment shop/web is asleep`, in at most 256 characters: a name that is too long loses its middle. Without
 * control characters, which it may quote: API servers leave out a warning that has any, and kubectl prints a denial as it is.
 */
export function about(workload: WorkloadKey, says: string): string {
  const { kind, namespace, name } = workload
  const head = `Dormouse: ${typeOf(kind)} `
  const rest = restOf(says)
  const room = Math.max(SHORTEST_NAME, LONGEST - head.length - rest.length)
  // The name is empty until the API server makes it from generateName.
  return clip(`${head}${withoutMiddle(`${namespace}/${name || '…'}`, room)}${rest}`)
}

/** `Dormouse: namespace shop: dormouse.dev/schedule: …`, in the same way; the name has at most 63 characters. */
export function aboutNamespace(name: string, says: string): string {
  return clip(`Dormouse: namespace ${name || '…'}${restOf(says)}`)
}

interface Asks {
  readonly action: Action
  readonly query: Remedy['query']
}

/** A request for the reader to type, and what it does. */
export interface Advice {
  readonly does: string
  readonly asks: Asks
}

export const TO_WAKE_NOW: Advice = { does: 'to wake it now', asks: { action: 'wake', query: {} } }
export const TO_UNPIN: Advice = { does: 'to let it go', asks: UNPIN }

/** A warning to the writer of a workload: a text that reads on after its name, or an advice. */
export type Saying = string | Advice

/** Through kubectl, a request repairs a state, and leaves the settings as they are. */
const REPAIR: Asks = { action: 'repair', query: {} }

/** A request as people type it who have kubectl: `kubectl annotate -n shop deployments/web dormouse.dev/request=unpin`. */
function inKubectl({ kind, namespace, name }: WorkloadKey, { action, query }: Asks): string {
  const verb = verbOf(action, { force: query['force'] === 'true', shorten: query['shorten'] === 'true' })
  const words = [verb, query['for']].filter((word) => word !== undefined).join(' ')
  const text = words.includes(' ') ? `'${words}'` : words
  const enabled = query['inherit'] === 'true' ? '-' : '=true --overwrite'
  const set = verb === undefined ? `${ANNOTATION.enabled}${enabled}` : `${ANNOTATION.request}=${text}`
  return `kubectl annotate -n ${namespace} ${kind}/${name} ${set}`
}

/** The warnings about a workload. */
export function told(workload: WorkloadKey, says: readonly Saying[]): string[] {
  return says.map((each) => (typeof each === 'string' ? about(workload, each) : toAsk(workload, each)))
}

/** `Dormouse: deployment shop/web: to let it go: kubectl annotate …`, with placeholders for names that do not fit. */
function toAsk(workload: WorkloadKey, { does, asks }: Advice): string {
  const { kind } = workload
  const says = (key: WorkloadKey) => `: ${does}: ${inKubectl(key, asks)}`
  const whole = says(workload)
  const short = `Dormouse: ${typeOf(kind)} ${whole}`.length + SHORTEST_NAME <= LONGEST
  return about(workload, short ? whole : says({ kind, namespace: 'NAMESPACE', name: 'NAME' }))
}

/** A denial that explains itself, with its remedy. */
export function denyBecause(
  workload: WorkloadKey,
  reason: AdmissionReason,
  says: string,
  why: Explanation,
): Denial {
  const { remedy } = why
  if (!remedy) return deny(reason, about(workload, says), [], why)
  const asks = why.reason_code === 'invalid_state' ? REPAIR : remedy
  const [message, ...warnings] = withAdvice(workload, says, { does: purposeOf(why), asks })
  return deny(reason, message, warnings, why)
}

/** A text with the request that helps, which is a text of its own where both do not fit. */
function withAdvice(workload: WorkloadKey, says: string, advice: Advice): [string, ...string[]] {
  const whole = `${says}; ${advice.does}: ${inKubectl(workload, advice.asks)}`
  if (fits(workload, whole)) return [about(workload, whole)]
  return [about(workload, says), toAsk(workload, advice)]
}

/** Whether `about` would shorten nothing. */
function fits({ kind, namespace, name }: WorkloadKey, says: string): boolean {
  return `Dormouse: ${typeOf(kind)} ${namespace}/${name} ${says}`.length <= LONGEST
}

/** About a write that changed our annotations or labels. */
export const MARKS_KEPT =
  'keeps its dormouse.dev annotations and labels: this write changed some, which were restored'

/** Says that a state cannot be read, and how to repair it. */
export function unreadableState(
  workload: WorkloadKey,
  says: string,
  { message }: Unreadable,
): [string, ...string[]] {
  return withAdvice(workload, `${says}: ${message}`, { does: 'to repair it', asks: REPAIR })
}

/** The same in an Event, which is about its workload. */
export function toRepair(workload: WorkloadKey, { message }: Unreadable): string {
  return `${message}; to repair it: ${inKubectl(workload, REPAIR)}`
}

function restOf(says: string): string {
  return printable(says.startsWith(':') ? says : ` ${says}`)
}

function withoutMiddle(text: string, room: number): string {
  if (text.length <= room) return text
  const begin = Math.ceil((room - 1) / 2)
  return `${text.slice(0, begin)}…${text.slice(text.length - (room - 1 - begin))}`
}

function clip(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text
}

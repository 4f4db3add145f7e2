import type { Unreadable } from '../workload/state-codec.ts'
import { typeOf } from '../kinds.ts'
import { printable } from '../text.ts'
import { pathOf, type WorkloadKey } from '../workload/workload.ts'

/** Characters of a warning or a denial: API servers may cut longer ones. */
const LONGEST = 256
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

/** `Dormouse: deployment shop/web: to let go, DELETE /api/v1/…/pin`, with placeholders for names that do not fit. */
export function toSend(workload: WorkloadKey, does: string, method: string, action: string): string {
  const { kind } = workload
  const says = (path: string) => `: ${does} ${method} ${path}/${action}`
  const whole = says(pathOf(workload))
  const short = `Dormouse: ${typeOf(kind)} ${whole}`.length + SHORTEST_NAME <= LONGEST
  return about(workload, short ? whole : says(pathOf({ kind, namespace: 'NAMESPACE', name: 'NAME' })))
}

/** Whether `about` would shorten nothing. */
export function fits({ kind, namespace, name }: WorkloadKey, says: string): boolean {
  return `Dormouse: ${typeOf(kind)} ${namespace}/${name} ${says}`.length <= LONGEST
}

/** The warning about a write that changed our annotations or label. */
export function marksKept(workload: WorkloadKey): string {
  const says = 'keeps its dormouse.dev annotations and labels: this write changed some, which were restored'
  return about(workload, says)
}

/** The warning that a state cannot be read. */
export function unchecked(workload: WorkloadKey, { message }: Unreadable): string {
  return about(workload, `was not checked: ${message}`)
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

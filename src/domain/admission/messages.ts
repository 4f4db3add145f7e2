import { pathOf, TYPE_OF, type WorkloadKey } from '../workload.ts'

/** Characters of a warning or a denial: an API server may cut longer ones. */
const LONGEST = 256
/** Characters of a workload's name that stay in any case. */
const SHORTEST_NAME = 24

/**
 * What a person is told of a workload: `Dormouse: deployment shop/web is asleep`. A name that leaves no room for the
 * rest loses its middle.
 */
export function about(workload: WorkloadKey, says: string): string {
  const { kind, namespace, name } = workload
  const head = `Dormouse: ${TYPE_OF[kind]} `
  const rest = says.startsWith(':') ? says : ` ${says}`
  const room = Math.max(SHORTEST_NAME, LONGEST - head.length - rest.length)
  // A name that the API server is yet to make of generateName.
  return clip(`${head}${withoutMiddle(`${namespace}/${name || '…'}`, room)}${rest}`)
}

/** What to send: `Dormouse: deployment shop/web: to let go, DELETE /api/v1/…/pin`. Only the longest names do not fit. */
export function toSend(workload: WorkloadKey, does: string, method: string, action: string): string {
  const { kind } = workload
  const says = (path: string) => `: ${does} ${method} ${path}/${action}`
  const whole = says(pathOf(workload))
  const short = `Dormouse: ${TYPE_OF[kind]} ${whole}`.length + SHORTEST_NAME <= LONGEST
  return about(workload, short ? whole : says(pathOf({ kind, namespace: 'NAMESPACE', name: 'NAME' })))
}

/** Whether all of it can be told of this workload in one text. */
export function fits({ kind, namespace, name }: WorkloadKey, says: string): boolean {
  return `Dormouse: ${TYPE_OF[kind]} ${namespace}/${name} ${says}`.length <= LONGEST
}

function withoutMiddle(text: string, room: number): string {
  if (text.length <= room) return text
  const begin = Math.ceil((room - 1) / 2)
  return `${text.slice(0, begin)}…${text.slice(text.length - (room - 1 - begin))}`
}

function clip(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text
}

/** The paths of the webhooks, by what they may block. */
export type Route = 'scale' | 'held-scale' | 'marks' | 'workloads' | 'held' | 'namespaces' | 'probe'

const ROUTES: Readonly<Record<string, Route>> = {
  '/webhook/scale': 'scale',
  '/webhook/held-scale': 'held-scale',
  '/webhook/marks': 'marks',
  '/webhook/workloads': 'workloads',
  '/webhook/held': 'held',
  '/webhook/namespaces': 'namespaces',
  '/webhook/probe': 'probe',
}

const MIB = 1024 * 1024

/** undefined: no webhook has this path. */
export function routeOf(path: string): Route | undefined {
  return Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined
}

export function isScale(route: Route): boolean {
  return route === 'scale' || route === 'held-scale'
}

/** Whether only writes of held workloads come here, so that none may pass unread. */
export function isHeldOnly(route: Route): boolean {
  return route === 'held' || route === 'held-scale'
}

/** Bytes: such a body is parsed in some milliseconds. An ordinary review has 10 to 30 KiB. */
export const SMALL_BODY = 256 * 1024

/** Bytes. API servers take bodies of 3 MiB, and a review carries two objects; a Scale has some 500 bytes. */
export function longestBody(route: Route): number {
  return isScale(route) || route === 'probe' ? 64 * 1024 : 6 * MIB
}

/** `64 KiB`, for messages. */
export function sizeText(bytes: number): string {
  return bytes < MIB ? `${bytes / 1024} KiB` : `${bytes / MIB} MiB`
}

import { ANNOTATION, type Kind } from '../../src/domain/workload/workload.ts'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import type { WorkloadManifest } from '../support/cluster.ts'
import { manifest } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import type { Served } from '../support/served.ts'

/** The same for all pairs, in whichever minute they are played. */
const ASLEEP = asleepNow()

/** Requests, as method, action and body. */
const REQUESTS = {
  enable: ['POST', 'enable'],
  'enable by a schedule': ['POST', 'enable', { schedule: ASLEEP }],
  disable: ['POST', 'disable'],
  override: ['POST', 'override'],
  'clear override': ['DELETE', 'override'],
  pin: ['POST', 'pin'],
  unpin: ['DELETE', 'pin'],
  snooze: ['POST', 'snooze'],
  wake: ['POST', 'wake'],
  'set a schedule': ['PUT', 'schedule', { schedule: awakeNow() }],
} as const
export type RequestName = keyof typeof REQUESTS

/** People's actions beside the API. */
const BY_HAND = {
  'scale by hand': (here, kind, name) => here.scale(kind, name, 2),
  'scale to 0 by hand': (here, kind, name) => here.scale(kind, name, 0),
  'disable by hand': (here, kind, name) => annotate(here, kind, name, { [ANNOTATION.enabled]: 'false' }),
  'set a schedule by hand': (here, kind, name) =>
    annotate(here, kind, name, { [ANNOTATION.schedule]: ASLEEP }),
  delete: remove,
  'delete and create again': async (here, kind, name) => {
    await remove(here, kind, name)
    await here.cluster.create(here.namespace, [aWorkload(kind, name)])
  },
} as const satisfies Record<string, (here: Served, kind: Kind, name: string) => Promise<unknown>>
type HandName = keyof typeof BY_HAND

/** How a workload was before both. */
export const BEGINNINGS = {
  'not managed': [],
  awake: ['enable'],
  asleep: ['enable', 'snooze'],
  'pinned awake': ['enable', 'pin'],
  'overridden asleep': ['enable', 'snooze', 'override'],
} as const satisfies Record<string, readonly RequestName[]>
export type Beginning = keyof typeof BEGINNINGS

/** Two operations one after the other. */
export interface Pair {
  readonly beginning: Beginning
  readonly first: RequestName | HandName
  readonly second: RequestName
}

const SECONDS = Object.keys(REQUESTS) as RequestName[]
const FIRSTS: readonly Pair['first'][] = [...SECONDS, ...(Object.keys(BY_HAND) as HandName[])]

export function pairsOf(beginnings: readonly Beginning[]): Pair[] {
  return beginnings.flatMap((beginning) =>
    FIRSTS.flatMap((first) => SECONDS.map((second): Pair => ({ beginning, first, second }))),
  )
}

export function ask(
  api: ApiClient,
  { namespace }: Served,
  kind: Kind,
  name: string,
  request: RequestName,
): Promise<ApiAnswer> {
  const [method, action, body] = REQUESTS[request]
  return api.workload(kind, namespace, name).attempt(method, action, body ? { body } : {})
}

/** Paused, where that exists, so that no pods are made: these tests need none. */
export function aWorkload(kind: Kind, name: string): WorkloadManifest {
  return manifest(kind, name, { paused: true })
}

/** Through this API, or by hand. */
export async function perform(
  api: ApiClient,
  here: Served,
  kind: Kind,
  name: string,
  operation: Pair['first'],
): Promise<void> {
  if (operation in BY_HAND) await BY_HAND[operation as HandName](here, kind, name)
  else await ask(api, here, kind, name, operation as RequestName)
}

export async function annotate(
  here: Served,
  kind: Kind,
  name: string,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  await here.cluster.admin.expect('PATCH', here.path(kind, name), { metadata: { annotations } })
}

async function remove(here: Served, kind: Kind, name: string): Promise<void> {
  await here.cluster.admin.expect('DELETE', here.path(kind, name))
}

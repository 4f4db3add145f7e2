import { randomBytes } from 'node:crypto'
import { ASLEEP_LABEL, KINDS, type Kind } from '../../../src/domain/workload/workload.ts'
import { eventually, inParallel } from '../../support/eventually.ts'
import { annotated, manifest } from '../../support/manifests.ts'
import { asleepNow } from '../../support/schedules.ts'
import type { Served } from '../../support/served.ts'
import type { Owning, Recipe } from './recipes.ts'

type Json = Readonly<Record<string, unknown>>

/** Milliseconds without a write after which nothing more is expected. */
const QUIET = 3000
const CONFIG_MAPS = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`

/** An object that can own others, and that no controller knows. */
export async function anOwner({ cluster, namespace }: Served): Promise<Owning> {
  const body = { metadata: { name: 'owner' } }
  const { metadata } = await cluster.admin.expect('POST', CONFIG_MAPS(namespace), body)
  return { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: String(metadata?.['uid']) }
}

/** Objects that arrive as they are. Those with a finalizer are deleted, and stay. */
export async function arrive(here: Served, recipes: readonly Recipe[]): Promise<void> {
  await inParallel(recipes, async ({ kind, name, metadata, spec }) => {
    const object = merged(manifest(kind, name), { metadata, spec })
    await here.cluster.admin.expect('POST', here.path(kind), object)
    if (name.startsWith('deleting')) await here.cluster.admin.expect('DELETE', here.path(kind, name))
  })
}

/** Somebody writes the same to objects that Dormouse has put to sleep; returns whom the API server let. */
export async function overwrite(here: Served, recipes: readonly Recipe[]): Promise<string[]> {
  const refused: string[] = []
  await inParallel(recipes, async ({ kind, name, metadata, spec }) => {
    const answer = await here.cluster.admin.send('PATCH', here.path(kind, name), { metadata, spec })
    if (answer.status !== 200) refused.push(`${name}: ${answer.body.message}`)
  })
  return refused
}

/**
 * Resolves once Dormouse, however slow the machine is, has seen all that was there when this was called, and has then
 * written nothing in the namespace for three seconds; returns the writes of each object.
 */
export async function writesUntilRest(here: Served, since: number): Promise<ReadonlyMap<string, number>> {
  await allSeen(here)
  const prefix = `/namespaces/${here.namespace}/`
  const patches = async () =>
    (await here.cluster.requestsSince(since)).filter(
      ({ verb, url }) => verb === 'write' && url.includes(prefix) && !url.includes('/events'),
    )
  await eventually(
    'Dormouse to rest',
    async () => {
      const latest = Math.max(since, ...(await patches()).map(({ at }) => at))
      return Date.now() - latest > QUIET
    },
    { timeout: 120_000, pause: 1000 },
  )
  const writes = new Map<string, number>()
  for (const { url } of await patches()) {
    const [path = ''] = url.slice(url.indexOf(prefix) + prefix.length).split('?')
    writes.set(path, (writes.get(path) ?? 0) + 1)
  }
  return writes
}

/** Resolves once new workloads of each kind are asleep: earlier events have been processed before them. */
async function allSeen(here: Served): Promise<void> {
  const name = `seen-${randomBytes(3).toString('hex')}`
  await inParallel(KINDS, async (kind) => {
    const newcomer = manifest(kind, name, { annotations: annotated(asleepNow()) })
    await here.cluster.admin.expect('POST', here.path(kind), newcomer)
    await allAsleep(here, kind, [name])
  })
}

/** Resolves once all of these sleep. */
export async function allAsleep(here: Served, kind: Kind, names: readonly string[]): Promise<void> {
  await eventually(
    `${names.length} ${kind} to sleep`,
    async () => {
      const sleepers = await here.list(kind, `?labelSelector=${ASLEEP_LABEL}`)
      const found = new Set(sleepers.map(({ metadata }) => metadata.name))
      const missing = names.filter((name) => !found.has(name))
      if (missing.length > 0) throw new Error(`awake: ${missing.join(', ')}`)
      return true
    },
    { timeout: 120_000, pause: 500 },
  )
}

/** Removes the finalizers of objects that wait for them. */
export async function release(here: Served, recipes: readonly Recipe[]): Promise<void> {
  for (const { kind, name } of recipes.filter(({ name }) => name.includes('deleting')))
    await here.cluster.admin.send('PATCH', here.path(kind, name), { metadata: { finalizers: null } })
}

/** Both objects in one, `b`'s values winning; a null of `b` stays null, as a client may send it. */
function merged(a: unknown, b: unknown): unknown {
  if (!isJson(a) || !isJson(b)) return b === undefined ? a : b
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return Object.fromEntries([...keys].map((key) => [key, merged(a[key], b[key])]))
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

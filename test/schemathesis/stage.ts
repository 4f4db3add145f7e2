import { ANNOTATION, KINDS, SNOOZE_KEY, type AnnotationName } from '../../src/domain/workload/workload.ts'
import { inParallel } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { awakeNow } from '../support/schedules.ts'
import type { Served } from '../support/served.ts'
import { BY_KIND, type AWorkload } from '../support/workloads.ts'

const REPLICAS = 2
const HOUR = 3_600_000

/** Each of these there is of each kind, by this name. */
const STATES: Readonly<Record<string, (workload: AWorkload, now: number) => AWorkload>> = {
  awake: (workload, now) => workload.enabled().scheduled(awakeNow(now)),
  unmanaged: (workload) => workload,
  asleep: (workload, now) => workload.enabled().snoozed({ at: now, trigger: 'api', by: 'k8s:alice' }),
  pinned: (workload, now) => workload.enabled().pinned(now),
  overridden: (workload, now) => workload.enabled().overridden(now + HOUR),
  waiting: (workload, now) => workload.enabled().inBackoff(now + HOUR / 2),
  unreadable: (workload) => workload.enabled().annotated({ state: '{' }),
}

/** Creates a workload of each kind in each state; returns their names, and that of a ReplicaSet of a Deployment. */
export async function workloadsInAllStates(here: Served): Promise<[string, ...string[]]> {
  const now = Date.now()
  const all = KINDS.flatMap((kind) => Object.keys(STATES).map((name) => ({ kind, name })))
  await inParallel(all, async ({ kind, name }) => {
    const workload = STATES[name]?.(BY_KIND[kind](`${here.namespace}/${name}`).withReplicas(REPLICAS), now)
    if (!workload) throw new TypeError(`no such state: ${name}`)
    await here.cluster.create(here.namespace, [manifestOf(workload)])
  })
  await inParallel(all, ({ kind, name }) => here.settled(kind, name))
  const revisions = await here.list('replicasets')
  const owned = revisions.find(({ metadata }) => metadata.ownerReferences?.length)
  return ['awake', ...Object.keys(STATES).slice(1), ...(owned ? [owned.metadata.name] : [])]
}

function manifestOf({ kind, name, replicas, labels, annotations, snoozeKey }: AWorkload) {
  const ours = Object.entries(annotations).map(([key, text]) => [ANNOTATION[key as AnnotationName], text])
  return manifest(kind, name, {
    replicas,
    ...(labels ? { labels } : {}),
    annotations: Object.fromEntries(ours) as Record<string, string>,
    ...(snoozeKey === undefined ? {} : { nodeSelector: { [SNOOZE_KEY]: snoozeKey } }),
  })
}

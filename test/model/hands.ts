import fc from 'fast-check'
import { formOf } from '../../src/domain/sleeping/forms.ts'
import { ANNOTATION, ASLEEP_LABEL, SNOOZE_KEY } from '../../src/domain/workload/workload.ts'
import { countOf } from '../support/manifests.ts'
import { act } from './act.ts'
import { annotationsOf, WRITTEN } from './settings.ts'
import { heldBy, type Target } from './target.ts'
import type { Seen } from './observed.ts'

/** The account of Kubernetes' own autoscaler. */
export const HPA = 'system:serviceaccount:kube-system:horizontal-pod-autoscaler'
/** All differ from the counts that workloads are created with, so that each count shows its origin. */
const COUNT = fc.constantFrom(0, 1, 4, 5, 6, 7, 8, 9)
const NOTHING = fc.constant(undefined)
/** A request by annotation, and the same operation of the API, if there is one. */
const BY_ANNOTATION = {
  wake: 'POST wake',
  'wake 5m': 'POST wake',
  snooze: 'POST snooze',
  'snooze 5m': 'POST snooze',
  'force-snooze': 'POST snooze',
  pin: 'POST pin',
  unpin: 'DELETE pin',
  'override 10m': 'POST override',
  resume: 'DELETE override',
  'adopt 3': 'adopt',
} as const

/** Actions of people, GitOps and autoscalers that bypass Dormouse's API; add an entry here to extend the scenarios. */
export const HANDS = {
  scale: act(4, COUNT, (target, count) => scale(target, count, undefined)),
  autoscale: act(1, fc.integer({ min: 1, max: 9 }), (target, count) => scale(target, count, HPA)),
  edit: act(3, COUNT, (target, count) => edited(target, 'edit', {}, count)),
  'roll out': act(
    2,
    fc.record({ count: fc.option(COUNT), revision: fc.nat(9) }),
    (target, { count, revision }) => {
      const template = { metadata: { labels: { revision: `r${revision}` } } }
      return edited(target, 'roll out', { template }, count ?? undefined)
    },
  ),
  annotate: act(3, WRITTEN, (target, written) => {
    target.counts.race()
    const annotations = annotationsOf(written, target.world.now)
    return target.write('PATCH', 'annotate', { metadata: { annotations } })
  }),
  order: act(
    1,
    fc.tuple(fc.constantFrom('wakeOrder', 'sleepOrder'), fc.constantFrom('0', '3', '9', 'first', null)),
    (target, [name, order]) =>
      target.write('PATCH', 'order', { metadata: { annotations: { [ANNOTATION[name]]: order } } }),
  ),
  'catch up': act(1, fc.constantFrom('true', null), async (target, catchUp) => {
    await target
      .orPeer('cronjobs')
      ?.write('PATCH', 'catch up', { metadata: { annotations: { [ANNOTATION.catchUp]: catchUp } } })
  }),
  'ask by annotation': act(
    3,
    fc.constantFrom(...(Object.keys(BY_ANNOTATION) as (keyof typeof BY_ANNOTATION)[])),
    (target, request) => {
      target.counts.race()
      const annotations = { [ANNOTATION.request]: request }
      return target.write('PATCH', `${BY_ANNOTATION[request]} by annotation`, { metadata: { annotations } })
    },
  ),
  replace: act(1, COUNT, replace),
  'roll back': act(1, fc.nat(20), rollBack),
  restore: act(1, fc.nat(20), restore),
  'drop label': act(1, NOTHING, (target) =>
    destroy(target, 'drop label', { metadata: { labels: { [ASLEEP_LABEL]: null } } }),
  ),
  'lose state': act(1, NOTHING, (target) =>
    destroy(target, 'lose state', { metadata: { annotations: { [ANNOTATION.state]: null } } }),
  ),
  'lose history': act(1, NOTHING, (target) =>
    destroy(target, 'lose history', { metadata: { annotations: { [ANNOTATION.history]: null } } }),
  ),
  'drop key': act(1, NOTHING, async (target) => {
    if (target.key.kind !== 'daemonsets') return
    const nodeSelector = { [SNOOZE_KEY]: null }
    await target.write('PATCH', 'drop key', { spec: { template: { spec: { nodeSelector } } } })
  }),
  select: act(1, fc.constantFrom('a', 'b', null), async (target, disk) => {
    if (target.key.kind !== 'daemonsets') return
    const nodeSelector = { disk }
    const answer = await target.write('PATCH', 'select', { spec: { template: { spec: { nodeSelector } } } })
    if (answer?.status === 200) target.selector = disk === null ? {} : { disk }
  }),
} as const

async function scale(target: Target, count: number, as: string | undefined): Promise<void> {
  if (formOf({ kind: target.key.kind }).name !== 'count') return
  const before = target.held
  const body = { spec: { replicas: count } }
  const what = as === undefined ? 'scale' : 'autoscale'
  const answer = await target.write('PATCH', `${what} ${count}`, body, as, `${target.path}/scale`)
  if (answer?.status !== 200) return
  if (as === undefined) target.counts.scaled(count, before)
  else target.counts.autoscaled(count, before)
}

/** A change of the object itself; the answer tells the fate of the count. */
async function edited(target: Target, what: string, spec: object, count: number | undefined): Promise<void> {
  const replicas = formOf({ kind: target.key.kind }).name === 'count' ? count : undefined
  const before = target.held
  if (target.key.kind === 'cronjobs') return suspended(target, what, count)
  const whole = { ...spec, ...(replicas === undefined ? {} : { replicas }) }
  const answer = await target.write('PATCH', `${what} ${replicas ?? ''}`, { spec: whole })
  if (replicas !== undefined && answer?.status === 200) taken(target, replicas, before, answer.body)
}

/** A CronJob is suspended or resumed by hand. */
async function suspended(target: Target, what: string, count: number | undefined): Promise<void> {
  if (count === undefined) return
  const one = count === 0 ? 0 : 1
  const before = target.held
  const answer = await target.write('PATCH', `${what} suspend=${one === 0}`, { spec: { suspend: one === 0 } })
  if (answer?.status === 200) taken(target, one, before, answer.body)
}

/** The count is theirs if the object has it, or keeps it; else it was held. */
function taken(target: Target, count: number, before: Target['held'], body: object): void {
  const { replicas, kept } = heldBy(target.key, body as Seen)
  if (replicas === count || kept === count) target.counts.declared(count, before)
}

/** `kubectl replace` by a manifest that knows nothing of Dormouse's annotations. */
async function replace(target: Target, count: number): Promise<void> {
  const { latest } = target
  if (!latest || target.fragile) return
  const before = target.held
  const { resourceVersion: _, managedFields: __, annotations, ...metadata } = latest.metadata
  const { [ANNOTATION.state]: _state, [ANNOTATION.history]: _history, ...own } = annotations ?? {}
  const { [ASLEEP_LABEL]: ___, ...labels } = latest.metadata.labels ?? {}
  const object = structuredClone({
    ...latest,
    metadata: { ...metadata, annotations: own, labels },
  }) as { spec: { replicas?: number; suspend?: boolean; template: { spec: { nodeSelector?: object } } } }
  if (target.key.kind === 'daemonsets') object.spec.template.spec.nodeSelector = { ...target.selector }
  else if (target.key.kind === 'cronjobs') object.spec.suspend = count === 0
  else object.spec.replicas = count
  target.fragile = true
  const answer = await target.write('PUT', `replace ${count}`, object)
  const theirs = countOf(target.key.kind, count)
  if (answer?.status === 200 && target.key.kind !== 'daemonsets') taken(target, theirs, before, answer.body)
}

/** `kubectl rollout undo` puts all annotations of an earlier time back. */
async function rollBack(target: Target, back: number): Promise<void> {
  const old = earlier(target, back)
  if (!old || target.fragile) return
  const names = Object.values(ANNOTATION)
  const annotations = Object.fromEntries(
    names.map((name) => [name, old.metadata.annotations?.[name] ?? null]),
  )
  target.fragile = true
  target.counts.restored(heldBy(target.key, old))
  await target.write('PATCH', 'roll back', { metadata: { annotations } })
}

/** Deleted, and created again from a backup: another uid, all annotations and labels as they were. */
async function restore(target: Target, back: number): Promise<void> {
  const old = earlier(target, back)
  if (!old) return
  const { name, namespace, annotations, labels } = old.metadata
  const { apiVersion, kind } = old as unknown as { apiVersion: string; kind: string }
  const object = { apiVersion, kind, metadata: { name, namespace, annotations, labels }, spec: old.spec }
  const collection = target.path.slice(0, target.path.lastIndexOf('/'))
  await target.write('DELETE', 'delete', { propagationPolicy: 'Background' })
  target.counts.recreated(heldBy(target.key, old))
  const { [SNOOZE_KEY]: _, ...selector } = old.spec.template?.spec.nodeSelector ?? {}
  target.selector = selector
  target.fragile = true
  await target.write('POST', 'create from a backup', object, undefined, collection)
}

/** Destroys one of the places that hold the count, unless another one is gone already. */
async function destroy(target: Target, what: string, body: object): Promise<void> {
  if (target.fragile) return
  target.fragile = true
  target.counts.race()
  await target.write('PATCH', what, body)
}

function earlier(target: Target, back: number): Seen | undefined {
  const versions = target.observed.versions(target.key).filter(({ gone }) => !gone)
  return versions.at(-1 - (back % Math.max(1, versions.length)))?.object
}

import fc from 'fast-check'
import { SCALED_OBJECTS } from '../../src/domain/autoscaling/scaled-object.ts'
import { pauseChange, restOf } from '../../src/domain/companions/pause.ts'
import { ASLEEP_LABEL, ANNOTATION } from '../../src/domain/workload/workload.ts'
import { trimCompanion } from '../../src/kubernetes/companion-store.ts'
import { scaledObject, scaledObjectsIn } from '../keda/operator.ts'
import { KEDA } from '../support/scaled-objects.ts'
import { act, type Act } from './act.ts'
import { trimmed } from './kinds.ts'
import { PAUSED, PAUSED_REPLICAS, type Pause } from './pause.ts'
import type { RulesInForce } from './rules-in-force.ts'
import type { Target } from './target.ts'

const MARK = 'dormouse.dev/paused'

const PAUSE = fc.constantFrom<Record<keyof Pause, string | null>>(
  { [PAUSED]: null, [PAUSED_REPLICAS]: null },
  { [PAUSED]: null, [PAUSED_REPLICAS]: null },
  { [PAUSED]: 'true', [PAUSED_REPLICAS]: null },
  { [PAUSED]: null, [PAUSED_REPLICAS]: '2' },
)

/** People's changes of the ScaledObject of a Deployment; add an entry here to extend the scenarios. */
export const OF_SCALERS = {
  'add scaler': ofDeployment(1, fc.constantFrom(0, 1), addScaler),
  'remove scaler': ofDeployment(1, fc.constant(undefined), async (target) => {
    if (!target.scaler) return
    target.counts.race()
    await target.write('DELETE', 'remove scaler', undefined, undefined, pathOf(target))
    target.scaler = undefined
  }),
  'pause scaler': ofDeployment(2, PAUSE, async (target, annotations) => {
    if (!target.scaler) return
    target.counts.race()
    const metadata = { annotations }
    const answer = await target.write('PATCH', 'pause scaler', { metadata }, undefined, pathOf(target))
    if (answer?.status === 200) target.scaler.pause = written(annotations)
  }),
  trigger: act(2, fc.boolean(), async ({ keda, peers, world: { now } }, active) => {
    if (keda) keda.active = active
    for (const { scaler, asked } of peers)
      if (scaler) asked.push({ what: `trigger ${active}`, from: now, until: now, status: 200 })
  }),
} as const

/** KEDA scales Deployments here: an action drawn for another workload applies to one of them. */
function ofDeployment<Args>(weight: number, args: fc.Arbitrary<Args>, run: Act<Args>['run']): Act<Args> {
  return act(weight, args, async (target, chosen) => {
    const deployment = target.orPeer('deployments')
    if (deployment) await run(deployment, chosen)
  })
}

export async function addScaler(target: Target, min: number): Promise<void> {
  const { name, namespace } = target.key
  if (target.scaler || !target.keda) return
  target.counts.race()
  const object = scaledObject(name, target.keda.trigger, { min })
  const collection = scaledObjectsIn(namespace)
  const answer = await target.write('POST', `add scaler from ${min}`, object, undefined, collection)
  if (answer?.status !== 201) return
  target.scaler = { min, pause: {} }
  // From 0 on, KEDA alone decides about the count.
  if (min === 0) target.isKedas = true
}

/** The change that the domain would still write to a ScaledObject of the target; undefined: none. */
export function pauseDue(target: Target, rules: RulesInForce): string | undefined {
  const { latest, key, observed } = target
  const scaler = observed.scalers.at(-1)?.byName.get(key.name)
  if (!scaler || key.kind !== 'deployments') return undefined
  const asleep = latest ? restOf(trimmed(key.kind, latest), rules.now) : false
  const change = pauseChange(trimCompanion(SCALED_OBJECTS, KEDA, scaler), asleep)
  return change && `its ScaledObject needs ${JSON.stringify(change)}`
}

/** Knows nothing of the product's code: at rest, KEDA rests beside a sleeper at its count, and else is as its people left it. */
export function scalersLeft(target: Target): string[] {
  const { latest, key, title, observed, scaler } = target
  const object = observed.scalers.at(-1)?.byName.get(key.name)
  if (!latest || !scaler || !object) return []
  const { labels = {}, annotations = {} } = latest.metadata
  const isAsleep = labels[ASLEEP_LABEL] !== undefined
  // Unreadable: nobody knows whether it sleeps.
  if (isAsleep && annotations[ANNOTATION.state] === undefined) return []
  const marked: Readonly<Record<string, string | undefined>> = object.metadata.annotations ?? {}
  const isFree = scaler.pause[PAUSED] === undefined && scaler.pause[PAUSED_REPLICAS] === undefined
  const rests: Pause = { [PAUSED_REPLICAS]: String(latest.spec.replicas ?? 0) }
  const wanted = isAsleep && isFree ? rests : scaler.pause
  const found = ([PAUSED, PAUSED_REPLICAS] as const).filter((name) => marked[name] !== wanted[name])
  const leftMark = isAsleep ? [] : [MARK].filter((name) => marked[name] !== undefined)
  const wrong = [...found, ...leftMark].map((name) => `${name}=${marked[name]}`)
  if (wrong.length === 0) return []
  const state = isAsleep ? 'asleep' : 'awake'
  return [`${title} is ${state}, and its ScaledObject has ${wrong.join()} for ${JSON.stringify(wanted)}`]
}

function pathOf({ key }: Target): string {
  return scaledObjectsIn(key.namespace, key.name)
}

function written(annotations: Readonly<Record<string, string | null>>): Pause {
  return Object.fromEntries(Object.entries(annotations).filter(([, value]) => value !== null))
}

import fc from 'fast-check'
import { HPAS } from '../../src/domain/autoscaling/hpa.ts'
import { pauseChange, restOf } from '../../src/domain/companions/pause.ts'
import { isBuiltIn, KIND_NAME } from '../../src/domain/kinds.ts'
import { valueAt } from '../../src/domain/json-pointer.ts'
import { formOf } from '../../src/domain/sleeping/forms.ts'
import { ANNOTATION, ASLEEP_LABEL } from '../../src/domain/workload/workload.ts'
import type { KubernetesObject } from '../../src/kubernetes/api-object.ts'
import { trimCompanion } from '../../src/kubernetes/companion-store.ts'
import { act, type Act } from './act.ts'
import { HPA } from './hands.ts'
import { hpasIn, trimmed } from './kinds.ts'
import type { RulesInForce } from './rules-in-force.ts'
import type { Target } from './target.ts'

const MARK = 'dormouse.dev/paused'
/** More than anybody scales to: an HPA without metrics enforces its bounds, and nothing else. */
const MOST = 20
const LEAST = [1, 2, 3, 4]
const MINIMUM = fc.constantFrom(...LEAST)

/** HPAs of workloads with a count, as people and their controller act on them; add an entry here to extend the scenarios. */
export const OF_MINIMUMS = {
  'add HPA': ofCounted(1, MINIMUM, addHpa),
  'remove HPA': ofCounted(1, fc.constant(undefined), async (target) => {
    if (!target.minimums) return
    target.counts.race()
    await target.write('DELETE', 'remove HPA', undefined, undefined, pathOf(target))
    target.minimums = undefined
  }),
  // Most often one that Dormouse has lowered, if there is one.
  'edit HPA': ofCounted(
    4,
    fc.record({ minimum: fc.oneof(fc.constant(1), MINIMUM), lowered: fc.constantFrom(true, true, false) }),
    (target, { minimum, lowered }) => {
      const sought = lowered ? target.peers.find(isLowered) : undefined
      return editHpa(sought ?? target, minimum)
    },
  ),
  // On a real cluster its own controller looks, too, at any time.
  'HPA looks': ofCounted(4, fc.constant(undefined), async (target) => {
    const minimum = target.minimums && minimumIn(await read(target))
    const { latest, held } = target
    if (minimum === undefined || !latest || held.replicas === 0 || held.replicas >= minimum) return
    const body = { spec: { replicas: minimum } }
    const answer = await target.write('PATCH', `autoscale ${minimum}`, body, HPA, `${target.path}/scale`)
    if (answer?.status === 200) target.counts.autoscaled(minimum, held)
  }),
} as const

/** An action drawn for a workload without a count applies to a Deployment. */
function ofCounted<Args>(weight: number, args: fc.Arbitrary<Args>, run: Act<Args>['run']): Act<Args> {
  return act(weight, args, async (target, chosen) => {
    const counted = hasScale(target) ? target : target.orPeer('deployments')
    if (counted) await run(counted, chosen)
  })
}

function hasScale({ key: { kind } }: Target): boolean {
  return isBuiltIn(kind) && formOf({ kind }).name === 'count'
}

export async function addHpa(target: Target, minReplicas: number): Promise<void> {
  const { kind, name } = target.key
  if (target.minimums || !hasScale(target) || !isBuiltIn(kind)) return
  target.counts.race()
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: KIND_NAME[kind], name }
  const object = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name },
    spec: { scaleTargetRef, minReplicas, maxReplicas: MOST },
  }
  const what = `add HPA from ${minReplicas}`
  const answer = await target.write('POST', what, object, undefined, hpasIn(target.key.namespace))
  if (answer?.status !== 201) return
  target.minimums = [minReplicas]
}

/** Sets what it may stand at already beside a sleeper: then nobody sees the edit, and the former value comes back. */
async function editHpa(target: Target, minReplicas: number): Promise<void> {
  if (!target.minimums) return
  target.counts.race()
  const path = pathOf(target)
  const answer = await target.write(
    'PATCH',
    `edit HPA ${minReplicas}`,
    { spec: { minReplicas } },
    undefined,
    path,
  )
  if (answer?.status !== 200) return
  const { annotations } = answer.body.metadata as { annotations?: Readonly<Record<string, string>> }
  const kept = annotations?.[MARK]
  const isHidden = kept !== undefined && (JSON.parse(kept) as unknown[])[0] === minReplicas
  target.minimums = isHidden ? [...target.minimums, minReplicas] : [minReplicas]
}

/** The change that the domain would still write to the HPA of the target; undefined: none. */
export function minimumDue(target: Target, rules: RulesInForce): string | undefined {
  const hpa = hpaOf(target)
  if (!hpa || !hasScale(target)) return undefined
  const { latest, key } = target
  const rest = latest ? restOf(trimmed(key.kind, latest), rules.now) : false
  const change = pauseChange(trimCompanion(HPAS, HPAS.builtIn, hpa), rest)
  return change && `its HPA needs ${JSON.stringify(change)}`
}

/**
 * Knows nothing of the product's code: at rest, an HPA beside a sleeper at more than 0 does not raise it, and is else as its
 * people left it.
 */
export function minimumsLeft(target: Target): string[] {
  const { latest, title, minimums, held } = target
  const hpa = hpaOf(target)
  if (!latest || !minimums || !hpa) return []
  // Its own controller looked whenever it liked.
  if (target.world.cluster.isReal) for (const each of LEAST) target.counts.mayBeRaisedTo(each)
  const { labels = {}, annotations = {} } = latest.metadata
  const isAsleep = labels[ASLEEP_LABEL] !== undefined
  // Unreadable: nobody knows whether it sleeps.
  if (isAsleep && annotations[ANNOTATION.state] === undefined) return []
  const minimum = minimumIn(hpa)
  const mark = hpa.metadata.annotations?.[MARK]
  const says = `its HPA has a minimum of ${minimum} (${MARK}=${mark}) of people's ${minimums.join(' or ')}`
  if (!isAsleep || held.replicas === 0) {
    const isTheirs = minimum !== undefined && minimums.includes(minimum) && mark === undefined
    return isTheirs ? [] : [`${title} is ${isAsleep ? 'asleep at 0' : 'awake'}, and ${says}`]
  }
  const isLow = minimum !== undefined && minimum <= held.replicas
  const isKept = mark !== undefined || (minimum !== undefined && minimums.includes(minimum))
  return isLow && isKept ? [] : [`${title} is asleep at ${held.replicas}, and ${says}`]
}

function isLowered(target: Target): boolean {
  return hpaOf(target)?.metadata.annotations?.[MARK] !== undefined
}

function hpaOf({ key, observed }: Target): KubernetesObject | undefined {
  return observed.hpas.at(-1)?.byName.get(key.name)
}

function minimumIn(hpa: object | undefined): number | undefined {
  const minimum: unknown = valueAt(hpa, HPAS.place)
  return typeof minimum === 'number' ? minimum : undefined
}

async function read(target: Target): Promise<object | undefined> {
  const { status, body } = await target.world.cluster.admin.send('GET', pathOf(target))
  return status === 200 ? body : undefined
}

function pathOf({ key }: Target): string {
  return `${hpasIn(key.namespace)}/${key.name}`
}

import { kedaOf, type Keda } from '../autoscaling/keda.ts'
import { formOf } from '../sleeping/forms.ts'
import { counted } from '../text.ts'
import { managerAuthor } from '../workload/author.ts'
import { isAtRest, isScaledByKeda, type Reading } from '../workload/reading.ts'
import { FIELD_MANAGER, isScaled, type Workload } from '../workload/workload.ts'
import type { Rules } from './rules.ts'

/** Field managers: the HPA acts from the controller manager; KEDA's operator is named after its binary. */
const AUTOSCALERS: ReadonlyMap<string | undefined, string> = new Map([
  ['kube-controller-manager', 'a HorizontalPodAutoscaler'],
  ['keda', "KEDA's operator"],
  ['keda-operator', "KEDA's operator"],
])

/** The author of a workload's present count, and how it was set. */
export interface Scaling {
  /** As history names them; null: nobody is known, or Dormouse did. */
  readonly by: string | null
  readonly who: string
  /** The change of the count, in words: `scaled to 3 replicas`. */
  readonly what: string
  /** By the scale subresource, and by no autoscaler. */
  readonly isManual: boolean
  /** By an autoscaler, which is KEDA's wherever KEDA scales it and nobody else is known. */
  readonly isAutomatic: boolean
}

/** The author of the present count. A manager is the name that a client gave itself. */
export function scalingOf(workload: Workload, keda: Keda): Scaling {
  const { replicasManager, scaledBy } = workload
  const manager = replicasManager?.manager
  // The count that it woke to, if nobody has set another since.
  const by = scaledBy ?? (manager === FIELD_MANAGER ? null : managerAuthor(manager))
  const isManual = isManualScaling(workload, keda)
  const isAutomatic = isScaled(workload) && !isManual
  return {
    by,
    who: by ?? 'somebody',
    what: formOf(workload).words.moved(workload.replicas),
    isManual,
    isAutomatic,
  }
}

/** The autoscaler that set its count, as texts name it; undefined: it was not set by one. */
export function autoscalerOf(workload: Workload): string | undefined {
  return AUTOSCALERS.get(scalerOf(workload))
}

/** The field manager that set its count by the scale subresource; undefined: it was set otherwise. */
function scalerOf({ replicasManager: set }: Workload): string | undefined {
  return set?.subresource === 'scale' ? set.manager : undefined
}

/**
 * The act of an autoscaler that woke a sleeper again, for texts; undefined: none did. A ScaledObject is paused instead,
 * so its operator stops by itself.
 */
export function fightOf(workload: Workload, rules: Rules): string | undefined {
  const autoscaler = autoscalerOf(workload)
  if (autoscaler === undefined || isScaledByKeda(workload, rules)) return undefined
  return `${autoscaler} scaled it to ${counted(workload.replicas, 'replica')} again although it is asleep`
}

/** How an autoscaler keeps a schedule from being carried out. */
export type AutoscalerConflict = 'fight' | 'held_by_keda'

/** A managed workload's conflict: an autoscaler woke it, or others paused KEDA; undefined: none. */
export function autoscalerConflict(reading: Reading, rules: Rules): AutoscalerConflict | undefined {
  const { workload, state } = reading
  if (kedaOf(workload, rules).held !== undefined) return 'held_by_keda'
  const isWoken = state.asleep && !isAtRest(reading)
  return isWoken && fightOf(workload, rules) !== undefined ? 'fight' : undefined
}

/** Scaling by an autoscaler does not count as manual. */
function isManualScaling(workload: Workload, keda: Keda): boolean {
  const scaler = scalerOf(workload)
  if (scaler === undefined || AUTOSCALERS.has(scaler)) return false
  // KEDA's operator may have any name, and any account.
  return !keda.scales || isKnownHand(workload, scaler)
}

/**
 * Whether somebody set the count who may not while it is pinned: no autoscaler and no exempt account. Only the client is
 * known. In k3s, MicroK8s and clouds the HPA's client has other names, and exempt accounts have any; so an unknown
 * client is left wherever it may be one of these.
 */
export function isStoppedByPins({
  workload,
  keda,
  rules,
}: {
  readonly workload: Workload
  readonly keda: Keda
  readonly rules: Rules
}): boolean {
  const manager = workload.replicasManager?.manager
  if (manager === undefined || manager === FIELD_MANAGER || AUTOSCALERS.has(manager)) return false
  const { exemptUsers = [] } = rules
  return isKnownHand(workload, manager) || (!isScaled(workload) && !keda.scales && exemptUsers.length === 0)
}

function isKnownHand({ scaledBy }: Workload, manager: string): boolean {
  return manager.startsWith('kubectl') || isOfAPerson(scaledBy)
}

/** Whether a review named a user that is no service account. */
function isOfAPerson(user: string | undefined): boolean {
  return user !== undefined && !user.startsWith('k8s:system:serviceaccount:')
}

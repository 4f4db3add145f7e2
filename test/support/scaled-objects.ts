import { SCALED_OBJECTS } from '../../src/domain/autoscaling/scaled-object.ts'
import type { Companion } from '../../src/domain/companions/companion.ts'
import { targetOf } from '../../src/domain/companions/link.ts'
import type { Rules } from '../../src/domain/deciding/rules.ts'
import { keyOf } from '../../src/domain/workload/workload.ts'
import { trimCompanion } from '../../src/kubernetes/companion-store.ts'
import { RULES } from './rules.ts'

const ANNOTATION = {
  paused: 'autoscaling.keda.sh/paused',
  pausedReplicas: 'autoscaling.keda.sh/paused-replicas',
  mark: 'dormouse.dev/paused',
} as const
type Annotations = Partial<Record<keyof typeof ANNOTATION, string>>

type Options = Partial<Omit<Companion, 'object' | 'row' | 'served'>> & {
  readonly target?: { readonly apiVersion?: string; readonly kind?: string; readonly name?: string }
  readonly minReplicaCount?: number
  readonly annotations?: Annotations
  readonly hasAnnotations?: boolean
}

export const KEDA = { base: '/apis/keda.sh/v1alpha1', kind: 'ScaledObject' } as const

/** A ScaledObject `shop/web` of the Deployment `web`, unless specified otherwise. */
export function aScaledObject({ target, annotations = {}, ...options }: Options = {}): Companion {
  const { minReplicaCount = 0, hasAnnotations = Object.keys(annotations).length > 0, ...others } = options
  const metadata = { namespace: 'shop', name: 'web', uid: 'scaler-1', resourceVersion: '1' }
  const named = Object.entries(annotations).map(([name, value]) => [
    ANNOTATION[name as keyof Annotations],
    value,
  ])
  const trimmed = trimCompanion(SCALED_OBJECTS, KEDA, {
    metadata: { ...metadata, ...(hasAnnotations && { annotations: Object.fromEntries(named) }) },
    ...{ spec: { scaleTargetRef: { kind: 'Deployment', name: 'web', ...target }, minReplicaCount } },
  })
  return { ...trimmed, ...others }
}

/** As Dormouse leaves it beside a sleeper. */
export const PAUSED = { pausedReplicas: '0', mark: '' } as const

/** The rules where these are all ScaledObjects that there are. */
export function rulesWithKeda(...scalers: readonly Companion[]): Rules {
  return {
    ...RULES,
    scaledObjects: (workload) =>
      scalers.filter((scaler) => {
        const target = targetOf(scaler)
        return typeof target === 'object' && keyOf(target) === keyOf(workload)
      }),
  }
}

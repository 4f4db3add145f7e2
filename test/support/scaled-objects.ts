import type { PauseAnnotation, ScaledObject } from '../../src/domain/autoscaling/scaled-object.ts'
import { keyOf } from '../../src/domain/workload/workload.ts'
import { targetOf } from '../../src/domain/autoscaling/scaled-object.ts'
import type { Rules } from '../../src/domain/deciding/rules.ts'
import { RULES } from './rules.ts'

type Options = Partial<Omit<ScaledObject, 'annotations' | 'target'>> & {
  readonly target?: Partial<ScaledObject['target']>
  readonly annotations?: Partial<Record<PauseAnnotation, string>>
}

/** A ScaledObject `shop/web` of the Deployment `web`, unless specified otherwise. */
export function aScaledObject({ target, annotations = {}, ...others }: Options = {}): ScaledObject {
  return {
    namespace: 'shop',
    name: 'web',
    uid: 'scaler-1',
    resourceVersion: '1',
    deleting: false,
    target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', ...target },
    minReplicaCount: 0,
    annotations,
    hasAnnotations: Object.keys(annotations).length > 0,
    ...others,
  }
}

/** As Dormouse leaves it beside a sleeper. */
export const PAUSED = { pausedReplicas: '0', mark: '' } as const

/** The rules where these are all ScaledObjects that there are. */
export function rulesWithKeda(...scalers: readonly ScaledObject[]): Rules {
  return {
    ...RULES,
    scaledObjects: (workload) =>
      scalers.filter((scaler) => {
        const target = targetOf(scaler)
        return typeof target === 'object' && keyOf(target) === keyOf(workload)
      }),
  }
}

import { valueOf, type CompanionRow } from '../companions/companion.ts'
import { valueAt } from '../json-pointer.ts'

const OWNERS = '/metadata/ownerReferences'
const MAX = '/spec/maxReplicas'

/**
 * HorizontalPodAutoscalers: one rests by itself at 0, and would undo a sleep at more unless its minimum is that. One that a
 * controller owns, such as KEDA's, is its owner's to write.
 */
export const HPAS = {
  resource: 'horizontalpodautoscalers.autoscaling',
  link: { by: 'target' },
  place: '/spec/minReplicas',
  builtIn: { base: '/apis/autoscaling/v2', kind: 'HorizontalPodAutoscaler' },
  reads: [OWNERS, MAX],
  pause: {
    at: (rest) => (rest > 0 ? rest : undefined),
    isMet: (companion, wanted) => {
      const value = valueOf(companion)
      const isOwned = valueAt(companion.object, OWNERS) !== undefined
      return isOwned || typeof value !== 'number' || typeof wanted !== 'number' || value <= wanted
    },
    // The API server refuses a minimum above the maximum, which somebody may have lowered meanwhile.
    back: ({ object }, former) => {
      const max = valueAt(object, MAX)
      return typeof former === 'number' && typeof max === 'number' ? Math.min(former, max) : former
    },
  },
} as const satisfies CompanionRow

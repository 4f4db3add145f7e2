import { factsOf, KINDS, type Kind } from '../kinds.ts'
import { COUNT } from './count.ts'
import type { Follower } from './follower.ts'
import type { Form, Sleeping } from './form.ts'
import { NODE_SELECTOR } from './node-selector.ts'
import { switchOf } from './switch.ts'

/** A configured kind that has its count where most have it. */
const BY_COUNT: Sleeping = { form: COUNT, field: '/spec/replicas', hasScale: true }

const BUILT_IN: ReadonlyMap<Kind, Sleeping> = new Map(
  KINDS.map((kind) => {
    const { sleepsBy, field, hasScale } = factsOf(kind)
    return [kind, { form: formBy(sleepsBy), field, hasScale }]
  }),
)

function formBy(sleepsBy: ReturnType<typeof factsOf>['sleepsBy']): Form {
  if (sleepsBy === 'count') return COUNT
  return sleepsBy === 'nodeSelector' ? NODE_SELECTOR : switchOf(sleepsBy)
}

/** A workload; of a configured kind, with what the configuration says about it. */
interface OfKind {
  readonly kind: Kind
  readonly configured?: { readonly sleeping: Sleeping } | undefined
}

/** How a workload sleeps; one of a configured kind of which only the name is known: by its count. */
export function sleepingOf({ kind, configured }: OfKind): Sleeping {
  return configured?.sleeping ?? BUILT_IN.get(kind) ?? BY_COUNT
}

export function formOf(workload: OfKind): Form {
  return sleepingOf(workload).form
}

/** The operator: of a kind whose count is none of pods, and that has words of its own for having followed. */
export function followerOf(workload: OfKind): Follower {
  const { form, asleepWhen, awakeWhen } = sleepingOf(workload)
  if (form.countsPods) return 'pods'
  return asleepWhen !== undefined || awakeWhen !== undefined ? 'operator' : 'nobody'
}

/** Whether somebody starts and stops what it asks for, so that a move is done only once they have. */
export function isFollowed(workload: OfKind): boolean {
  return followerOf(workload) !== 'nobody'
}

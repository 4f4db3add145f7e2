import type { Instant } from '../../src/process/clock.ts'
import { compilePolicy } from '../../src/domain/policy/configured.ts'
import { Inheritance, type Namespace } from '../../src/domain/policy/inheritance.ts'
import type { Rules } from '../../src/domain/deciding/rules.ts'
import { SCALED_OBJECTS } from '../../src/domain/autoscaling/scaled-object.ts'
import { trimCompanion } from '../../src/kubernetes/companion-store.ts'
import { KEDA } from '../support/scaled-objects.ts'
import type { Observed, Scalers } from './observed.ts'
import { POLICIES } from './policies.ts'

/** Milliseconds that a watch of Dormouse's may be behind. */
const BEHIND = 5000
const inheritance = new Inheritance(POLICIES.map(compilePolicy))

/** The rules in the namespace of a scenario, which its annotations and labels change. */
export interface RulesInForce {
  /** As they are now. */
  readonly now: Rules
  /** All that somebody may have decided by since then. */
  since(instant: Instant): readonly Rules[]
}

/** `base`: the rules that are the same in all namespaces. */
export function rulesIn(base: Rules, observed: Observed): RulesInForce {
  const under = (namespace: Namespace | undefined, scalers: Scalers | undefined): Rules => ({
    ...base,
    inherited: (heir) => namespace && inheritance.of(namespace).by(heir),
    scaledObjects: ({ kind, name }) => {
      const scaler = kind === 'deployments' ? scalers?.get(name) : undefined
      return scaler ? [trimCompanion(SCALED_OBJECTS, KEDA, scaler)] : []
    },
  })
  return {
    get now() {
      return under(observed.namespaces.at(-1)?.namespace, observed.scalers.at(-1)?.byName)
    },
    since(instant) {
      const namespaces = inForceSince(observed.namespaces, instant)
      const scalers = inForceSince(observed.scalers, instant).map(({ byName }) => byName)
      return namespaces.flatMap(({ namespace }) =>
        [undefined, ...scalers].map((each) => under(namespace, each)),
      )
    },
  }
}

/** The versions since then, and the one before, which a watch that is behind still has. */
function inForceSince<V extends { readonly at: Instant }>(
  versions: readonly V[],
  instant: Instant,
): readonly V[] {
  const later = versions.findIndex(({ at }) => at >= instant - BEHIND)
  return versions.slice(Math.max(0, (later === -1 ? versions.length : later) - 1))
}

import fc from 'fast-check'
import { act } from './act.ts'
import { ENVIRONMENT, ENVIRONMENTS } from './policies.ts'
import { annotationsOf, WRITTEN } from './settings.ts'

/** People's changes of the Namespace, and so of all workloads that inherit; add an entry here to extend the scenarios. */
export const OF_NAMESPACES = {
  'annotate namespace': act(3, WRITTEN, (target, written) =>
    target.writeNamespace({ annotations: annotationsOf(written, target.world.now) }),
  ),
  'label namespace': act(1, fc.constantFrom(...ENVIRONMENTS, null), (target, environment) =>
    target.writeNamespace({ labels: { [ENVIRONMENT]: environment } }),
  ),
} as const

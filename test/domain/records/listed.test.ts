import { expect } from 'chai'
import { isOwnedByOne } from '../../../src/domain/companions/link.ts'
import { isListed } from '../../../src/domain/records/listed.ts'
import { at, RULES } from '../../support/rules.ts'
import { aDaemonSet, aDeployment, aStatefulSet, type AWorkload } from '../../support/workloads.ts'

const RABBIT = { apiVersion: 'rabbitmq.com/v1beta1', kind: 'RabbitmqCluster', name: 'queue' }
const STRANGER = { apiVersion: 'monitoring.coreos.com/v1', kind: 'Prometheus', name: 'k8s' }
const RULES_WITH_OWNERS = {
  ...RULES,
  pausesOwnerOf: (workload: AWorkload) => isOwnedByOne(workload, ['rabbitmqclusters.rabbitmq.com']),
} as typeof RULES

describe('whether lists show a workload', () => {
  const stateful = aStatefulSet('shop/queue').with({ owner: STRANGER })
  const copies = { enabled: 'true' }
  const revision = aDeployment('shop/web-1')
    .with({ kind: 'replicasets', owner: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } })
    .annotated(copies)

  const cases: Record<string, [AWorkload, boolean]> = {
    'without a controller: it is': [aStatefulSet('shop/queue'), true],
    'of a controller that nobody configured: it is not': [stateful, false],
    'enabled: it is': [stateful.enabled(), true],
    'with an enabled that is neither true nor false: it is': [stateful.annotated({ enabled: 'yes' }), true],
    'disabled: it is not': [stateful.annotated({ enabled: 'false' }), false],
    'asleep, though no longer enabled: it is': [stateful.snoozed({ at: at('Mon 20:00') }), true],
    'pinned, though no longer enabled: it is': [stateful.pinned(), true],
    'with a state that cannot be read: it is': [stateful.annotated({ state: '{' }), true],
    'whose owner is paused beside it: it is': [stateful.with({ owner: RABBIT }), true],
    'a DaemonSet, whose owner is never paused: it is not': [
      aDaemonSet('shop/agent').with({ owner: RABBIT }),
      false,
    ],
    'a ReplicaSet with copies of its Deployment’s annotations: it is not': [revision, false],
  }
  for (const [title, [workload, expected]] of Object.entries(cases))
    it(title, () => expect(isListed(workload, RULES_WITH_OWNERS)).to.equal(expected))
})

import { counted } from '../domain/text.ts'
import { trustIn } from '../domain/workload/reading.ts'
import { KeyKeeper } from '../service/keys/key-keeper.ts'
import { podName } from './process/home.ts'
import type { Wiring } from './wiring.ts'

/** The leader's care of the keys; undefined: they are in a file, or there are none. */
export function keyKeeperOf(wiring: Wiring): KeyKeeper | undefined {
  const { stateKeys, cluster, rules, clock, logger, excludeNamespaces, ownNamespace } = wiring
  if (!stateKeys?.store) return undefined
  const { informer, recorder } = cluster
  const excluded = new Set(excludeNamespaces)
  return new KeyKeeper({
    keys: stateKeys.keys,
    store: stateKeys.store,
    workloads: () =>
      Iterator.from(informer.list()).filter(
        ({ namespace, deleting }) => !deleting && !excluded.has(namespace),
      ),
    isToSign: (workload) => trustIn(workload, rules) === 'renew',
    isComplete: () => informer.watches.every(({ connected }) => connected),
    adopted: (workloads) => {
      const message =
        `No key of states was there, so a new one was made, and the states of ${counted(workloads, 'workload')} are ` +
        'signed as they were found. Who deleted the Secret?'
      logger.warn({ workloads }, message)
      if (ownNamespace === undefined) return
      const name = podName()
      const reference = { apiVersion: 'v1', kind: 'Pod', name }
      const pod = { namespace: ownNamespace, name, uid: '', resourceVersion: '', reference }
      recorder.record(pod, 'Warning', 'StatesAdopted', message)
    },
    clock,
    logger,
  })
}

import type { Config } from '../service/config/config.ts'
import { KeyFile } from '../service/keys/key-file.ts'
import { StateKeys } from '../service/keys/state-keys.ts'
import { UsageError } from '../process/errors.ts'
import { OneSecret } from '../kubernetes/secret.ts'
import type { SecretStore } from '../kubernetes/ports.ts'
import type { Process } from './process/process.ts'
import type { Informers } from './workload-clients.ts'
import { keptIn, NOT_SIGNED } from './key-places.ts'

/** The keys of states, and where they are kept. */
export interface KeptKeys {
  readonly keys: StateKeys
  /** undefined: in a file, which somebody else keeps. */
  readonly store: SecretStore | undefined
}

/** undefined: states are not signed. */
export function stateKeysOf({ config, cluster, namespace, clock, logger }: Process): KeptKeys | undefined {
  const place = keptIn(config)
  if (!place) {
    logger.warn(NOT_SIGNED)
    return undefined
  }
  if (place.secret === undefined)
    return { keys: new StateKeys({ source: new KeyFile(place.file), clock, logger }), store: undefined }
  const store = new OneSecret({ client: cluster.client, namespace, name: place.secret, logger })
  return { keys: new StateKeys({ source: store, clock, logger }), store }
}

/** Looks for the keys that states name, and has the workloads evaluated again when that changes what counts. */
export function followKeys({ keys }: KeptKeys, informer: Informers['informer']): void {
  informer.onChange((before, after) => {
    if (after && before?.annotations !== after.annotations) keys.want(after)
  })
  informer.onRestored(() => keys.doubt())
  keys.onChange(() =>
    informer.inputsChanged(informer.list(), ({ annotations }) => annotations.state !== undefined),
  )
}

/** @throws UsageError when the file of keys cannot be used */
export async function checkKeyFile({ stateKeyFile }: Config): Promise<void> {
  if (stateKeyFile === null) return
  try {
    await new KeyFile(stateKeyFile).read()
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error })
  }
}

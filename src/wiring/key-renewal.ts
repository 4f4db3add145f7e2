import { fromKeyData, newKey, toKeyData } from '../service/keys/key-data.ts'
import { OneSecret } from '../kubernetes/secret.ts'
import type { Instant } from '../process/clock.ts'
import { UsageError } from '../process/errors.ts'
import { CommandCluster, type CommandOptions } from './command-cluster.ts'
import { homeNamespace } from './process/home.ts'
import { keptIn } from './key-places.ts'

/** Milliseconds in which every replica learns of the next key. */
const NOTICE = 60_000

/** Adds the next key of states to the Secret. */
export class KeyRenewal {
  readonly cluster: CommandCluster
  readonly #options: CommandOptions
  readonly #name: string

  /** @throws UsageError where the service keeps no Secret of keys; Error when no usable kubeconfig is found */
  constructor(options: CommandOptions) {
    const place = keptIn(options.config)
    if (place?.secret === undefined)
      throw new UsageError(
        place
          ? `the keys are in stateKeyFile ${place.file}: put the next one on a first line of its own`
          : 'states are not signed in this configuration: set stateKeyFile',
      )
    this.#name = place.secret
    this.#options = options
    this.cluster = new CommandCluster(options)
  }

  /** When the next key begins to sign. @throws Error when there is no key yet, or a renewal is under way; ClusterRefusal */
  async renew(): Promise<Instant> {
    const { config, ownNamespace, clock, logger } = this.#options
    const { connection: cluster } = this.cluster
    await this.cluster.answered()
    const namespace = homeNamespace({ config, cluster, ownNamespace })
    const store = new OneSecret({ client: cluster.client, namespace, name: this.#name, logger })
    const secret = await store.read()
    const where = `the Secret ${this.#name} in the namespace ${namespace}`
    const { keys, adopting } = fromKeyData(secret?.data ?? {})
    if (!secret || keys.length === 0) throw new Error(`${where} has no key yet: does the service run there?`)
    if (adopting || keys.length > 1)
      throw new Error(
        `${where} has ${keys.length} keys: the leader still signs states by the newest, and removes the others`,
      )
    const from = clock() + NOTICE
    const written = await store.update(
      toKeyData({ keys: [newKey(from), ...keys], adopting }),
      secret.resourceVersion,
    )
    if (written === 'conflict') throw new Error(`${where} was changed meanwhile: run this again`)
    return from
  }
}

import { once } from 'node:events'
import { createServer, type Server } from 'node:https'
import type { KubernetesObject } from '../control-plane/client.ts'
import type { Cluster } from './cluster.ts'

/** The port at which CloudNativePG's operator asks an instance for its status. */
const STATUS_PORT = 8000
const READY = { type: 'Ready', status: 'True' }

interface Pod extends KubernetesObject {
  readonly status?: {
    readonly podIP?: string
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

/**
 * The instance managers of CloudNativePG's pods in a namespace, as v1.27.0's `pkg/management/postgres/webserver` answers:
 * kwok starts no containers. Each gets a loopback address of its own, which only the operator beside the tests asks.
 */
export class PostgresInstances {
  readonly #cluster: () => Cluster
  readonly #namespace: () => string
  /** By the uid of its pod. */
  readonly #servers = new Map<string, Server>()
  readonly #stopped = new AbortController()
  #count = 0
  #running = Promise.resolve()

  constructor(cluster: () => Cluster, namespace: () => string) {
    this.#cluster = cluster
    this.#namespace = namespace
  }

  /** Follows the pods of all clusters there. */
  start(): void {
    this.#running = this.#follow()
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#running
    for (const server of this.#servers.values()) await closed(server)
  }

  get #pods(): string {
    return `/api/v1/namespaces/${this.#namespace()}/pods`
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stopped
    const selector = encodeURIComponent('cnpg.io/podRole=instance')
    try {
      for await (const line of this.#cluster().admin.lines(
        `${this.#pods}?watch=1&labelSelector=${selector}`,
        signal,
      )) {
        const { type, object } = JSON.parse(line) as { type: string; object: Pod }
        const uid = String(object.metadata?.['uid'])
        const server = this.#servers.get(uid)
        if (type === 'DELETED') {
          if (server) await closed(server)
          continue
        }
        const isReady = object.status?.conditions?.some(
          (each) => each.type === READY.type && each.status === READY.status,
        )
        if (isReady && !server && object.metadata?.['deletionTimestamp'] === undefined)
          await this.#run(uid, object)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  async #run(uid: string, pod: Pod): Promise<void> {
    const { admin } = this.#cluster()
    const name = String(pod.metadata?.name)
    const { labels = {} } = pod.metadata as { labels?: Readonly<Record<string, string>> }
    const cluster = labels['cnpg.io/cluster'] ?? ''
    const secret = await admin.expect(
      'GET',
      `/api/v1/namespaces/${this.#namespace()}/secrets/${cluster}-server`,
    )
    const data = (secret as { data?: Record<string, string> }).data ?? {}
    const [key, cert] = ['tls.key', 'tls.crt'].map((each) => Buffer.from(data[each] ?? '', 'base64'))
    const server = createServer({ key, cert, minVersion: 'TLSv1.3' }, (_, answer) => {
      void this.#statusOf(cluster, name).then((status) => answer.end(JSON.stringify(status)))
    })
    this.#servers.set(uid, server)
    const podIP = `127.77.0.${(this.#count += 1)}`
    server.listen(STATUS_PORT, podIP)
    await once(server, 'listening')
    await admin.expect('PATCH', `${this.#pods}/${name}/status`, {
      status: { podIP, podIPs: [{ ip: podIP }] },
    })
  }

  /** An instance that is to be primary becomes it at once. */
  async #statusOf(cluster: string, name: string): Promise<object> {
    const path = `/apis/postgresql.cnpg.io/v1/namespaces/${this.#namespace()}/clusters/${cluster}`
    const { status = {} } = (await this.#cluster().admin.expect('GET', path)) as {
      status?: { targetPrimary?: string; currentPrimary?: string }
    }
    const isPrimary = status.targetPrimary === name
    if (isPrimary && status.currentPrimary !== name)
      await this.#cluster().admin.expect('PATCH', `${path}/status`, { status: { currentPrimary: name } })
    return {
      isPrimary,
      systemID: '7000000000000000000',
      currentLsn: '0/3000000',
      receivedLsn: '0/3000000',
      replayLsn: '0/3000000',
      timeLineID: 1,
      isWalReceiverActive: !isPrimary,
      executableHash: 'none',
      instanceManagerVersion: '1.27.0',
      instanceArch: 'amd64',
    }
  }
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  server.close()
  if (server.listening) await once(server, 'close')
}

import type { Client, KubernetesObject } from '../control-plane/client.ts'

const ORIGINAL = 'downscaler/original-replicas'
const APPLY = 'application/apply-patch+yaml'

/** The state wanted by the tool's own schedule. */
export type Wants = 'up' | 'down'

/** The answer to its write; undefined: it had nothing to write. */
export type Round = { readonly status: number; readonly body: KubernetesObject } | undefined

/**
 * A stand-in for a tool that runs beside Dormouse: it makes the writes that were recorded of the tool, to one workload,
 * each time that the tool looks at it.
 */
export interface Neighbour {
  readonly name: string
  /** Its name in managedFields. */
  readonly manager: string
  /** It marks its sleepers: Dormouse leaves those alone, and puts them to sleep once they run again. */
  readonly marks?: true
  round(admin: Client, path: string, wants: Wants): Promise<Round>
}

interface Read extends KubernetesObject {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> }
  readonly spec: { readonly replicas: number }
}

/** The writes of a downscaler's round: the count, and the count to remember (null: forget it); undefined: none. */
function downscaled({ metadata, spec }: Read, wants: Wants) {
  const original = metadata.annotations?.[ORIGINAL]
  if (wants === 'down')
    return spec.replicas > 0 ? { replicas: 0, original: String(spec.replicas) } : undefined
  const isDown = original !== undefined && spec.replicas === 0
  return isDown ? { replicas: Number(original), original: null } : undefined
}

/** Reads the workload every 30 s or so, and writes the whole of it back. */
function downscaler(manager: string, version: string, verb: 'PATCH' | 'PUT'): Neighbour {
  return {
    name: manager,
    manager,
    marks: true,
    async round(admin, path, wants) {
      const object = (await admin.expect('GET', path)) as Read
      const set = downscaled(object, wants)
      if (!set) return undefined
      const annotations: Record<string, string | null> = {
        ...object.metadata.annotations,
        [ORIGINAL]: set.original,
      }
      if (verb === 'PUT' && set.original === null) delete annotations[ORIGINAL]
      const changed = {
        ...object,
        metadata: { ...object.metadata, annotations },
        spec: { ...object.spec, replicas: set.replicas },
      }
      return admin.send(verb, path, changed, { 'user-agent': `${manager}/${version}` })
    },
  }
}

/**
 * Remembers its sleepers, writes at its times alone, and wakes those that are as it left them: to sleep by a forced
 * apply of the whole object, awake by a patch of the count.
 */
function kubeGreen(): Neighbour {
  const kept = new Map<string, number>()
  return {
    name: 'kube-green',
    manager: 'kube-green',
    async round(admin, path, wants) {
      const { status: _, ...object } = (await admin.expect('GET', path)) as Read
      const { replicas } = object.spec
      const {
        managedFields: __,
        resourceVersion: ___,
        ...metadata
      } = object.metadata as Record<string, unknown>
      if (wants === 'down') {
        if (replicas === 0) return undefined
        kept.set(path, replicas)
        const asleep = { ...object, metadata, spec: { ...object.spec, replicas: 0 } }
        const query = '?fieldManager=kube-green&force=true'
        return admin.send('PATCH', `${path}${query}`, asleep, { 'content-type': APPLY })
      }
      const count = kept.get(path)
      kept.delete(path)
      if (count === undefined || replicas !== 0) return undefined
      return admin.send('PATCH', path, { spec: { replicas: count } }, { 'user-agent': 'manager/v0.7.1' })
    },
  }
}

/** py-kube-downscaler 26, GoKubeDownscaler 1.3 and kube-green 0.7. */
export const neighbours = (): readonly Neighbour[] => [
  downscaler('new-pykube', '26.10.0', 'PATCH'),
  downscaler('gokubedownscaler', 'v0.0.0', 'PUT'),
  kubeGreen(),
]

import type { Requests } from '../domain/workload/workload.ts'
import type { PodSpec, ResourceRequirements } from './api-object.ts'

const SCALE: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

/**
 * A Kubernetes quantity (`100m`, `1.5Gi`, `1e3`) as a number; 0 for any other text, which the API server refuses
 * anyway. client-node's own parser is not exported and throws at `1.5Gi`.
 */
export function parseQuantity(quantity: string | number | undefined): number {
  if (quantity === undefined) return 0
  const match = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]{0,2})$/.exec(String(quantity))
  const scale = match?.[2] === undefined ? undefined : SCALE[match[2]]
  const number = Number(match?.[1])
  return scale === undefined || Number.isNaN(number) ? 0 : number * scale
}

/**
 * The requests of one pod, in cores and bytes, as the scheduler counts them (Kubernetes docs, "Sidecar
 * Containers: resource sharing"): the sum of containers and sidecars, or the largest of any init container
 * plus the sidecars started before it, whichever is more. Pod-level requests replace that; overhead is added.
 */
export function effectiveRequests(pod: PodSpec | undefined): Requests {
  return { cpu: effective(pod, 'cpu'), memory: effective(pod, 'memory') }
}

function effective(pod: PodSpec | undefined, resource: 'cpu' | 'memory'): number {
  let sidecars = 0
  let starting = 0
  for (const { restartPolicy, resources } of pod?.initContainers ?? []) {
    const amount = requested(resources, resource)
    if (restartPolicy === 'Always') sidecars += amount
    starting = Math.max(starting, restartPolicy === 'Always' ? sidecars : sidecars + amount)
  }
  const running = (pod?.containers ?? []).reduce(
    (sum, { resources }) => sum + requested(resources, resource),
    sidecars,
  )
  const ofContainers = Math.max(running, starting)
  const ofPod = pod?.resources?.requests?.[resource]
  return (
    (ofPod === undefined ? ofContainers : parseQuantity(ofPod)) + parseQuantity(pod?.overhead?.[resource])
  )
}

/** A limit without a request counts as the request: the API server defaults pods so, but not pod templates. */
function requested(resources: ResourceRequirements | undefined, resource: 'cpu' | 'memory'): number {
  return parseQuantity(resources?.requests?.[resource] ?? resources?.limits?.[resource])
}

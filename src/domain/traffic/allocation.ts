import { ANNOTATION } from '../annotations.ts'
import { trafficMode, type TrafficMode } from '../traffic-mode.ts'
import { keyWithin } from '../workload/workload.ts'
import { RAW_PORTS, SERVICE_LABEL, WAKES } from './slices.ts'

/** A port of a Service that sleeps, as wakers know it. */
export interface AllocatedPort {
  /** '' where the Service has one without a name. */
  readonly name: string
  /** The wakers' own port for it. */
  readonly number: number
  readonly mode: TrafficMode
}

/** A slice of ours, as wakers read it. */
export interface Allocation {
  readonly namespace: string
  readonly service: string
  readonly ports: readonly AllocatedPort[]
  /** Such as `deployments/web`. */
  readonly workloads: readonly string[]
  /** The wakers that it names. */
  readonly addresses: readonly string[]
}

/** The fields of an EndpointSlice that allocations follow from. */
interface AllocatingSlice {
  readonly metadata: {
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null
  readonly endpoints?: readonly { readonly addresses: readonly string[] }[] | null
}

/** undefined: somebody has edited it so that it says nothing. */
export function allocationOf({ metadata, ports, endpoints }: AllocatingSlice): Allocation | undefined {
  const { namespace = '', labels = {}, annotations = {} } = metadata
  const service = labels[SERVICE_LABEL]
  const mode = trafficMode(annotations[ANNOTATION.wakeOnTraffic] ?? '')
  const workloads = listIn(annotations[WAKES]).filter((each) => keyWithin(namespace, each))
  if (service === undefined || mode === undefined || mode === 'off' || workloads.length === 0)
    return undefined
  const raw = listIn(annotations[RAW_PORTS])
  return {
    namespace,
    service,
    ports: (ports ?? []).flatMap(({ name = '', port: number }) =>
      number === undefined ? [] : { name, number, mode: raw.includes(name) ? 'any' : mode },
    ),
    workloads,
    addresses: (endpoints ?? []).flatMap(({ addresses }) => addresses),
  }
}

function listIn(text: string | undefined): readonly string[] {
  return text === undefined ? [] : text.split(',').map((each) => each.trim())
}

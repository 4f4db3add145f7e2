import { ANNOTATION } from '../annotations.ts'
import { TRAFFIC_MODES, type TrafficMode } from '../traffic-mode.ts'
import {
  FAMILIES,
  isWithoutPage,
  noTrafficOf,
  tcpPorts,
  type Family,
  type Service,
  type ServicePort,
} from './service.ts'

export const SERVICE_LABEL = 'kubernetes.io/service-name'
export const MANAGED_BY_LABEL = 'endpointslice.kubernetes.io/managed-by'
export const MANAGER = 'dormouse.dev'
/** The sleepers that opted in, such as `deployments/web,statefulsets/db`. */
export const WAKES = 'dormouse.dev/wakes'
/** The names of ports whose mode is `any` though the Service's is page or button. */
export const RAW_PORTS = 'dormouse.dev/raw-ports'
/**
 * Follows the Service's name in those of our slices, where Kubernetes' own have five random characters. They are listed by
 * name, ours last: controllers that take the ports of one slice for the addresses of all (Skipper) take those of the last,
 * and the slice of pods that are not ready has ports already.
 */
const SUFFIX = 'zzzzz-dormouse-'
/** The characters of the Service's name that Kubernetes keeps: ingress-nginx finds a Service's slices by these. */
const LONGEST_PART = 58

/** A workload that the Service selects. */
export interface Selected {
  /** Such as `deployments`. */
  readonly kind: string
  readonly name: string
  readonly isAsleep: boolean
  readonly wantsPods: boolean
  readonly mode: TrafficMode | 'off'
}

export interface Waker {
  readonly address: string
  readonly family: Family
  readonly nodeName?: string | undefined
  readonly zone?: string | undefined
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
}

/** The numbers of a Service's ports, by name, and the tag in the names of its slices. */
export interface Claim {
  readonly ports: ReadonlyMap<string, number>
  readonly tag: string
}

/** Everything from which the slices of one Service follow. */
export interface Traffic {
  readonly service: Service
  readonly selected: readonly Selected[]
  /** The pods behind ready endpoints in slices of others; '': an endpoint that is no pod. */
  readonly readyPods: readonly string[]
  readonly wakers: readonly Waker[]
  /** Whether a slice of ours stands. */
  readonly stands: boolean
}

/** How a slice is written: the configuration's part. */
export interface SliceStyle {
  readonly endpoints: 'ready' | 'fallback'
  readonly owner?: OwnerReference | undefined
}

/** An EndpointSlice of ours, as the API server takes it. */
export interface Slice {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly labels: Readonly<Record<string, string>>
    readonly annotations: Readonly<Record<string, string>>
    readonly ownerReferences?: readonly OwnerReference[]
  }
  readonly addressType: Family
  readonly ports: readonly {
    readonly name: string
    readonly port: number
    readonly protocol: 'TCP'
    readonly appProtocol?: string
  }[]
  readonly endpoints: readonly {
    readonly addresses: readonly string[]
    readonly conditions: Readonly<Record<'ready' | 'serving' | 'terminating', boolean>>
    readonly nodeName?: string
    readonly zone?: string
  }[]
}

/**
 * Whether wakers should answer for the Service: from when all that it selects sleeps, until the first pod is ready. A
 * workload that wants no pods though it is awake serves nobody, and so hinders nothing.
 */
function wantsSlices({ service, selected, readyPods, wakers, stands }: Traffic): boolean {
  if (!wakers.some(({ family }) => service.families.includes(family))) return false
  if (noTrafficOf(service) !== undefined || !selected.some(({ mode }) => mode !== 'off')) return false
  // A sleeper's own pods are about to end.
  if (readyPods.some((pod) => ownerOf(pod, selected)?.isAsleep !== true)) return false
  const isWaking = selected.some(({ isAsleep, wantsPods }) => !isAsleep && wantsPods)
  return isWaking ? stands : selected.some(({ isAsleep }) => isAsleep)
}

const POD = '[a-z0-9]{5}'
/** The rest of a pod's name, by kind, as Kubernetes' controllers make it; operators do as they like. */
const REST: Readonly<Record<string, RegExp>> = {
  deployments: new RegExp(`^[0-9a-f]{6,10}-${POD}$`),
  replicasets: new RegExp(`^${POD}$`),
  daemonsets: new RegExp(`^${POD}$`),
  statefulsets: /^\d+$/,
}

/** As far as names tell: one that seems to be nobody's serves by itself. */
function ownerOf(pod: string, selected: readonly Selected[]): Selected | undefined {
  const named = selected.filter(
    ({ kind, name }) => pod.startsWith(`${name}-`) && (REST[kind]?.test(pod.slice(name.length + 1)) ?? true),
  )
  return named.toSorted((one, other) => other.name.length - one.name.length)[0]
}

/** The strongest mode of its workloads; undefined: none opted in. */
function modeOf(selected: readonly Selected[]): TrafficMode | undefined {
  return TRAFFIC_MODES.find((mode) => selected.some((each) => each.mode === mode))
}

/**
 * One for each family of which there is a waker; none while wakers should not answer. Only where there are some `claim` is
 * called: it gives each port's name a number. undefined: it has none left.
 */
export function plannedSlices(
  traffic: Traffic,
  claim: (names: readonly string[]) => Claim | undefined,
  { endpoints, owner }: SliceStyle,
): readonly Slice[] | undefined {
  const { service, selected, wakers } = traffic
  const mode = modeOf(selected)
  if (mode === undefined || !wantsSlices(traffic)) return []
  const claimed = claim(tcpPorts(service).map(({ name }) => name))
  if (!claimed) return undefined
  const { ports, tag } = claimed
  const raw = mode === 'page' || mode === 'button' ? tcpPorts(service).filter(isWithoutPage) : []
  const wakes = selected.filter((each) => each.mode !== 'off').map(({ kind, name }) => `${kind}/${name}`)
  const families = FAMILIES.filter((each) => service.families.includes(each))
  return families.flatMap((family) => {
    const reachable = wakers.filter((each) => each.family === family)
    if (reachable.length === 0) return []
    return {
      metadata: {
        name: sliceName(service, family, tag),
        namespace: service.namespace,
        labels: { [SERVICE_LABEL]: service.name, [MANAGED_BY_LABEL]: MANAGER },
        annotations: {
          [ANNOTATION.wakeOnTraffic]: mode,
          [WAKES]: wakes.toSorted().join(','),
          ...(raw.length > 0 && { [RAW_PORTS]: raw.map(({ name }) => name).join(',') }),
        },
        ...(owner && { ownerReferences: [owner] }),
      },
      addressType: family,
      ports: tcpPorts(service).map((port) => portOf(port, ports)),
      endpoints: reachable
        .toSorted((one, other) => (one.address < other.address ? -1 : 1))
        .map((waker) => endpointOf(waker, endpoints === 'ready')),
    }
  })
}

/**
 * `tag`: 8 hex digits, others each time that slices come for the Service. HAProxy's own controller (3.2) ignores a slice
 * that comes again under its name with the same content.
 */
export function sliceName({ name }: Pick<Service, 'name'>, family: Family, tag: string): string {
  return `${`${name}-`.slice(0, LONGEST_PART)}${SUFFIX}${tag}-${family.slice(-1)}`
}

/** That in the name of a slice; undefined: it has none. */
export function tagOf(sliceName: string): string | undefined {
  return /-([0-9a-f]{8})-[46]$/.exec(sliceName)?.[1]
}

function portOf(
  { name, appProtocol }: ServicePort,
  ports: ReadonlyMap<string, number>,
): Slice['ports'][number] {
  const port = ports.get(name)
  if (port === undefined) throw new TypeError(`port ${name} has no number`)
  return { name, port, protocol: 'TCP', ...(appProtocol !== undefined && { appProtocol }) }
}

function endpointOf({ address, nodeName, zone }: Waker, isReady: boolean): Slice['endpoints'][number] {
  return {
    addresses: [address],
    conditions: { ready: isReady, serving: true, terminating: !isReady },
    ...(nodeName !== undefined && { nodeName }),
    ...(zone !== undefined && { zone }),
  }
}

/** The families of addresses, as EndpointSlices and Services name them. */
export const FAMILIES = ['IPv4', 'IPv6'] as const
export type Family = (typeof FAMILIES)[number]

export interface ServicePort {
  /** '' where the Service has one port without a name. */
  readonly name: string
  readonly port: number
  readonly protocol: string
  readonly appProtocol?: string | undefined
}

/** A Service, trimmed to what the rules need. */
export interface Service {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly type: string
  readonly isHeadless: boolean
  /** undefined or empty: it selects nothing. */
  readonly selector?: Readonly<Record<string, string>> | undefined
  readonly families: readonly Family[]
  readonly ports: readonly ServicePort[]
}

/** The API server refuses slices with more. */
const MOST_PORTS = 100
/** Labels that controllers add to pods, so that no template has them. Argo Rollouts puts its own into Services' selectors. */
const ADDED = [
  'rollouts-pod-template-hash',
  'pod-template-hash',
  'controller-revision-hash',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
]
const TLS_PORTS = [443, 8443]
/** TLS, or HTTP/2 without it, which an ingress controller that reads `appProtocol` would speak to a waker, too; gRPC has no browsers. */
const PROTOCOLS_WITHOUT_PAGE = ['https', 'kubernetes.io/wss', 'kubernetes.io/h2c', 'h2c', 'http2']

/** Whether it selects pods of a template with these labels, as far as a template tells. */
export function selects(
  { selector }: Pick<Service, 'selector'>,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (!selector) return false
  let isEmpty = true
  // Asked for each pair of a Service and a workload of a namespace: it allocates nothing.
  for (const label in selector) {
    if (labels[label] === selector[label]) isEmpty = false
    else if (!ADDED.includes(label)) return false
  }
  return !isEmpty
}

export function tcpPorts({ ports }: Pick<Service, 'ports'>): readonly ServicePort[] {
  return ports.filter(({ protocol }) => protocol === 'TCP')
}

/** Why traffic to this Service can wake nothing; undefined: it can. */
export function noTrafficOf(service: Service): string | undefined {
  const called = `Service ${service.name}`
  if (service.type === 'ExternalName') return `${called} is a name for another host`
  if (service.isHeadless) return `${called} is headless: its callers reach pods without it`
  if (Object.keys(service.selector ?? {}).length === 0) return `${called} has no selector`
  const { length } = tcpPorts(service)
  if (length === 0) return `${called} has no TCP port`
  return length > MOST_PORTS ? `${called} has more than ${MOST_PORTS} TCP ports` : undefined
}

/** Whether browsers come to this port over TLS or HTTP/2, as far as its Service tells, so that no page can be shown there. */
export function isWithoutPage({ name, port, appProtocol }: ServicePort): boolean {
  // A protocol that is named decides alone.
  if (appProtocol !== undefined) return PROTOCOLS_WITHOUT_PAGE.includes(appProtocol.toLowerCase())
  return TLS_PORTS.includes(port) || name.startsWith('https')
}

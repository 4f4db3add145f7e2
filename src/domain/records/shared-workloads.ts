import type { Workload, WorkloadKey } from '../workload/workload.ts'

/** By what everybody in a cluster would miss: the names by which it is mostly installed. */
const SHARED: Readonly<Record<string, string>> = {
  'an ingress or a gateway':
    'ingress-nginx nginx-ingress ingress-controller traefik haproxy-ingress contour envoy-gateway ' +
    'istio-ingressgateway istiod kong emissary ambassador apisix cloudflared',
  DNS: 'coredns kube-dns external-dns node-local-dns',
  'sign-in': 'keycloak dex oauth2-proxy authentik authelia zitadel pomerium',
  'a registry': 'registry harbor nexus artifactory quay',
  certificates: 'cert-manager trust-manager',
  secrets: 'vault external-secrets sealed-secrets',
  monitoring:
    'prometheus alertmanager grafana thanos mimir loki vmsingle vmagent kube-state-metrics metrics-server ' +
    'opentelemetry-collector',
  deployments: 'argocd argo-cd flux flux-system source-controller kustomize-controller',
  autoscaling: 'keda cluster-autoscaler karpenter',
  policies: 'kyverno gatekeeper',
  storage: 'velero longhorn rook',
}
const LABELS = ['app.kubernetes.io/name', 'app.kubernetes.io/part-of', 'app', 'k8s-app']
/** By what is missed; the name stands alone, or between signs. */
const FORMS = Object.entries(SHARED).map(
  ([what, names]) => [what, new RegExp(`(?:^|[-.])(?:${names.replaceAll(' ', '|')})(?:$|[-.])`)] as const,
)

/** A workload that others in the cluster need, as far as its names tell. */
export interface SharedWorkload extends WorkloadKey {
  /** The thing that is missed while it sleeps: `DNS`. */
  readonly what: string
  /** The policy that manages it. */
  readonly policy: string
}

/** The thing that everybody would miss: `DNS`; undefined: nothing that its names tell. */
export function missedOf({
  namespace,
  name,
  labels,
}: Pick<Workload, 'namespace' | 'name' | 'labels'>): string | undefined {
  const names = [name, namespace, ...LABELS.flatMap((key) => labels?.[key] ?? [])].map((each) =>
    each.toLowerCase(),
  )
  return FORMS.find(([, form]) => names.some((each) => form.test(each)))?.[0]
}

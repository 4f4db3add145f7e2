import type { Values } from './helm.ts'

/** Sets of values that between them reach every branch of every template. */
export const MATRIX: Readonly<Record<string, Values>> = {
  'default values': {},
  'a webhook outside': { config: { webhook: { url: 'https://192.0.2.7:9443/' } } },
  'kinds of its own': {
    config: {
      kinds: [
        { resource: 'rollouts.argoproj.io' },
        { resource: 'kibanas.kibana.k8s.elastic.co', specReplicasPath: '.spec.size.count' },
      ],
    },
  },
  'no webhook': { config: { webhook: { enabled: false } } },
  'nothing that one can leave out': {
    replicas: 1,
    rbac: { create: false, aggregate: false },
    serviceAccount: { create: false, name: 'elsewhere' },
    networkPolicy: { enabled: false },
    podDisruptionBudget: { enabled: false },
    topologySpreadConstraints: [],
    admissionPolicy: { enabled: false },
    release: { enabled: false },
    publish: { enabled: false },
    resources: {},
  },
  'certificates by cert-manager, with a CA of their own': {
    config: { webhook: { certificates: { mode: 'cert-manager' } } },
  },
  'certificates by cert-manager, of an issuer that is there, for a webhook at an address': {
    config: { webhook: { url: 'https://[2001:db8::7]:9443', certificates: { mode: 'cert-manager' } } },
    certManager: {
      issuerRef: { name: 'internal', kind: 'ClusterIssuer' },
      duration: '24h',
      renewBefore: '8h',
    },
  },
  'certificates by cert-manager, for a webhook with a name': {
    config: { webhook: { url: 'https://sleep.example.com/in/here', certificates: { mode: 'cert-manager' } } },
  },
  'certificates from a Secret': {
    config: { webhook: { certificates: { mode: 'files' } } },
    certificateFiles: { secretName: 'given' },
  },
  'certificates and keys from volumes of their own': {
    config: {
      webhook: { certificates: { mode: 'files', directory: '/certificates' } },
      auth: { local: { issuer: 'here', audience: 'dormouse', publicKeyFile: '/keys/public.pem' } },
    },
    extraVolumes: [
      { name: 'certificates-of-ours', secret: { secretName: 'given' } },
      { name: 'keys', secret: { secretName: 'keys' } },
    ],
    extraVolumeMounts: [
      { name: 'certificates-of-ours', mountPath: '/certificates', readOnly: true },
      { name: 'keys', mountPath: '/keys', readOnly: true },
    ],
  },
  'ports apart, plain HTTP behind an Ingress': {
    config: { api: { port: 9443, insecurePort: 8181 }, webhook: { port: 9444 }, metrics: { port: 9100 } },
    service: { type: 'LoadBalancer', annotations: { 'example.com/internal': 'true' } },
    ingress: {
      enabled: true,
      className: 'nginx',
      annotations: { 'example.com/note': 'plain' },
      hosts: [{ host: 'dormouse.example.com' }, { host: 'sleep.example.com', path: '/api/v1' }],
      tls: [{ secretName: 'dormouse-tls', hosts: ['dormouse.example.com', 'sleep.example.com'] }],
    },
    networkPolicy: {
      apiFrom: [{ ipBlock: { cidr: '10.0.0.0/8' } }],
      webhookFrom: [{ ipBlock: { cidr: '192.0.2.10/32' } }],
      metricsFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
      egress: [
        { ports: [{ port: 443 }, { port: 53, protocol: 'UDP' }], to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] },
      ],
    },
  },
  'a port of the nodes, and no plain HTTP': {
    service: { type: 'NodePort' },
    metrics: { serviceMonitor: { enabled: true } },
  },
  'an Ingress that speaks HTTPS to the Service': {
    ingress: { enabled: true, hosts: [{ host: 'dormouse.example.com' }] },
  },
  'a route of a Gateway': {
    config: { api: { insecurePort: 8181 } },
    httpRoute: {
      enabled: true,
      annotations: { 'example.com/note': 'outside' },
      parentRefs: [{ name: 'public', namespace: 'gateways', sectionName: 'https' }],
      hostnames: ['dormouse.example.com'],
      filters: [{ type: 'ResponseHeaderModifier', responseHeaderModifier: { remove: ['server'] } }],
    },
  },
  'a route of a Gateway that speaks HTTPS to the Service': {
    console: { enabled: false },
    httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] },
  },
  'everything to watch it by': {
    metrics: {
      scrapeAnnotations: true,
      serviceMonitor: { enabled: true, labels: { release: 'prometheus' }, interval: '15s' },
      prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
      dashboards: { enabled: true, folder: 'Platform', annotations: { 'example.com/note': 'sidecar' } },
    },
    argoCd: { health: 'Healthy' },
  },
  'a place and names of its own': {
    nameOverride: 'sleep',
    fullnameOverride: 'sleeper',
    replicas: 3,
    image: {
      repository: 'registry.example.com/dormouse',
      digest: `sha256:${'0'.repeat(64)}`,
      pullPolicy: 'Always',
      pullSecrets: [{ name: 'registry' }],
    },
    serviceAccount: { annotations: { 'example.com/identity': 'dormouse' } },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ key: 'infra', operator: 'Exists', effect: 'NoSchedule' }],
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
    priorityClassName: 'system-cluster-critical',
    podAnnotations: { 'example.com/note': 'pod' },
    podLabels: { team: 'platform' },
    podDisruptionBudget: { maxUnavailable: '34%' },
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
    ],
    extraEnv: [{ name: 'DORMOUSE_LOG_LEVEL', value: 'debug' }],
    terminationGracePeriodSeconds: 60,
  },
  'wakers, by default': { config: { waker: { enabled: true } } },
  'wakers, and all that one can set of them': {
    config: {
      waker: {
        enabled: true,
        ports: '30000-30099',
        endpoints: 'fallback',
        service: 'doors',
        account: 'porter',
        knock: { caFile: '/ca/ca.pem' },
      },
      metrics: { port: 9100 },
      webhook: { certificates: { mode: 'files', directory: '/certificates' } },
    },
    extraVolumes: [{ name: 'keys', secret: { secretName: 'keys' } }],
    extraVolumeMounts: [{ name: 'keys', mountPath: '/certificates', readOnly: true }],
    metrics: { scrapeAnnotations: true, serviceMonitor: { enabled: true } },
    networkPolicy: {
      apiFrom: [{ ipBlock: { cidr: '10.0.0.0/8' } }],
      metricsFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
    },
    waker: {
      replicas: 3,
      page: { configMap: 'texts', key: 'texts.yaml' },
      egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }],
      extraVolumes: [{ name: 'ca', configMap: { name: 'ca' } }],
      extraVolumeMounts: [{ name: 'ca', mountPath: '/ca', readOnly: true }],
      resources: {},
    },
  },
  'wakers, with certificates by cert-manager and nothing that one can leave out': {
    config: { waker: { enabled: true }, webhook: { certificates: { mode: 'cert-manager' } } },
    rbac: { create: false, aggregate: false },
    networkPolicy: { enabled: false },
    podDisruptionBudget: { enabled: false },
    topologySpreadConstraints: [],
    admissionPolicy: { enabled: false },
  },
  'a configuration with everything in it': {
    config: {
      timezone: 'Europe/Berlin',
      excludeNamespaces: [],
      exemptUsers: ['system:serviceaccount:keda:keda-operator', String.raw`it's a \ name`],
      publish: false,
      console: { url: 'https://dormouse.example.com/console/', signOutUrl: '/oauth2/sign_out' },
      wakeHold: null,
      backoff: { maxOperations: 10, window: '1h30m' },
      api: { bodyLimit: '64KiB', rate: { perSecond: 1_000_000, burst: 1_000_000 } },
      auth: {
        kubernetes: { enabled: false },
        oidc: [
          {
            issuer: 'https://idp.example.com',
            audience: 'dormouse',
            jwksUri: 'https://idp.example.com/keys',
          },
        ],
      },
      webhook: {
        service: 'sleep',
        certificates: { secret: 'keys.of-its-own', renewAt: 0.5 },
        namespaceSelector: {
          matchLabels: { dormouse: 'yes' },
          matchExpressions: [
            { key: 'env', operator: 'In', values: ['dev', 'staging'] },
            { key: 'example.com/quiet', operator: 'DoesNotExist' },
          ],
        },
      },
      calendars: { company: { dates: { '2026-12-24..2027-01-01': '' } } },
      controller: { wakesPerSecond: 20, lease: { namespace: 'default', name: 'leader', duration: '30s' } },
      metrics: { perWorkload: true, teamLabel: 'example.com/team' },
      savings: { prices: { currency: 'EUR', cpu: 0.031, memory: 0.004 } },
      log: { level: 'warn' },
    },
    calendars: {
      company: { ics: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n' },
      'de-be': { configMap: 'holidays', key: 'berlin.ics' },
    },
  },
}

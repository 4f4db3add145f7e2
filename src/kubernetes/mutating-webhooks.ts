import { isDeepStrictEqual } from 'node:util'
import { ANNOTATION, ASLEEP_LABEL, FIELD_MANAGER, PROBE_LABEL } from '../domain/workload.ts'
import type { Proof } from './webhook-proof.ts'

export const CONFIGURATION_NAME = 'dormouse'
const SCALE = 'scale.dormouse.dev'
const WORKLOADS = 'workloads.dormouse.dev'
const PROBE = 'probe.dormouse.dev'

/** How the API server reaches the webhook, and whose doings it does not ask about. */
export interface WebhookSettings {
  /** Outside a cluster: what the paths are added to. */
  readonly url: string | null
  /** Inside: the Service. */
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number } | null
  /** Dormouse's own included. */
  readonly excludeNamespaces: readonly string[]
  /** Where the leader's dry runs are, which show that the API server reaches the webhook. */
  readonly probeNamespace: string
  /** Every exempt account but Dormouse's own, by exact name. */
  readonly exemptUsers: readonly string[]
  /** Dormouse's own username: exempt together with its field manager. undefined: not known. */
  readonly ownUser?: string | undefined
  /** What becomes of manual scaling while nobody answers; default: it is refused. */
  readonly failurePolicy?: FailurePolicy
}

type FailurePolicy = 'Fail' | 'Ignore'

/** One webhook of an `admissionregistration.k8s.io/v1` MutatingWebhookConfiguration. */
export interface MutatingWebhook {
  readonly name: string
  readonly clientConfig: {
    /** Base64 of PEM. */
    readonly caBundle?: string
    readonly [field: string]: unknown
  }
  readonly failurePolicy?: FailurePolicy
  readonly [field: string]: unknown
}

/** What Fail rests on. */
export interface Standing {
  /** The API server trusts us, and the configuration would go with our Namespace. */
  readonly isTied: boolean
  /** Whether it was seen to reach us. */
  readonly proof: Proof
}

/** The webhooks as they are to be, given those that are there. */
export function wantedWebhooks(
  settings: WebhookSettings,
  caBundle: string | undefined,
  present: readonly MutatingWebhook[],
  standing: Standing,
): MutatingWebhook[] {
  const scale = present.find(({ name }) => name === SCALE)
  const workloads = present.find(({ name }) => name === WORKLOADS)
  const probe = present.find(({ name }) => name === PROBE)
  const scaleConfig = clientConfig(settings, '/webhook/scale', caBundle, scale)
  return [
    {
      name: SCALE,
      clientConfig: scaleConfig,
      rules: [rule(['UPDATE'], ['deployments/scale', 'replicasets/scale', 'statefulsets/scale'])],
      matchConditions: accounts(settings),
      failurePolicy:
        settings.failurePolicy !== 'Ignore' && mayFail(standing, scale, scaleConfig) ? 'Fail' : 'Ignore',
      ...alike(settings),
    },
    {
      name: WORKLOADS,
      clientConfig: clientConfig(settings, '/webhook/workloads', caBundle, workloads),
      rules: [
        rule(['CREATE', 'UPDATE'], ['daemonsets', 'deployments', 'replicasets', 'statefulsets']),
        rule(
          ['UPDATE'],
          ['daemonsets/status', 'deployments/status', 'replicasets/status', 'statefulsets/status'],
        ),
      ],
      matchConditions: [...accounts(settings), OUR_ANNOTATIONS, NO_CONTROLLER, STATUS_OF_OURS],
      failurePolicy: 'Ignore',
      ...alike(settings),
    },
    {
      name: PROBE,
      clientConfig: clientConfig(settings, '/webhook/probe', caBundle, probe),
      rules: [
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          operations: ['CREATE'],
          resources: ['configmaps'],
          scope: '*',
        },
      ],
      failurePolicy: 'Ignore',
      ...alike(settings),
      namespaceSelector: {
        matchExpressions: [{ key: NAME_LABEL, operator: 'In', values: [settings.probeNamespace] }],
      },
      objectSelector: { matchExpressions: [{ key: PROBE_LABEL, operator: 'Exists' }] },
    },
  ]
}

/** A new leader keeps what it finds until it knows better, unless that was about another address. */
function mayFail(
  { isTied, proof }: Standing,
  present: MutatingWebhook | undefined,
  wanted: MutatingWebhook['clientConfig'],
): boolean {
  const fails = present?.failurePolicy === 'Fail'
  if (proof === 'unknown') return fails && sameAddress(present.clientConfig, wanted)
  return proof === 'proven' && (isTied || fails)
}

function sameAddress(a: MutatingWebhook['clientConfig'], b: MutatingWebhook['clientConfig']): boolean {
  return a['url'] === b['url'] && isDeepStrictEqual(a['service'], b['service'])
}

const NAME_LABEL = 'kubernetes.io/metadata.name'

/** Whether all webhooks are there with this bundle; without one of ours, whatever is there is right. */
export function isTrusted(present: readonly MutatingWebhook[], caBundle: string | undefined): boolean {
  return [SCALE, WORKLOADS, PROBE].every((wanted) => {
    const webhook = present.find(({ name }) => name === wanted)
    return webhook && (caBundle === undefined || webhook.clientConfig.caBundle === base64(caBundle))
  })
}

/** With everything that the API server would fill in, so that what it answers can be compared. */
function alike({ excludeNamespaces }: WebhookSettings) {
  const values = [...new Set(excludeNamespaces)]
  const expression = { key: NAME_LABEL, operator: 'NotIn', values }
  return {
    admissionReviewVersions: ['v1'],
    matchPolicy: 'Equivalent',
    // An expression without values is refused.
    namespaceSelector: values.length === 0 ? {} : { matchExpressions: [expression] },
    objectSelector: {},
    reinvocationPolicy: 'IfNeeded',
    sideEffects: 'None',
    timeoutSeconds: 3,
  }
}

function rule(operations: readonly string[], resources: readonly string[]) {
  return { apiGroups: ['apps'], apiVersions: ['v1'], operations, resources, scope: '*' }
}

function clientConfig(
  { url, service }: WebhookSettings,
  path: string,
  caBundle: string | undefined,
  present: MutatingWebhook | undefined,
): MutatingWebhook['clientConfig'] {
  // Without a bundle of ours it is somebody else's to keep: cert-manager's injector, or a known CA.
  const trusted = caBundle === undefined ? present?.clientConfig.caBundle : base64(caBundle)
  const ca = trusted === undefined ? {} : { caBundle: trusted }
  if (url !== null) return { ...ca, url: `${url.replace(/\/+$/, '')}${path}` }
  if (service) return { ...ca, service: { ...service, path } }
  throw new TypeError('a webhook is reached by a URL or by a Service: neither is known')
}

function accounts({ exemptUsers, ownUser }: WebhookSettings): MatchCondition[] {
  const names = [...new Set(exemptUsers)].map(quoted).join(', ')
  const conditions = [{ name: 'not-exempt', expression: `!(request.userInfo.username in [${names}])` }]
  if (ownUser === undefined) return conditions
  const own = [
    `request.userInfo.username == ${quoted(ownUser)}`,
    `has(request.options)`,
    `has(request.options.fieldManager)`,
    `request.options.fieldManager == ${quoted(FIELD_MANAGER)}`,
  ]
  return [...conditions, { name: 'not-by-dormouse', expression: `!(${own.join(' && ')})` }]
}

interface MatchCondition {
  readonly name: string
  /** CEL. */
  readonly expression: string
}

const OUR_ANNOTATIONS: MatchCondition = {
  name: 'has-our-annotations',
  expression: ['object', 'oldObject']
    .map(
      (side) =>
        `(${side} != null && has(${side}.metadata.annotations) && ` +
        `${side}.metadata.annotations.exists(key, key.startsWith('dormouse.dev/')))`,
    )
    .join(' || '),
}

const HAS_CONTROLLER = (side: string) =>
  `(has(${side}.metadata.ownerReferences) && ` +
  `${side}.metadata.ownerReferences.exists(owner, has(owner.controller) && owner.controller))`

/** The Deployment controller copies our annotations to the ReplicaSets that it owns. Whoever gains an owner had none. */
const NO_CONTROLLER: MatchCondition = {
  name: 'has-no-controller',
  expression:
    `!(request.resource.resource == 'replicasets' && ` +
    `(oldObject != null ? ${HAS_CONTROLLER('oldObject')} : ${HAS_CONTROLLER('object')}))`,
}

/** Of the many writes of statuses only those that change what is ours, or that bring a ReplicaSet an owner. */
const STATUS_OF_OURS: MatchCondition = {
  name: 'status-changes-ours',
  expression:
    `!has(request.subResource) || request.subResource != 'status' || ` +
    `[${Object.values(ANNOTATION).map(quoted).join(', ')}].exists(key, ` +
    `object.metadata.?annotations[?key] != oldObject.metadata.?annotations[?key]) || ` +
    `object.metadata.?labels[?${quoted(ASLEEP_LABEL)}] != oldObject.metadata.?labels[?${quoted(ASLEEP_LABEL)}] || ` +
    `(request.resource.resource == 'replicasets' && ${HAS_CONTROLLER('object')})`,
}

/** A string literal of CEL. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

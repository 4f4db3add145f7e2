import { isDeepStrictEqual } from 'node:util'
import { factsOf, resourceOf } from '../../domain/kinds.ts'
import { HELD_LABEL, KINDS, PROBE_LABEL, SCALABLE_KINDS, type Kind } from '../../domain/workload/workload.ts'
import type { ConfiguredFields } from '../trim.ts'
import { twinsOf, type HeldScope, type Requirement } from './held-scope.ts'
import {
  CHANGES_STATE,
  MAY_MOVE_WORKLOADS,
  conditionsOfAccounts,
  HAS_OUR_MARKS,
  heldCondition,
  KEEPS_STATE,
  NO_CONTROLLER,
  unheldCondition,
} from './match-conditions.ts'
import type { Proof } from './proof.ts'

const SCALE = 'scale.dormouse.dev'
const HELD_SCALE = 'held-scale.dormouse.dev'
const MARKS = 'marks.dormouse.dev'
const WORKLOADS = 'workloads.dormouse.dev'
const HELD = 'held.dormouse.dev'
const NAMESPACES = 'namespaces.dormouse.dev'
const PROBE = 'probe.dormouse.dev'

/** How the API server reaches the webhook, and which requests it does not send there. */
export interface WebhookSettings {
  /** Outside a cluster: the base of the webhook's URLs. */
  readonly url: string | null
  /** Inside a cluster: the Service in front of the webhook. */
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number } | null
  /** Including Dormouse's own. */
  readonly excludeNamespaces: readonly string[]
  /** The namespace of the leader's dry runs, which test whether the API server reaches the webhook. */
  readonly probeNamespace: string
  /** Every exempt account but Dormouse's own, by exact name. */
  readonly exemptUsers: readonly string[]
  /** Dormouse's own username: exempt together with its field manager. undefined: not known. */
  readonly ownUser?: string | undefined
  /** For writes that would break a hold while Dormouse does not answer: Fail (the default) refuses them. */
  readonly failurePolicy?: FailurePolicy
  /** Reviews only objects in namespaces that match this as well; undefined: all. */
  readonly namespaceSelector?: NamespaceSelector | undefined
  /** The kinds beside the built-in ones. */
  readonly configured?: ConfiguredFields
}

interface NamespaceSelector {
  readonly matchLabels: Readonly<Record<string, string>>
  readonly matchExpressions: readonly Requirement[]
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

/** The cluster's side of the registration: trust, proof, holds. */
export interface Standing {
  /** The API server trusts us, and the configuration would be deleted with our Namespace. */
  readonly isTied: boolean
  /** Whether the API server has been proven to reach us. */
  readonly proof: Proof
  /** The workloads whose scaling needs our answer. */
  readonly held: HeldScope
  /** Namespaces whose scalings need no review. */
  readonly strange: readonly string[]
}

/**
 * The desired webhooks, given the present ones: only writes of held workloads may fail if our answer is missing. Their
 * order matters: each matches objects as those before have left them. `marks` comes first, since what `workloads` adds
 * is no change by others; `workloads` takes what neither it nor `held` does.
 */
export function desiredWebhooks(
  settings: WebhookSettings,
  caBundle: string | undefined,
  present: readonly MutatingWebhook[],
  standing: Standing,
): MutatingWebhook[] {
  const trust = caBundle === undefined ? trustedBy(present) : base64(caBundle)
  const clientConfigOf = (path: string) => clientConfig(settings, path, trust)
  const held = { failurePolicy: policyOf(settings, clientConfigOf(''), present, standing) }
  const kinds = [...KINDS, ...configuredKinds(settings)]
  const counts = [...(settings.configured?.values() ?? [])].map(({ field }) => field)
  const ofStatus = rules(['UPDATE'], kinds, '/status')
  const accounts = conditionsOfAccounts(settings)
  return [
    ...scalings(settings, standing, clientConfigOf, held),
    {
      name: MARKS,
      clientConfig: clientConfigOf('/webhook/marks'),
      rules: [...rules(['UPDATE'], kinds), ...ofStatus],
      matchConditions: [...accounts, NO_CONTROLLER, CHANGES_STATE, unheldCondition(counts)],
      failurePolicy: 'Ignore',
      ...common(settings),
    },
    {
      name: WORKLOADS,
      clientConfig: clientConfigOf('/webhook/workloads'),
      rules: rules(['CREATE', 'UPDATE'], kinds),
      matchConditions: [...accounts, HAS_OUR_MARKS, NO_CONTROLLER, KEEPS_STATE, unheldCondition(counts)],
      failurePolicy: 'Ignore',
      ...common(settings),
    },
    {
      name: HELD,
      clientConfig: clientConfigOf('/webhook/held'),
      rules: [...rules(['UPDATE'], kinds), ...ofStatus],
      matchConditions: [...accounts, NO_CONTROLLER, heldCondition(counts)],
      ...held,
      ...common(settings),
      objectSelector: { matchExpressions: [{ key: HELD_LABEL, operator: 'Exists' }] },
    },
    {
      name: NAMESPACES,
      clientConfig: clientConfigOf('/webhook/namespaces'),
      rules: [ruleOf('namespaces', ['CREATE', 'UPDATE'], 'Cluster')],
      matchConditions: [...accounts, MAY_MOVE_WORKLOADS],
      failurePolicy: 'Ignore',
      ...common(settings),
    },
    {
      name: PROBE,
      clientConfig: clientConfigOf('/webhook/probe'),
      rules: [ruleOf('configmaps', ['CREATE'], '*')],
      failurePolicy: 'Ignore',
      ...common(settings),
      namespaceSelector: {
        matchExpressions: [{ key: NAME_LABEL, operator: 'In', values: [settings.probeNamespace] }],
      },
      objectSelector: { matchExpressions: [{ key: PROBE_LABEL, operator: 'Exists' }] },
    },
  ]
}

/**
 * The two webhooks of scalings; only one if no workload is held, or all may be. A Scale carries no labels, and each call
 * costs its caller a quarter of the time that a scaling takes, so strange namespaces are left out.
 */
function scalings(
  settings: WebhookSettings,
  standing: Standing,
  clientConfigOf: (path: string) => MutatingWebhook['clientConfig'],
  whileHeld: { readonly failurePolicy: FailurePolicy },
): MutatingWebhook[] {
  const { held, others } = twinsOf(standing.held)
  const reviewed = { ...settings, excludeNamespaces: [...settings.excludeNamespaces, ...standing.strange] }
  const scaled = rules(['UPDATE'], [...SCALABLE_KINDS, ...scaledKinds(settings)], '/scale')
  const accounts = conditionsOfAccounts(settings)
  const each = [
    {
      share: others,
      name: SCALE,
      path: '/webhook/scale',
      policy: { failurePolicy: 'Ignore' as const },
      where: reviewed,
    },
    { share: held, name: HELD_SCALE, path: '/webhook/held-scale', policy: whileHeld, where: settings },
  ]
  return each.flatMap(({ share, name, path, policy, where }) =>
    share === undefined
      ? []
      : [
          {
            name,
            clientConfig: clientConfigOf(path),
            rules: scaled,
            matchConditions: [...accounts, ...share.matchConditions],
            ...policy,
            ...common(where, share.namespaces),
          },
        ],
  )
}

/** The webhook whose conditions tell the scope that the configuration was written with; undefined: nothing was held. */
export function heldScaleOf(present: readonly MutatingWebhook[]): MutatingWebhook | undefined {
  return present.find(({ name }) => name === HELD_SCALE)
}

/**
 * A new leader without a proof keeps Fail where `held` has it, unless it was set for another address. If `held` is
 * missing, a former release wrote the others; its replicas may still answer, and do not serve the path of `held`.
 */
function policyOf(
  { failurePolicy }: WebhookSettings,
  address: MutatingWebhook['clientConfig'],
  present: readonly MutatingWebhook[],
  { isTied, proof }: Standing,
): FailurePolicy {
  if (failurePolicy === 'Ignore') return 'Ignore'
  const failing = present.filter((webhook) => webhook.failurePolicy === 'Fail')
  const mayFail =
    proof === 'unknown'
      ? failing.some(({ name, clientConfig: there }) => name === HELD && sameAddress(there, address))
      : proof === 'proven' && (isTied || failing.length > 0)
  return mayFail ? 'Fail' : 'Ignore'
}

/** Whether two client configurations lead to the same server, whatever the path. */
function sameAddress(a: MutatingWebhook['clientConfig'], b: MutatingWebhook['clientConfig']): boolean {
  return isDeepStrictEqual(withoutPath(a), withoutPath(b))
}

function withoutPath({ url, service }: MutatingWebhook['clientConfig']) {
  return {
    url: typeof url === 'string' ? url.replace(/\/webhook\/[a-z-]+$/, '') : undefined,
    service: service === undefined ? undefined : { ...(service as object), path: undefined },
  }
}

/** The address that the configuration sends reviews to, for messages: a URL, or a Service; undefined: none. */
export function addressOf(present: readonly MutatingWebhook[]): string | undefined {
  const config = present.find(({ name }) => name === WORKLOADS)?.clientConfig
  const service = config?.['service'] as { readonly namespace?: string; readonly name?: string } | undefined
  return service
    ? `the Service ${service.namespace}/${service.name}`
    : (config?.['url'] as string | undefined)
}

/** The URL that the webhooks are called at, without their paths; undefined: none, or a Service. */
export function urlOf(present: readonly MutatingWebhook[]): string | undefined {
  const config = present.find(({ name }) => name === WORKLOADS)?.clientConfig
  return config && withoutPath(config).url
}

/** Whether two differ at most in the fields that Dormouse itself changes when the proof changes. */
export function sameButPolicy(a: readonly MutatingWebhook[], b: readonly MutatingWebhook[]): boolean {
  const without = (webhooks: readonly MutatingWebhook[]) =>
    webhooks.map((webhook) => ({ ...webhook, failurePolicy: undefined }))
  return isDeepStrictEqual(without(a), without(b))
}

/**
 * The present webhooks, with Ignore for those at the desired address that are not to fail, and the others unchanged:
 * the server at another address has its own proof.
 */
export function ignoredWhereAsked(
  present: readonly MutatingWebhook[],
  desired: readonly MutatingWebhook[],
): MutatingWebhook[] {
  const [wanted] = desired
  if (!wanted || desired.some(({ failurePolicy }) => failurePolicy === 'Fail')) return [...present]
  return present.map((webhook) =>
    webhook.failurePolicy === 'Fail' && sameAddress(webhook.clientConfig, wanted.clientConfig)
      ? { ...webhook, failurePolicy: 'Ignore' }
      : webhook,
  )
}

const NAME_LABEL = 'kubernetes.io/metadata.name'

/** Whether the webhooks exist and all have this bundle; undefined: any bundle will do. */
export function isTrusted(present: readonly MutatingWebhook[], caBundle: string | undefined): boolean {
  const names = new Set(present.map(({ name }) => name))
  const exist = [WORKLOADS, HELD, PROBE].every((name) => names.has(name))
  const bundle = caBundle === undefined ? undefined : base64(caBundle)
  return (
    exist &&
    present.every(({ clientConfig: { caBundle: there } }) => bundle === undefined || there === bundle)
  )
}

/** Without a bundle of ours, keep the present one: cert-manager's injector may have written it. */
function trustedBy(present: readonly MutatingWebhook[]): string | undefined {
  return present.find(({ clientConfig: { caBundle } }) => caBundle !== undefined)?.clientConfig.caBundle
}

function configuredKinds({ configured }: WebhookSettings): Kind[] {
  return [...(configured?.keys() ?? [])]
}

function scaledKinds({ configured }: WebhookSettings): Kind[] {
  return [...(configured ?? [])].flatMap(([kind, { hasScale }]) => (hasScale ? [kind] : []))
}

/** Sets every field that the API server would default, so that its answers can be compared. */
function common(settings: WebhookSettings, namespaces: readonly Requirement[] = []) {
  return {
    admissionReviewVersions: ['v1'],
    matchPolicy: 'Equivalent',
    namespaceSelector: namespacesOf(settings, namespaces),
    objectSelector: {},
    // The controller repairs changes of later webhooks.
    reinvocationPolicy: 'Never',
    sideEffects: 'None',
    timeoutSeconds: 3,
  }
}

/** A Namespace itself is selected by its own labels, of which one is its name. */
function namespacesOf(
  { excludeNamespaces, namespaceSelector }: WebhookSettings,
  namespaces: readonly Requirement[],
) {
  const { matchLabels = {}, matchExpressions = [] } = namespaceSelector ?? {}
  const excluded = { key: NAME_LABEL, operator: 'NotIn', values: [...new Set(excludeNamespaces)] }
  // The API server refuses In and NotIn without values, and drops empty lists.
  const expressions = [
    ...(excluded.values.length === 0 ? [] : [excluded]),
    ...namespaces,
    ...matchExpressions.map(({ key, operator, values }) =>
      values.length === 0 ? { key, operator } : { key, operator, values },
    ),
  ]
  return {
    ...(Object.keys(matchLabels).length > 0 && { matchLabels }),
    ...(expressions.length > 0 && { matchExpressions: expressions }),
  }
}

/** One rule for each API group, sorted, so that the order of the kinds does not change the configuration. */
function rules(operations: readonly string[], kinds: readonly Kind[], subresource = '') {
  const groups = new Map(kinds.map((kind) => [factsOf(kind).group, factsOf(kind).version]))
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, version]) => {
      const within = kinds.filter((kind) => factsOf(kind).group === group)
      const resources = within.map((kind) => `${resourceOf(kind).resource}${subresource}`).toSorted()
      return { apiGroups: [group], apiVersions: [version], operations, resources, scope: '*' }
    })
}

/** A rule for a resource of the core group. */
function ruleOf(resource: string, operations: readonly string[], scope: string) {
  return { apiGroups: [''], apiVersions: ['v1'], operations, resources: [resource], scope }
}

function clientConfig(
  { url, service }: WebhookSettings,
  path: string,
  trusted: string | undefined,
): MutatingWebhook['clientConfig'] {
  const ca = trusted === undefined ? {} : { caBundle: trusted }
  if (url !== null) return { ...ca, url: `${url.replace(/\/+$/, '')}${path}` }
  if (service) return { ...ca, service: { ...service, path } }
  throw new TypeError('the webhook needs a URL or a Service: neither is given')
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

import { isDeepStrictEqual } from 'node:util'
import { factsOf, resourceOf } from '../../domain/kinds.ts'
import { KINDS, PROBE_LABEL, SCALABLE_KINDS, type Kind } from '../../domain/workload.ts'
import {
  conditionsOfAccounts,
  HAS_OUR_ANNOTATIONS,
  NO_CONTROLLER,
  STATUS_CHANGES_OURS,
} from './match-conditions.ts'
import type { Proof } from './proof.ts'

const SCALE = 'scale.dormouse.dev'
const WORKLOADS = 'workloads.dormouse.dev'
const PROBE = 'probe.dormouse.dev'

/** How the API server reaches the webhook, and which requests it does not send there. */
export interface WebhookSettings {
  /** Outside a cluster: the base of the webhook's URLs. */
  readonly url: string | null
  /** Inside: the Service in front of the webhook. */
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number } | null
  /** Dormouse's own included. */
  readonly excludeNamespaces: readonly string[]
  /** The namespace of the leader's dry runs, which show whether the API server reaches the webhook. */
  readonly probeNamespace: string
  /** Every exempt account but Dormouse's own, by exact name. */
  readonly exemptUsers: readonly string[]
  /** Dormouse's own username: exempt together with its field manager. undefined: not known. */
  readonly ownUser?: string | undefined
  /** Whether manual scaling is refused (`Fail`, the default) or unchecked (`Ignore`) while Dormouse does not answer. */
  readonly failurePolicy?: FailurePolicy
  /** Reviews only what is in these namespaces, too; undefined: in all. */
  readonly namespaceSelector?: NamespaceSelector | undefined
  /** The kinds beside the built-in ones. */
  readonly configured?: readonly Kind[]
}

interface NamespaceSelector {
  readonly matchLabels: Readonly<Record<string, string>>
  readonly matchExpressions: readonly {
    readonly key: string
    readonly operator: string
    readonly values: readonly string[]
  }[]
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

/** The conditions under which the scale webhook may be set to Fail. */
export interface Standing {
  /** The API server trusts us, and the configuration would be deleted with our Namespace. */
  readonly isTied: boolean
  /** Whether the API server was seen to reach us. */
  readonly proof: Proof
}

/** The webhooks as they should be, given those that exist. */
export function desiredWebhooks(
  settings: WebhookSettings,
  caBundle: string | undefined,
  present: readonly MutatingWebhook[],
  standing: Standing,
): MutatingWebhook[] {
  const { configured = [] } = settings
  const scale = present.find(({ name }) => name === SCALE)
  const workloads = present.find(({ name }) => name === WORKLOADS)
  const probe = present.find(({ name }) => name === PROBE)
  const kinds = [...KINDS, ...configured]
  const scaleConfig = clientConfig(settings, '/webhook/scale', caBundle, scale)
  return [
    {
      name: SCALE,
      clientConfig: scaleConfig,
      rules: rules(['UPDATE'], [...SCALABLE_KINDS, ...configured], '/scale'),
      matchConditions: conditionsOfAccounts(settings),
      failurePolicy:
        settings.failurePolicy !== 'Ignore' && mayFail(standing, scale, scaleConfig) ? 'Fail' : 'Ignore',
      ...common(settings),
    },
    {
      name: WORKLOADS,
      clientConfig: clientConfig(settings, '/webhook/workloads', caBundle, workloads),
      rules: [...rules(['CREATE', 'UPDATE'], kinds), ...rules(['UPDATE'], kinds, '/status')],
      matchConditions: [
        ...conditionsOfAccounts(settings),
        HAS_OUR_ANNOTATIONS,
        NO_CONTROLLER,
        STATUS_CHANGES_OURS,
      ],
      failurePolicy: 'Ignore',
      ...common(settings),
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
      ...common(settings),
      namespaceSelector: {
        matchExpressions: [{ key: NAME_LABEL, operator: 'In', values: [settings.probeNamespace] }],
      },
      objectSelector: { matchExpressions: [{ key: PROBE_LABEL, operator: 'Exists' }] },
    },
  ]
}

/** A new leader without a proof keeps Fail where it finds it, unless it was set for another address. */
function mayFail(
  { isTied, proof }: Standing,
  present: MutatingWebhook | undefined,
  desired: MutatingWebhook['clientConfig'],
): boolean {
  const fails = present?.failurePolicy === 'Fail'
  if (proof === 'unknown') return fails && sameAddress(present.clientConfig, desired)
  return proof === 'proven' && (isTied || fails)
}

function sameAddress(a: MutatingWebhook['clientConfig'], b: MutatingWebhook['clientConfig']): boolean {
  return a['url'] === b['url'] && isDeepStrictEqual(a['service'], b['service'])
}

/** Where the configuration sends scalings, as people know it: a URL, or a Service; undefined: nowhere. */
export function addressOf(present: readonly MutatingWebhook[]): string | undefined {
  const config = present.find(({ name }) => name === SCALE)?.clientConfig
  const service = config?.['service'] as { readonly namespace?: string; readonly name?: string } | undefined
  return service
    ? `the Service ${service.namespace}/${service.name}`
    : (config?.['url'] as string | undefined)
}

/** Whether two differ at most in what Dormouse itself changes when the proof turns. */
export function sameButPolicy(a: readonly MutatingWebhook[], b: readonly MutatingWebhook[]): boolean {
  const without = (webhooks: readonly MutatingWebhook[]) =>
    webhooks.map((webhook) => ({ ...webhook, failurePolicy: undefined }))
  return isDeepStrictEqual(without(a), without(b))
}

/**
 * The webhooks that are present, of which those that send scalings to the desired address turn to Ignore where that is
 * desired; the rest of them stays as it is. One at another address is proven, or not, by whoever is there.
 */
export function ignoredWhereAsked(
  present: readonly MutatingWebhook[],
  desired: readonly MutatingWebhook[],
): MutatingWebhook[] {
  return present.map((webhook) => {
    const wanted = desired.find(({ name }) => name === webhook.name)
    const isAsked =
      webhook.failurePolicy === 'Fail' &&
      wanted?.failurePolicy === 'Ignore' &&
      sameAddress(webhook.clientConfig, wanted.clientConfig)
    return isAsked ? { ...webhook, failurePolicy: 'Ignore' } : webhook
  })
}

const NAME_LABEL = 'kubernetes.io/metadata.name'

/** Whether all webhooks exist and have this bundle; undefined: any bundle will do. */
export function isTrusted(present: readonly MutatingWebhook[], caBundle: string | undefined): boolean {
  return [SCALE, WORKLOADS, PROBE].every((expected) => {
    const webhook = present.find(({ name }) => name === expected)
    return webhook && (caBundle === undefined || webhook.clientConfig.caBundle === base64(caBundle))
  })
}

/** Sets every field that the API server would default, so that its answers can be compared. */
function common(settings: WebhookSettings) {
  return {
    admissionReviewVersions: ['v1'],
    matchPolicy: 'Equivalent',
    namespaceSelector: namespacesOf(settings),
    objectSelector: {},
    reinvocationPolicy: 'IfNeeded',
    sideEffects: 'None',
    timeoutSeconds: 3,
  }
}

function namespacesOf({ excludeNamespaces, namespaceSelector }: WebhookSettings) {
  const { matchLabels = {}, matchExpressions = [] } = namespaceSelector ?? {}
  const excluded = { key: NAME_LABEL, operator: 'NotIn', values: [...new Set(excludeNamespaces)] }
  // In and NotIn without values are refused, and the API server drops empty lists.
  const expressions = [
    ...(excluded.values.length === 0 ? [] : [excluded]),
    ...matchExpressions.map(({ key, operator, values }) =>
      values.length === 0 ? { key, operator } : { key, operator, values },
    ),
  ]
  return {
    ...(Object.keys(matchLabels).length > 0 && { matchLabels }),
    ...(expressions.length > 0 && { matchExpressions: expressions }),
  }
}

/** One rule for each API group; all in the order of the alphabet, as the chart has them: the two are compared. */
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

function clientConfig(
  { url, service }: WebhookSettings,
  path: string,
  caBundle: string | undefined,
  present: MutatingWebhook | undefined,
): MutatingWebhook['clientConfig'] {
  // Without a bundle of ours, keep the one that is there: cert-manager's injector may have written it.
  const trusted = caBundle === undefined ? present?.clientConfig.caBundle : base64(caBundle)
  const ca = trusted === undefined ? {} : { caBundle: trusted }
  if (url !== null) return { ...ca, url: `${url.replace(/\/+$/, '')}${path}` }
  if (service) return { ...ca, service: { ...service, path } }
  throw new TypeError('the webhook needs a URL or a Service: neither is given')
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

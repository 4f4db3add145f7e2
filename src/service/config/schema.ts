import {
  forEachSetting,
  INHERITABLE,
  SETTING_NAMES,
  type SettingName,
  type SettingValue,
} from '../../domain/inheritable.ts'
import * as json from '../../domain/json-schema.ts'
import type { Schema, ValueOf } from '../../domain/json-schema.ts'
import type { OwnerSettings } from '../../domain/companions/configured.ts'
import type { KindSettings } from '../../domain/sleeping/configured.ts'
import { PRESET_NAMES } from '../../domain/sleeping/presets.ts'
import { MEANINGS } from '../../domain/schedule/calendar.ts'
import { A_TIMEZONE } from '../../domain/schedule/syntax.ts'
import { A_DURATION, durationText } from '../../domain/schedule/duration.ts'
import { A_TRAFFIC_MODE } from '../../domain/traffic-mode.ts'
import { DEFAULT_POLICY } from '../../domain/workload/settings-rules.ts'
import { ALONG, NAMES, NOT_WHILE, OWNERS, scalar, SPEC } from './companion-keys.ts'
import { LOG_LEVELS } from '../../process/logger.ts'
import { KINDS, MAX_REPLICAS } from '../../domain/workload/workload.ts'
import {
  closed,
  duration,
  entry,
  flag,
  key,
  list,
  map,
  NAME,
  oneOf,
  orNull,
  port,
  readText,
  section,
  SUBDOMAIN,
  text,
  whole,
} from './keys.ts'
import { WAKER } from './waker-keys.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const YEAR = 8760 * HOUR

const namespace = text('the name of a namespace', { pattern: NAME, maxLength: 63 })
const file = text('the path of a file')
const issuer = text('an issuer, as in the claim `iss`')
const audience = text('an audience, as in the claim `aud`')
const user = text("a user's exact name, without wildcards", { pattern: '^[^*]*$', maxLength: 253 })

const labelKey = text("a label's key such as team or example.com/team", {
  pattern: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$',
  maxLength: 317,
})

const labelValue = text('the value of a label', {
  minLength: 0,
  maxLength: 63,
  pattern: '^([A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?)?$',
})
const operator = oneOf(['In', 'NotIn', 'Exists', 'DoesNotExist'])
const namespaceSelector = key(
  'a section with matchLabels, matchExpressions or both',
  section({
    matchLabels: map(labelKey, labelValue, 'labels with their values', 100),
    matchExpressions: list(
      entry({ key: labelKey, operator, values: list(labelValue, 'a list of values', []) }, ['values']),
      'a list of expressions such as {key: env, operator: In, values: [dev]}',
      [],
    ),
  }),
)

const resource = readText(
  'configuredKind',
  'the full name of a resource that can be scaled, such as rollouts.argoproj.io',
  { maxLength: 253 },
)
const path = text('where a value stands, such as .status.state', {
  pattern: String.raw`^(\.[A-Za-z][A-Za-z0-9]*)+$`,
  maxLength: 253,
})
const flagOrText = key<boolean | string>('true, false or a text', {
  type: ['boolean', 'string'],
  minLength: 1,
  maxLength: 253,
})
/** A field or an annotation that has two values. */
const switchOf = entry(
  {
    path: orNull(text('where it stands, such as .spec.pause', SPEC)),
    annotation: orNull(text("the annotation's name", NAMES)),
    asleep: flagOrText,
    awake: flagOrText,
  },
  ['path', 'annotation'],
)
const condition = orNull(
  entry(
    {
      path: orNull(path),
      condition: orNull(text('the type of one of its status.conditions', { maxLength: 317 })),
      equals: orNull(scalar),
      equalsPath: orNull(path),
    },
    ['path', 'condition', 'equals', 'equalsPath'],
  ),
)
const kindEntry = entry(
  {
    preset: orNull(oneOf(PRESET_NAMES)),
    resource: orNull(resource),
    specReplicasPath: orNull(text('where its count stands, such as .spec.replicas', SPEC)),
    switch: orNull(switchOf),
    asleepWhen: condition,
    awakeWhen: condition,
    along: ALONG,
    notWhile: NOT_WHILE,
  },
  ['preset', 'resource', 'specReplicasPath', 'switch', 'asleepWhen', 'awakeWhen', 'along', 'notWhile'],
)

/**
 * Algorithms that tokens may be signed by. All are asymmetric, so that a public key can never serve as a secret
 * (RFC 8725, sections 2.1 and 3.1).
 */
// prettier-ignore
const SIGNATURE_ALGORITHMS = [
  'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519',
]
const algorithms = list(
  key(`one of ${SIGNATURE_ALGORITHMS.join(', ')}`, oneOf(SIGNATURE_ALGORITHMS)),
  'a list of algorithms such as [RS256, ES256, EdDSA]',
  ['RS256', 'ES256', 'EdDSA'],
  1,
)

/** Makes users of the provider users of the cluster, like the API server's flags `--oidc-…`. */
const asClusterUser = orNull(
  entry(
    {
      usernameClaim: text('the name of a claim', { default: 'sub', maxLength: 128 }),
      groupsClaim: orNull(text('the name of a claim', { maxLength: 128 })),
      /** Prefix of user names and groups. */
      prefix: text('what user names and groups begin with, such as oidc:', {
        default: '',
        minLength: 0,
        maxLength: 128,
      }),
    },
    ['usernameClaim', 'groupsClaim', 'prefix'],
  ),
)

const selector = readText('labelSelector', 'a label selector such as env in (dev,staging)')
const A_KIND = `one of ${KINDS.join(', ')}, or a resource of \`kinds\` such as rollouts.argoproj.io`
const kind = readText('kind', A_KIND, { maxLength: 253 })

/** A setting in a policy, by its form. An empty text: none, which ends inheritance. */
const BY_FORM = {
  flag: orNull(key('true or false', json.flag)),
  count: orNull(json.whole(0, MAX_REPLICAS)),
  schedule: orNull(
    readText('schedule', 'a schedule such as 7:00-20:00,Mon-Fri, or an empty text for none', {
      minLength: 0,
    }),
  ),
  timezone: orNull(readText('timezone', A_TIMEZONE)),
  calendar: orNull(
    text('names of calendars such as de-be,company, or an empty text for none', { minLength: 0 }),
  ),
  traffic: orNull(readText('wakeOnTraffic', A_TRAFFIC_MODE)),
  duration: orNull(readText('trafficHold', A_DURATION)),
}

/** Settings for many workloads at once; null leaves a setting to other policies. */
const policy = entry(
  {
    name: text('a name such as dev, which reasons and records show', { pattern: NAME, maxLength: 63 }),
    namespaces: entry(
      {
        /** In a name `*` matches any characters. */
        names: orNull(
          list(
            text('the name of a namespace, in which * stands for any characters', {
              pattern: '^[-a-z0-9*]+$',
              maxLength: 63,
            }),
            "a list of names of namespaces such as ['team-*']",
            [],
            1,
          ),
        ),
        selector: orNull(selector),
      },
      ['names', 'selector'],
    ),
    /** null: Deployments and StatefulSets. */
    workloads: orNull(
      entry(
        {
          kinds: orNull(list(kind, 'a list of kinds such as [deployments, cronjobs]', [], 1)),
          selector: orNull(selector),
        },
        ['kinds', 'selector'],
      ),
    ),
    ...forEachSetting<{ readonly [Name in SettingName]: Schema<SettingValue<Name> | null> }>(
      (name) => BY_FORM[INHERITABLE[name].form],
    ),
  },
  ['workloads', ...SETTING_NAMES],
)
const calendarName = text('the name of a calendar such as de-be', {
  pattern: '^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$',
  maxLength: 63,
})
const dates = text('a date such as 2026-12-24, or a range such as 2026-12-24..2027-01-01', {
  pattern: String.raw`^[0-9]{4}-[0-9]{2}-[0-9]{2}([.]{2}[0-9]{4}-[0-9]{2}-[0-9]{2})?$`,
  maxLength: 22,
})
const hours = readText('hours', "the hours of that date such as '9:00-14:00', or '' for none", {
  minLength: 0,
})
const globs = orNull(list(text('a text in which * stands for any characters'), 'a list of such texts', [], 1))
const calendar = key(
  'a section with dates, files, events and means',
  section({
    dates: map(dates, hours, 'dates and ranges of dates, each with its hours', 1000),
    /** iCalendar: an all-day event means no hours. */
    files: list(file, 'a list of paths of .ics files', []),
    /** Chooses the events that count: one text of each list given has to match, upper or lower case. */
    events: section({ summary: globs, categories: globs, description: globs }),
    /** `asleep`: its events replace the hours of a schedule by none; `awake`: they add hours. */
    means: oneOf(MEANINGS, 'asleep'),
  }),
)

/** From 1 KiB to 1 MiB, in bytes. */
const bodyLimit: Schema<number> = key(
  'a size such as 16KiB, from 1KiB to 1MiB',
  { type: 'string', size: [2 ** 10, 2 ** 20] },
  '16KiB',
)

const renewAt: Schema<number> = key(
  'a number from 0.1 to 0.9',
  { type: 'number', minimum: 0.1, maximum: 0.9 },
  0.667,
)

const price: Schema<number> = key('a number of at least 0', { type: 'number', minimum: 0 })
/** The requests of pods are valued by them; null: no money is shown anywhere. */
const prices = orNull(
  entry({
    currency: text('a currency of three letters such as EUR', { pattern: '^[A-Z]{3}$', maxLength: 3 }),
    /** For a core and an hour. */
    cpu: price,
    /** For a GiB and an hour. */
    memory: price,
  }),
)

/** Every key, with its rule and its default; the defaults are the documented ones. `Config` is made from this. */
export const CONFIG_SCHEMA = closed({
  /** How people call this cluster: the console shows it. */
  cluster: orNull(text('a name of the cluster such as dev-eu', { maxLength: 100 })),
  timezone: readText('timezone', A_TIMEZONE, { default: DEFAULT_POLICY.timezone }),
  /** Once loaded, with those of Kubernetes; `excludedNamespaces` adds Dormouse's own. */
  excludeNamespaces: list(namespace, 'a list of namespaces', []),
  /** For many workloads at once: the first that matches and has a setting gives it. */
  policies: list(policy, 'a list of policies', []),
  /**
   * Whether every authenticated user of the cluster may read the policies and the dates of calendars, in the ConfigMap
   * `dormouse` of `kube-public`; false: it only says that they exist.
   */
  publish: flag(true),
  /** Their scaling does not count as manual. */
  exemptUsers: list(user, 'a list of user names', []),
  /** Pauses KEDA's ScaledObjects while their workloads sleep. */
  keda: section({ enabled: flag(true) }),
  /** Beside the built-in ones. */
  kinds: list(
    kindEntry,
    'a list of kinds, such as {resource: rollouts.argoproj.io} or {preset: cloudnative-pg}',
    [],
  ),
  /** Paused while a workload sleeps that they own, as ScaledObjects are. */
  owners: OWNERS,
  operationTimeout: duration(DEFAULT_POLICY.operationTimeout, SECOND, 24 * HOUR),
  newWorkloadGrace: duration(DEFAULT_POLICY.newWorkloadGrace, 0, YEAR),
  /** null: until the next edge. */
  wakeHold: orNull(duration(undefined, MINUTE, YEAR), durationText(DEFAULT_POLICY.wakeHold)),
  /** A workload waits at an edge at most so long for each lower number of wake-order, or of sleep-order. */
  wakeOrderTimeout: duration('2m', SECOND, HOUR),
  calendars: map(calendarName, calendar, 'calendars, each with dates, files or both', 100),
  backoff: section({
    // The operations are counted in the history, which holds 20.
    maxOperations: whole(DEFAULT_POLICY.backoff.maxOperations, 1, 19),
    window: duration(DEFAULT_POLICY.backoff.window, SECOND, YEAR),
    base: duration(DEFAULT_POLICY.backoff.base, SECOND, YEAR),
    max: duration(DEFAULT_POLICY.backoff.max, SECOND, YEAR),
  }),
  api: section({
    host: text('an address or a host name to listen on', { default: '0.0.0.0', maxLength: 253 }),
    port: port(8443),
    /** Plain HTTP; null: none. */
    insecurePort: orNull(port()),
    /** Addresses and networks whose X-Forwarded-For is believed. */
    trustedProxies: list(
      readText('network', 'an address or a network such as 10.0.0.0/8'),
      'a list of addresses and networks',
      [],
    ),
    bodyLimit,
    /** Lists that are watched at once; of one subject a tenth. */
    waiters: whole(250, 1, 100_000),
    rate: section({ perSecond: whole(20, 1, 1_000_000), burst: whole(40, 1, 1_000_000) }),
  }),
  auth: section({
    kubernetes: section({
      enabled: flag(true),
      audiences: list(audience, 'a list of audiences', ['dormouse'], 1),
    }),
    oidc: list(
      entry({ issuer, audience, jwksUri: readText('jwksUri', 'an https URL'), algorithms, asClusterUser }, [
        'algorithms',
        'asClusterUser',
      ]),
      'a list of sections with issuer, audience, jwksUri, algorithms and asClusterUser',
      [],
    ),
    local: orNull(entry({ issuer, audience, publicKeyFile: file })),
  }),
  webhook: section({
    /** false: pins and overrides are not enforced against people; HTTPS stays. */
    enabled: flag(true),
    /** Not the API's: clients that reach the API do not reach the webhook. */
    port: port(9443),
    url: orNull(readText('webhookUrl', 'an https URL that the API server reaches the webhook at')),
    /** In Dormouse's namespace: inside a cluster the API server calls the webhook by it. */
    service: text('the name of a Service', { default: 'dormouse', pattern: NAME, maxLength: 63 }),
    /** Only callers with a certificate of it can send reviews. It should sign for API servers alone. null: anybody can. */
    clientCA: orNull(text('the path of a file with CA certificates in PEM')),
    failurePolicy: oneOf(['Fail', 'Ignore'], 'Fail'),
    /** As Kubernetes has it; in other namespaces nothing is reviewed. */
    namespaceSelector,
    certificates: section({
      mode: oneOf(['self-signed', 'cert-manager', 'files'], 'self-signed'),
      directory: orNull(text('the path of a directory')),
      /** In Dormouse's namespace, for the mode `self-signed`. */
      secret: text('the name of a Secret', {
        default: 'dormouse-webhook',
        pattern: SUBDOMAIN,
        maxLength: 253,
      }),
      leafLifetime: duration('168h', 2 * SECOND, YEAR),
      caLifetime: duration('8760h', 4 * SECOND, 10 * YEAR),
      /** The part of its lifetime after which a certificate is renewed. */
      renewAt,
    }),
  }),
  controller: section({
    enabled: flag(true),
    concurrency: whole(32, 1, 1024),
    writesPerSecond: whole(1000, 1, 100_000),
    /** null: as fast as other writes. */
    wakesPerSecond: orNull(whole(undefined, 1, 100_000)),
    /** In a minute. Three writes at most put marks right that others changed. */
    writesPerWorkload: whole(20, 3, 1000),
    lease: section({
      /** null: Dormouse's own. */
      namespace: orNull(namespace),
      name: text('the name of a Lease', { default: 'dormouse', pattern: NAME, maxLength: 63 }),
      duration: duration('15s', SECOND, HOUR),
      renew: duration('10s', SECOND, HOUR),
      retry: duration('2s', 100, HOUR),
    }),
  }),
  /** In Dormouse's namespace: the keys by which states are signed. */
  stateKeySecret: text('the name of a Secret', {
    default: 'dormouse-state-keys',
    pattern: SUBDOMAIN,
    maxLength: 253,
  }),
  /** A file with those keys instead, a line each, newest first. null: the Secret; with certificates of `files`: none. */
  stateKeyFile: orNull(text('the path of a file with keys, a line each')),
  /** The web page, at /console of the API. */
  console: section({
    enabled: flag(true),
    /** The sign-out path or URL of an authenticating proxy. */
    signOutUrl: orNull(readText('signOutUrl', 'a path such as /oauth2/sign_out, or an https URL')),
    /** The console's public URL, which clients show. */
    url: orNull(readText('consoleUrl', 'the URL where people reach the console', { maxLength: 2000 })),
  }),
  metrics: section({
    port: port(9090),
    perWorkload: flag(false),
    /** A label of workloads, or of their Namespaces. */
    teamLabel: orNull(labelKey),
  }),
  savings: section({ prices }),
  /** Wakes on traffic. */
  waker: WAKER,
  log: section({ level: oneOf(LOG_LEVELS, 'info') }),
})

/** The service's settings, checked and with defaults: durations in milliseconds, sizes in bytes. */
export type WrittenConfig = ValueOf<typeof CONFIG_SCHEMA>
/** Its presets have become kinds. */
export interface Config extends Omit<WrittenConfig, 'kinds' | 'owners'> {
  readonly kinds: readonly KindSettings[]
  readonly owners: readonly OwnerSettings[]
}

import { isIP } from 'node:net'
import { SCALED_OBJECTS } from '../../domain/autoscaling/scaled-object.ts'
import { kindsOf, ownersOf } from '../../domain/sleeping/presets.ts'
import { isBuiltIn, isConfigurable, isKind, UNMANAGEABLE } from '../../domain/kinds.ts'
import { InvalidLabelSelector, parseLabelSelector } from '../../domain/policy/label-selector.ts'
import { calendarNames, dateOf, parseDates, parseHours } from '../../domain/schedule/calendar.ts'
import { InvalidSchedule, isTimezone, parseSchedule, timezoneAdvice } from '../../domain/schedule/syntax.ts'
import { faultOf } from '../../domain/text.ts'
import type { Reader } from '../../domain/json-schema.ts'
import { stepOf } from '../../domain/json-pointer.ts'
import { fault, shown, type ConfigFault } from './faults.ts'
import type { WrittenConfig } from './schema.ts'
import { portRange } from '../../domain/traffic/port-ledger.ts'
import { trafficMode } from '../../domain/traffic-mode.ts'
import { settingFault } from '../../domain/policy/faults.ts'
import { durationText } from '../../domain/schedule/duration.ts'

/** Rules for one value that JSON Schema cannot express; '': the value is wrong, and `EXPECTED` says enough. */
export const READERS: Readonly<Record<string, Reader>> = {
  timezone: (text) => (isTimezone(text) ? undefined : (timezoneAdvice(text) ?? '')),
  wakeOnTraffic: unless((text) => trafficMode(text) !== undefined),
  trafficHold: unless((text) => settingFault('trafficHold', text) === undefined),
  schedule: (text) => (text.trim() === '' ? undefined : faultOf(() => parseSchedule(text), InvalidSchedule)),
  labelSelector: (text) => faultOf(() => parseLabelSelector(text), InvalidLabelSelector),
  hours: (text) => faultOf(() => parseHours(text), InvalidSchedule),
  portRange: (text) => faultOf(() => portRange(text), TypeError),
  jwksUri: unless((text) => isUrl(text, isSafeKeysUrl)),
  kind: unless(isKind),
  configuredKind: (text) => (isConfigurable(text) ? undefined : builtInAdvice(text)),
  network: unless(isNetwork),
  signOutUrl: unless(
    (text) => /^\/(?![/\\])/.test(text) || isUrl(text, ({ protocol }) => protocol === 'https:'),
  ),
  consoleUrl: unless((text) => isUrl(text, () => true)),
  webhookUrl: unless((text) => isUrl(text, (url) => url.protocol === 'https:' && url.search === '')),
}

function unless(holds: (text: string) => boolean): Reader {
  return (text) => (holds(text) ? undefined : '')
}

/** '': it is no kind that is built in. */
function builtInAdvice(text: string): string {
  const [resource = ''] = text.split('.')
  return isBuiltIn(resource) ? `${resource} are built in: leave this entry out` : ''
}

function isUrl(text: string, holds: (url: URL) => boolean): boolean {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return false
  return url.username === '' && url.password === '' && url.hash === '' && holds(url)
}

/** Whether an issuer's keys may be fetched from this URL: by https, or by http from this machine. */
function isSafeKeysUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/.test(hostname)
}

/** An address, or a network in CIDR notation (RFC 4632, RFC 4291). */
function isNetwork(text: string): boolean {
  const [, address = '', prefix = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(address)
  return family !== 0 && !address.includes('%') && Number(prefix) <= (family === 4 ? 32 : 128)
}

/** undefined: the entry says one thing. */
function faultOfKind({ preset, ...own }: Entry): string | undefined {
  const { resource, specReplicasPath, switch: switched, asleepWhen, awakeWhen } = own
  if (preset !== null)
    return Object.values(own).some((value) => value !== null) ? `more beside preset ${preset}` : undefined
  if (resource === null) return 'neither'
  if (switched && specReplicasPath !== null) return 'both a count and a switch'
  if (switched && (switched.path == null) === (switched.annotation == null))
    return `a switch with ${switched.path == null ? 'neither path nor annotation' : 'both path and annotation'}`
  if (switched?.asleep !== undefined && switched.asleep === switched.awake)
    return 'a switch whose two values are one'
  if (switched?.annotation != null && ![switched.asleep, switched.awake].every(isText))
    return "an annotation with a value that is no text: write it in quotes, such as 'true'"
  const vague = [asleepWhen, awakeWhen].some(
    (each) =>
      each &&
      ((each.path == null) === (each.condition == null) ||
        (each.equals == null) === (each.equalsPath == null)),
  )
  return vague
    ? 'a condition that needs one of path and condition, and one of equals and equalsPath'
    : undefined
}
type Entry = WrittenConfig['kinds'][number]

/** Annotations and labels have no other values. YAML reads `false` as none, and Helm's also `on` and `off`. */
function isText(value: unknown): boolean {
  return typeof value === 'string'
}

interface CrossCheck {
  /** The keys that are compared; the fault is reported for the first, and only if none of them is faulty by itself. */
  readonly pointers: readonly [string, ...string[]]
  readonly expected: string
  /** The fault, or those of the entries of a list; undefined: there is none. */
  readonly found: (config: WrittenConfig) => string | readonly EntryFault[] | undefined
}

interface EntryFault {
  readonly pointer: string
  readonly found: string
}

function inEntries<Each>(
  pointer: string,
  entries: readonly Each[],
  faultIn: (entry: Each) => string | undefined,
): EntryFault[] {
  return entries.flatMap((entry, index) => {
    const found = faultIn(entry)
    return found === undefined ? [] : [{ pointer: `${pointer}/${index}`, found }]
  })
}

const CROSS_CHECKS: readonly CrossCheck[] = [
  {
    pointers: ['/backoff/base', '/backoff/max'],
    expected: 'at most backoff.max',
    found: ({ backoff: { base, max } }) =>
      base > max ? `${durationText(base)} above ${durationText(max)}` : undefined,
  },
  {
    pointers: ['/kinds'],
    expected:
      'either `preset` alone or `resource`, and with that a count, or a switch that is either a path or an annotation',
    found: ({ kinds }) => inEntries('/kinds', kinds, faultOfKind),
  },
  {
    pointers: ['/kinds'],
    expected: 'a kind that can be put to sleep by its count',
    found: ({ kinds }) =>
      inEntries('/kinds', kinds, ({ resource, switch: switched }) =>
        resource !== null && resource in UNMANAGEABLE && !switched
          ? `${resource}: ${UNMANAGEABLE[resource]}`
          : undefined,
      ),
  },
  {
    pointers: ['/kinds'],
    expected: 'each kind only once',
    found: ({ kinds }) => repeated(kindsOf(kinds).map(({ resource }) => resource)),
  },
  {
    pointers: ['/owners'],
    expected:
      'one of annotation, label and path in each `pause`, with a text in quotes for an annotation or a label',
    found: ({ owners }) =>
      owners.find(
        ({ pause: { annotation, label, path, asleep } }) =>
          [annotation, label, path].filter((each) => each !== null).length !== 1 ||
          (path === null && !isText(asleep)),
      )?.resource,
  },
  {
    // The mark of an object keeps one former value.
    pointers: ['/owners', '/kinds', '/keda'],
    expected:
      'each resource only once in `owners`, `along` and `notWhile`, and none that is paused or managed anyway',
    found: ({ owners, kinds, keda }) => {
      const managed = kindsOf(kinds)
      const along = managed.flatMap((kind) => [...(kind.along ?? []), ...(kind.notWhile ?? [])])
      const paused = [...owners, ...ownersOf(kinds), ...along].map(({ resource }) => resource)
      const others = [
        ...managed.map(({ resource }) => resource),
        ...(keda.enabled ? [SCALED_OBJECTS.resource] : []),
      ]
      return repeated(paused) ?? given(paused.find((each) => others.includes(each)))
    },
  },
  {
    // As the API server would refuse it.
    pointers: ['/webhook/namespaceSelector'],
    expected: 'values for In and NotIn, and none for Exists and DoesNotExist',
    found: ({ webhook: { namespaceSelector } }) =>
      given(
        namespaceSelector.matchExpressions.find(
          ({ operator, values }) => values.length > 0 !== operator.endsWith('In'),
        ),
      ),
  },
  {
    pointers: ['/controller/lease/retry', '/controller/lease/renew'],
    expected: 'less than controller.lease.renew',
    found: ({ controller: { lease } }) => atLeast(lease.retry, lease.renew),
  },
  {
    pointers: ['/controller/lease/renew', '/controller/lease/duration'],
    expected: 'less than controller.lease.duration',
    found: ({ controller: { lease } }) => atLeast(lease.renew, lease.duration),
  },
  {
    pointers: ['/controller/lease/duration'],
    expected: "whole seconds, as a Lease's spec holds them",
    found: ({ controller: { lease } }) =>
      lease.duration % 1000 === 0 ? undefined : durationText(lease.duration),
  },
  {
    pointers: ['/api/insecurePort', '/api/port', '/webhook/port'],
    expected: 'a port other than api.port and webhook.port, which speak TLS',
    found: ({ api, webhook }) => shared(api.insecurePort, [api.port, webhook.port]),
  },
  {
    pointers: ['/webhook/port', '/api/port'],
    expected: 'a port other than api.port, which clients outside the cluster reach',
    found: ({ webhook, api }) => shared(webhook.port, [api.port]),
  },
  {
    pointers: ['/metrics/port', '/api/port', '/api/insecurePort', '/webhook/port'],
    expected: 'a port of its own',
    found: ({ metrics, api, webhook }) => shared(metrics.port, [api.port, api.insecurePort, webhook.port]),
  },
  {
    pointers: ['/webhook/certificates/directory', '/webhook/certificates/mode'],
    expected: 'the directory of tls.crt and tls.key, which the modes cert-manager and files need',
    found: ({ webhook: { certificates } }) =>
      certificates.mode !== 'self-signed' && certificates.directory === null ? shown(null) : undefined,
  },
  {
    pointers: ['/webhook/certificates/leafLifetime', '/webhook/certificates/caLifetime'],
    expected: 'at most half of webhook.certificates.caLifetime',
    found: ({ webhook: { certificates } }) =>
      certificates.leafLifetime * 2 > certificates.caLifetime
        ? `${durationText(certificates.leafLifetime)} beside ${durationText(certificates.caLifetime)}`
        : undefined,
  },
  {
    // The issuer of a token decides which section verifies it.
    pointers: ['/auth/oidc', '/auth/local'],
    expected: 'each issuer only once, that of auth.local included',
    found: ({ auth: { oidc, local } }) =>
      repeated([...oidc, ...(local ? [local] : [])].map(({ issuer }) => issuer)),
  },
  {
    // Records and reasons name a policy by its name.
    pointers: ['/policies'],
    expected: 'each name only once',
    found: ({ policies }) => repeated(policies.map(({ name }) => name)),
  },
  {
    pointers: ['/policies'],
    expected: "policies whose `namespaces` have names or a selector; names: ['*'] means all",
    found({ policies }) {
      const policy = policies.find(
        ({ namespaces: { names, selector } }) => names === null && selector === null,
      )
      return policy && `neither in ${shown(policy.name)}`
    },
  },
  {
    pointers: ['/policies', '/kinds'],
    expected: 'policies for built-in kinds, and for those that stand in `kinds`',
    found: ({ policies, kinds }) =>
      given(
        policies
          .flatMap(({ workloads }) => workloads?.kinds ?? [])
          .find((kind) => !isBuiltIn(kind) && kindsOf(kinds).every(({ resource }) => resource !== kind)),
      ),
  },
  {
    pointers: ['/policies', '/calendars'],
    expected: 'policies with calendars that stand in `calendars`',
    found: ({ policies, calendars }) =>
      given(
        policies
          .flatMap(({ calendar }) => calendarNames(calendar ?? ''))
          .find((name) => !Object.hasOwn(calendars, name)),
      ),
  },
  {
    pointers: ['/auth', '/auth/oidc', '/auth/kubernetes', '/auth/kubernetes/enabled', '/auth/local'],
    expected: 'at least one way to authenticate: auth.kubernetes.enabled, auth.oidc or auth.local',
    found: ({ auth }) => (auth.kubernetes.enabled || auth.oidc.length > 0 || auth.local ? undefined : 'none'),
  },
]

/** The faults of values that contradict each other; values with a `known` fault are not compared. */
export function crossFaults(
  config: WrittenConfig,
  known: readonly ConfigFault[],
  sourceOf: (pointer: string) => string,
): ConfigFault[] {
  const isSound = (pointer: string) =>
    known.every(
      ({ pointer: faulty }) => !`${pointer}/`.startsWith(`${faulty}/`) && !faulty.startsWith(`${pointer}/`),
    )
  return CROSS_CHECKS.filter(({ pointers }) => pointers.every(isSound)).flatMap(
    ({ pointers: [pointer], expected, found }) => {
      const wrong = found(config) ?? []
      const all = typeof wrong === 'string' ? [{ pointer, found: wrong }] : wrong
      return all.map((each) => fault(each.pointer, sourceOf(each.pointer), expected, each.found))
    },
  )
}

function given(value: unknown): string | undefined {
  return value === undefined ? undefined : shown(value)
}

function repeated(names: readonly string[]): string | undefined {
  const name = names.find((each, index) => names.indexOf(each) !== index)
  return name === undefined ? undefined : `${shown(name)} twice`
}

function atLeast(duration: number, other: number): string | undefined {
  return duration < other ? undefined : `${durationText(duration)} beside ${durationText(other)}`
}

/** The port if it is one of the others; 0 is any free one. */
function shared(port: number | null, others: readonly (number | null)[]): string | undefined {
  return port !== null && port !== 0 && others.includes(port) ? shown(port) : undefined
}

/** Dates of calendars that do not exist, that two entries of one calendar name, or that add no hours where they are to. */
export function calendarFaults(
  { calendars }: Pick<WrittenConfig, 'calendars'>,
  sourceOf: (pointer: string) => string,
): ConfigFault[] {
  return Object.entries(calendars).flatMap(([name, { dates, means }]) => {
    const named = new Map<number, string>()
    return Object.entries(dates).flatMap(([range, hours]) => {
      const pointer = `/calendars/${stepOf(name)}/dates/${stepOf(range)}`
      const problem =
        problemOf(range, named) ?? (means === 'awake' && hours.trim() === '' ? NO_HOURS : undefined)
      return problem === undefined ? [] : [fault(pointer, sourceOf(pointer), problem)]
    })
  })
}

const NO_HOURS = "expected the hours that it adds, such as '0:00-24:00', since `means` is awake; found ''"

function problemOf(range: string, named: Map<number, string>): string | undefined {
  try {
    for (const midnight of parseDates(range)) {
      const other = named.get(midnight)
      if (other !== undefined) return `expected each date once, found ${dateOf(midnight)} in ${other}, too`
      named.set(midnight, range)
    }
    return undefined
  } catch (error) {
    if (error instanceof InvalidSchedule) return error.message
    throw error
  }
}

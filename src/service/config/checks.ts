import { isIP } from 'node:net'
import { isBuiltIn, isConfigurable, isKind, UNMANAGEABLE } from '../../domain/kinds.ts'
import { InvalidLabelSelector, parseLabelSelector } from '../../domain/policy/label-selector.ts'
import { calendarNames, dateOf, parseDates, parseHours } from '../../domain/schedule/calendar.ts'
import { InvalidSchedule, isTimezone, parseSchedule } from '../../domain/schedule/syntax.ts'
import { faultOf } from '../../domain/text.ts'
import type { Reader } from '../../domain/json-schema.ts'
import { stepOf } from '../../domain/workload/json-pointer.ts'
import { isSafeKeysUrl } from './issuer-rules.ts'
import { fault, shown, type ConfigFault } from './faults.ts'
import type { Config } from './schema.ts'
import { durationText } from '../../domain/schedule/duration.ts'

/** Rules for one value that JSON Schema cannot express; '': the value is wrong, and `EXPECTED` says enough. */
export const READERS: Readonly<Record<string, Reader>> = {
  timezone: unless(isTimezone),
  schedule: (text) => (text.trim() === '' ? undefined : faultOf(() => parseSchedule(text), InvalidSchedule)),
  labelSelector: (text) => faultOf(() => parseLabelSelector(text), InvalidLabelSelector),
  hours: (text) => faultOf(() => parseHours(text), InvalidSchedule),
  jwksUri: unless((text) => isUrl(text, isSafeKeysUrl)),
  kind: unless(isKind),
  configuredKind: unless(isConfigurable),
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

function isUrl(text: string, holds: (url: URL) => boolean): boolean {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return false
  return url.username === '' && url.password === '' && url.hash === '' && holds(url)
}

/** An address, or a network in CIDR notation (RFC 4632, RFC 4291). */
function isNetwork(text: string): boolean {
  const [, address = '', prefix = '0'] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const family = isIP(address)
  return family !== 0 && !address.includes('%') && Number(prefix) <= (family === 4 ? 32 : 128)
}

/** An expression whose values do not fit its operator, as the API server would refuse it. */
function unfitting({ namespaceSelector: { matchExpressions } }: Config['webhook']) {
  return matchExpressions.find(({ operator, values }) => values.length > 0 !== operator.endsWith('In'))
}

interface CrossCheck {
  /** The keys that are compared; the fault is reported for the first, and only if none of them is faulty by itself. */
  readonly pointers: readonly [string, ...string[]]
  readonly holds: (config: Config) => boolean
  readonly expected: string
  readonly found: (config: Config) => string
}

const CROSS_CHECKS: readonly CrossCheck[] = [
  {
    pointers: ['/backoff/base', '/backoff/max'],
    holds: ({ backoff }) => backoff.base <= backoff.max,
    expected: 'at most backoff.max',
    found: ({ backoff }) => `${durationText(backoff.base)} above ${durationText(backoff.max)}`,
  },
  {
    pointers: ['/kinds'],
    holds: ({ kinds }) => kinds.every(({ resource }) => !(resource in UNMANAGEABLE)),
    expected: 'kinds that can be put to sleep by their scale',
    found: ({ kinds }) => {
      const { resource = '' } = kinds.find((each) => each.resource in UNMANAGEABLE) ?? {}
      return `${resource}: ${UNMANAGEABLE[resource]}`
    },
  },
  {
    pointers: ['/kinds'],
    holds: ({ kinds }) => repeated(kinds.map(({ resource }) => resource)) === undefined,
    expected: 'each kind only once',
    found: ({ kinds }) => `${shown(repeated(kinds.map(({ resource }) => resource)))} twice`,
  },
  {
    pointers: ['/webhook/namespaceSelector'],
    holds: ({ webhook }) => unfitting(webhook) === undefined,
    expected: 'values for In and NotIn, and none for Exists and DoesNotExist',
    found: ({ webhook }) => shown(unfitting(webhook)),
  },
  {
    pointers: ['/controller/lease/retry', '/controller/lease/renew'],
    holds: ({ controller: { lease } }) => lease.retry < lease.renew,
    expected: 'less than controller.lease.renew',
    found: ({ controller: { lease } }) => `${durationText(lease.retry)} beside ${durationText(lease.renew)}`,
  },
  {
    pointers: ['/controller/lease/renew', '/controller/lease/duration'],
    holds: ({ controller: { lease } }) => lease.renew < lease.duration,
    expected: 'less than controller.lease.duration',
    found: ({ controller: { lease } }) =>
      `${durationText(lease.renew)} beside ${durationText(lease.duration)}`,
  },
  {
    pointers: ['/controller/lease/duration'],
    holds: ({ controller: { lease } }) => lease.duration % 1000 === 0,
    expected: "whole seconds, as a Lease's spec holds them",
    found: ({ controller: { lease } }) => durationText(lease.duration),
  },
  {
    pointers: ['/api/insecurePort', '/api/port', '/webhook/port'],
    holds: ({ api, webhook }) =>
      differs(api.insecurePort, api.port) && differs(api.insecurePort, webhook.port),
    expected: 'a port other than api.port and webhook.port, which speak TLS',
    found: ({ api }) => shown(api.insecurePort),
  },
  {
    pointers: ['/webhook/port', '/api/port'],
    holds: ({ api, webhook }) => differs(webhook.port, api.port),
    expected: 'a port other than api.port, which clients outside the cluster reach',
    found: ({ webhook }) => shown(webhook.port),
  },
  {
    pointers: ['/metrics/port', '/api/port', '/api/insecurePort', '/webhook/port'],
    holds: ({ metrics, api, webhook }) =>
      [api.port, api.insecurePort, webhook.port].every((port) => differs(metrics.port, port)),
    expected: 'a port of its own',
    found: ({ metrics }) => shown(metrics.port),
  },
  {
    pointers: ['/webhook/certificates/directory', '/webhook/certificates/mode'],
    holds: ({ webhook: { certificates } }) =>
      certificates.mode === 'self-signed' || certificates.directory !== null,
    expected: 'the directory of tls.crt and tls.key, which the modes cert-manager and files need',
    found: ({ webhook: { certificates } }) => shown(certificates.directory),
  },
  {
    pointers: ['/webhook/certificates/leafLifetime', '/webhook/certificates/caLifetime'],
    holds: ({ webhook: { certificates } }) => certificates.leafLifetime * 2 <= certificates.caLifetime,
    expected: 'at most half of webhook.certificates.caLifetime',
    found: ({ webhook: { certificates } }) =>
      `${durationText(certificates.leafLifetime)} beside ${durationText(certificates.caLifetime)}`,
  },
  {
    // The issuer of a token decides which section verifies it.
    pointers: ['/auth/oidc', '/auth/local'],
    holds: ({ auth }) => repeated(issuersOf(auth)) === undefined,
    expected: 'each issuer only once, that of auth.local included',
    found: ({ auth }) => `${shown(repeated(issuersOf(auth)))} twice`,
  },
  {
    // Records and reasons name a policy by its name.
    pointers: ['/policies'],
    holds: ({ policies }) => repeated(policies.map(({ name }) => name)) === undefined,
    expected: 'each name only once',
    found: ({ policies }) => `${shown(repeated(policies.map(({ name }) => name)))} twice`,
  },
  {
    pointers: ['/policies'],
    holds: ({ policies }) => policies.every(({ namespaces }) => reaches(namespaces)),
    expected: "policies whose `namespaces` have names or a selector; names: ['*'] means all",
    found: ({ policies }) =>
      `neither in ${shown(policies.find(({ namespaces }) => !reaches(namespaces))?.name)}`,
  },
  {
    pointers: ['/policies', '/kinds'],
    holds: (config) => missingKind(config) === undefined,
    expected: 'policies for built-in kinds, and for those that stand in `kinds`',
    found: (config) => shown(missingKind(config)),
  },
  {
    pointers: ['/policies', '/calendars'],
    holds: (config) => missingCalendar(config) === undefined,
    expected: 'policies with calendars that stand in `calendars`',
    found: (config) => shown(missingCalendar(config)),
  },
  {
    pointers: ['/auth', '/auth/oidc', '/auth/kubernetes', '/auth/kubernetes/enabled', '/auth/local'],
    holds: ({ auth }) => auth.kubernetes.enabled || auth.oidc.length > 0 || auth.local !== null,
    expected: 'at least one way to authenticate: auth.kubernetes.enabled, auth.oidc or auth.local',
    found: () => 'none',
  },
]

/** The faults of values that contradict each other; values with a `known` fault are not compared. */
export function crossFaults(
  config: Config,
  known: readonly ConfigFault[],
  sourceOf: (pointer: string) => string,
): ConfigFault[] {
  const isSound = (pointer: string) =>
    known.every(
      ({ pointer: faulty }) => !`${pointer}/`.startsWith(`${faulty}/`) && !faulty.startsWith(`${pointer}/`),
    )
  return CROSS_CHECKS.filter(({ pointers, holds }) => pointers.every(isSound) && !holds(config)).map(
    ({ pointers: [pointer], expected, found }) => fault(pointer, sourceOf(pointer), expected, found(config)),
  )
}

function issuersOf({ oidc, local }: Config['auth']): string[] {
  return [...oidc, ...(local ? [local] : [])].map(({ issuer }) => issuer)
}

function reaches({ names, selector }: Config['policies'][number]['namespaces']): boolean {
  return names !== null || selector !== null
}

function missingCalendar({ policies, calendars }: Config): string | undefined {
  return policies
    .flatMap(({ calendar }) => calendarNames(calendar ?? ''))
    .find((name) => !Object.hasOwn(calendars, name))
}

function missingKind({ policies, kinds }: Config): string | undefined {
  return policies
    .flatMap(({ workloads }) => workloads?.kinds ?? [])
    .find((kind) => !isBuiltIn(kind) && kinds.every(({ resource }) => resource !== kind))
}

function repeated(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index)
}

function differs(port: number | null, other: number | null): boolean {
  return port === null || port === 0 || port !== other
}

/** Dates of calendars that do not exist, or that two entries of one calendar name. */
export function calendarFaults(
  { calendars }: Pick<Config, 'calendars'>,
  sourceOf: (pointer: string) => string,
): ConfigFault[] {
  return Object.entries(calendars).flatMap(([name, { dates }]) => {
    const named = new Map<number, string>()
    return Object.keys(dates).flatMap((range) => {
      const pointer = `/calendars/${stepOf(name)}/dates/${stepOf(range)}`
      const problem = problemOf(range, named)
      return problem === undefined ? [] : [fault(pointer, sourceOf(pointer), problem)]
    })
  })
}

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

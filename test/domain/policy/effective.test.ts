import { expect } from 'chai'
import fc from 'fast-check'
import { compilePolicy, type ConfiguredPolicy } from '../../../src/domain/policy/configured.ts'
import { effectiveSettings, type Effective } from '../../../src/domain/policy/effective.ts'
import { SETTING_NAMES, type SettingName, type Source } from '../../../src/domain/policy/settings.ts'
import type { Kind, Workload } from '../../../src/domain/workload.ts'
import { nearestAwakeUntil } from '../../../src/domain/policy/awake-until.ts'
import { at } from '../../support/rules.ts'
import { heirIn, inheriting, type Level } from './inheriting.ts'

const DEFAULTS = { timezone: 'UTC' }

/** For each setting: what two levels may say, and what is meant without any. */
const VALUES: Record<SettingName, { near: string; far: string; invalid: string; none: unknown }> = {
  enabled: { near: 'false', far: 'true', invalid: 'yes', none: false },
  schedule: { near: '8:00-18:00', far: '7:00-20:00', invalid: '8-18', none: undefined },
  timezone: { near: 'Asia/Tokyo', far: 'Europe/Berlin', invalid: 'Berlin', none: 'UTC' },
  calendar: { near: 'de-be', far: 'company', invalid: ',', none: undefined },
  autoWake: { near: 'true', far: 'false', invalid: 'no', none: true },
}
const SOURCE: Record<Level, Source> = {
  workload: 'workload',
  namespace: 'namespace/shop',
  policy: 'policy/first',
}
const LEVELS: readonly Level[] = ['workload', 'namespace', 'policy']

/** What `text` means once it is found. */
function meaning(name: SettingName, text: string): unknown {
  if (name !== 'enabled' && name !== 'autoWake') return text
  return text === 'true' || text === 'false' ? text === 'true' : 'unclear'
}

/** In a policy of the configuration. */
function mayBeEmpty(name: SettingName): boolean {
  return name === 'schedule' || name === 'calendar'
}

function resolved(texts: Partial<Record<Level, Partial<Record<SettingName, string>>>>): Effective {
  return effectiveSettings(texts.workload ?? {}, inheriting(texts), DEFAULTS)
}

describe('the settings that hold for a workload', () => {
  for (const name of SETTING_NAMES) {
    const { near, far, invalid, none } = VALUES[name]
    const hasDefault = name === 'timezone' || name === 'autoWake'

    it(`${name}: absent everywhere, it is none, or the default`, () => {
      const { [name]: value, sources } = resolved({})
      expect({ value, source: sources[name] }).to.deep.equal({
        value: none,
        source: hasDefault ? 'default' : null,
      })
    })

    for (const [place, level] of LEVELS.entries()) {
      const outer = Object.fromEntries(LEVELS.slice(place + 1).map((each) => [each, { [name]: far }]))
      const rows = [
        { what: 'set', text: near, value: meaning(name, near), source: SOURCE[level] },
        { what: 'empty', text: '', value: none, source: hasDefault ? 'default' : SOURCE[level] },
        { what: 'invalid', text: invalid, value: meaning(name, invalid), source: SOURCE[level] },
      ]
      // The configuration is checked when it is loaded.
      for (const { what, text, value, source } of rows.filter(
        (row) => level !== 'policy' || row.what === 'set' || (row.what === 'empty' && mayBeEmpty(name)),
      )) {
        it(`${name}: ${what} by the ${level}, it looks no further out`, () => {
          const { [name]: found, sources } = resolved({ ...outer, [level]: { [name]: text } })
          expect({ value: found, source: sources[name] }).to.deep.equal({ value, source })
        })
      }
    }
  }

  describe('awake-until', () => {
    const NOW = at('Mon 12:00')
    const [past, soon, later] = ['2026-03-02T11:00:00Z', '2026-03-02T18:00:00Z', '2026-03-03T18:00:00Z']
    const until = (own: string | undefined, namespace: string | undefined) => {
      const annotations = namespace === undefined ? {} : { awakeUntil: namespace }
      const { awakeUntil } = effectiveSettings(
        own === undefined ? {} : { awakeUntil: own },
        heirIn({ annotations }, []),
        DEFAULTS,
      )
      return nearestAwakeUntil(awakeUntil, NOW, (text) => {
        const end = Date.parse(text)
        if (Number.isNaN(end)) throw new RangeError(text)
        return end
      })
    }
    for (const [what, own, namespace, found] of [
      ['absent', undefined, undefined, undefined],
      ['of the workload', soon, later, { at: Date.parse(soon), source: 'workload' }],
      ['of the Namespace', undefined, later, { at: Date.parse(later), source: 'namespace/shop' }],
      ['expired on the workload', past, later, { at: Date.parse(later), source: 'namespace/shop' }],
      ['expired on both', past, past, undefined],
      ['empty on the workload', '', later, undefined],
      ['expired on the Namespace', undefined, past, undefined],
    ] as const)
      it(`${what}: the nearest that has not passed counts`, () => {
        expect(until(own, namespace)).to.deep.equal(found)
      })

    it('that cannot be read is not passed by', () => {
      expect(() => until('soon', later)).to.throw(RangeError)
    })
  })

  it('come each by itself', () => {
    const { enabled, schedule, timezone, sources } = resolved({
      workload: { timezone: 'Asia/Tokyo' },
      namespace: { schedule: '8:00-18:00' },
      policy: { enabled: 'true', schedule: '7:00-20:00', timezone: 'Europe/Berlin' },
    })
    expect({ enabled, schedule, timezone }).to.deep.equal({
      enabled: true,
      schedule: '8:00-18:00',
      timezone: 'Asia/Tokyo',
    })
    expect(sources).to.include({
      enabled: 'policy/first',
      schedule: 'namespace/shop',
      timezone: 'workload',
    })
  })
})

const text = fc.constantFrom(undefined, '', 'true', 'false', 'odd')
const texts = fc.record(Object.fromEntries(SETTING_NAMES.map((name) => [name, text])))
const labels = fc.dictionary(fc.constantFrom('env', 'tier'), fc.constantFrom('dev', 'infra'))
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const policies = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    names: optional(fc.subarray(['*', 'shop', 'sh*p', '*op', 'team-*', 'sho'], { minLength: 1 })),
    env: optional(fc.constantFrom('dev', 'infra')),
    kinds: optional(
      fc.subarray(['deployments', 'daemonsets', 'replicasets'] satisfies Kind[], { minLength: 1 }),
    ),
    tier: optional(fc.constantFrom('dev', 'infra')),
    enabled: optional(fc.boolean()),
    schedule: optional(fc.constantFrom('', '8:00-18:00', '7:00-20:00')),
    autoWake: optional(fc.boolean()),
  }),
  { selector: ({ name }) => name, maxLength: 4 },
)

describe('inheritance', () => {
  it('is what a naive evaluator finds, whatever policies, Namespaces and workloads there are', () => {
    const given = fc.record({
      policies,
      own: texts,
      namespace: texts,
      namespaceLabels: labels,
      labels,
      kind: fc.constantFrom<Kind>('deployments', 'statefulsets', 'daemonsets', 'replicasets'),
      owned: fc.boolean(),
    })
    fc.assert(
      fc.property(given, (each) => {
        const configured: ConfiguredPolicy[] = each.policies.map(
          ({ name, names, env, kinds, tier, ...rest }) => ({
            name,
            namespaces: { names: names ?? null, selector: env === undefined ? null : `env=${env}` },
            workloads: { kinds: kinds ?? null, selector: tier === undefined ? null : `tier=${tier}` },
            enabled: rest.enabled ?? null,
            schedule: rest.schedule ?? null,
            autoWake: rest.autoWake ?? null,
          }),
        )
        const owner = each.owned ? { apiVersion: 'v1', kind: 'App', name: 'app' } : undefined
        const heir = { kind: each.kind, labels: each.labels, owner }
        const own = present(each.own)
        const namespace = { labels: each.namespaceLabels, annotations: present(each.namespace) }
        const inherited = heirIn(namespace, configured.map(compilePolicy), heir)
        const { sources } = effectiveSettings(own, inherited, DEFAULTS)
        for (const name of SETTING_NAMES)
          expect(sources[name], name).to.equal(naive(name, own, namespace, configured, heir))
      }),
      { numRuns: 2000 },
    )
  })
})

type Texts = Partial<Record<SettingName, string>>

function present(each: Record<string, string | undefined>): Texts {
  return Object.fromEntries(Object.entries(each).filter(([, value]) => value !== undefined))
}

/** Where a setting stands, by section 12 of the design read word by word. */
function naive(
  name: SettingName,
  own: Texts,
  namespace: { labels: Record<string, string>; annotations: Texts },
  configured: readonly ConfiguredPolicy[],
  { kind, labels: its, owner }: Pick<Workload, 'kind' | 'labels' | 'owner'>,
): Source | null {
  const fallback = name === 'timezone' || name === 'autoWake' ? 'default' : null
  const says = (value: string, source: Source) => (value === '' ? (fallback ?? source) : source)
  if (own[name] !== undefined) return says(own[name], 'workload')
  if (owner) return fallback
  const matching = configured.filter(({ namespaces, workloads }) => {
    const globs = namespaces.names ?? ['*']
    const isNamed = globs.some((glob) => new RegExp(`^${glob.replaceAll('*', '.*')}$`).test('shop'))
    const env = namespaces.selector?.split('=')[1]
    const tier = workloads?.selector?.split('=')[1]
    return (
      isNamed &&
      (env === undefined || namespace.labels['env'] === env) &&
      (workloads?.kinds ?? ['deployments', 'statefulsets']).includes(kind) &&
      (tier === undefined || its?.['tier'] === tier)
    )
  })
  if (!['deployments', 'statefulsets'].includes(kind) && matching.length === 0) return fallback
  const text = namespace.annotations[name]
  if (text !== undefined) return says(text, 'namespace/shop')
  const first = matching.find((policy) => (policy[name] ?? null) !== null)
  return first ? says(String(first[name]), `policy/${first.name}`) : fallback
}

import { expect } from 'chai'
import fc from 'fast-check'
import { compilePolicy, type ConfiguredPolicy } from '../../../src/domain/policy/configured.ts'
import type { InheritedAnnotation } from '../../../src/domain/policy/inheritance.ts'
import { SETTING_NAMES } from '../../../src/domain/inheritable.ts'
import type { Source } from '../../../src/domain/policy/settings.ts'
import { Situation } from '../../../src/domain/deciding/situation.ts'
import type { Kind } from '../../../src/domain/workload/workload.ts'
import { at, calendarsOf, rulesWith } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { read } from '../../support/readable.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { heirIn } from './inheriting.ts'

const NOW = at('Mon 20:00')
const RULES = rulesWith(
  {},
  calendarsOf({ de: { '2026-03-02': '9:00-21:00' }, company: {}, broken: 'no file' }),
)

/** Valid and mistyped values. */
const VALID = {
  enabled: ['true', 'true', 'false'],
  schedule: ['8:00-18:00', '7:00-22:00', '19:00-6:00,Mon-Fri'],
  timezone: ['Asia/Tokyo', 'Europe/Berlin'],
  calendar: ['de', 'company', 'company, de'],
  autoWake: ['true', 'false'],
  deployWakes: ['true', 'false'],
  asleepReplicas: ['0', '1'],
  wakeOnTraffic: ['page', 'any', 'off'],
  trafficHold: ['1h', '90m'],
  awakeUntil: ['2026-03-02T11:00Z', '2026-03-02T22:00Z', '2026-03-01', '2026-03-04'],
} as const satisfies Record<InheritedAnnotation, readonly string[]>
const INVALID: Record<InheritedAnnotation, readonly string[]> = {
  enabled: ['True', 'yes'],
  schedule: ['8-18'],
  timezone: ['Berlin'],
  calendar: ['at', 'company,broken'],
  autoWake: ['no'],
  deployWakes: ['1'],
  asleepReplicas: ['one', '-1'],
  wakeOnTraffic: ['yes'],
  trafficHold: ['long', '1s'],
  awakeUntil: ['soon', '2026-03-02T22:00'],
}
const NAMES = Object.keys(VALID) as InheritedAnnotation[]

type Texts = Partial<Record<InheritedAnnotation, string>>

const texts: fc.Arbitrary<Texts> = fc.record(
  Object.fromEntries(
    NAMES.map((name) => [
      name,
      fc.oneof(
        { arbitrary: fc.constantFrom(...VALID[name]), weight: 6 },
        fc.constantFrom('', ' '),
        fc.constantFrom(...INVALID[name]),
      ),
    ]),
  ),
  { requiredKeys: [] },
)
const labels = fc.dictionary(fc.constantFrom('env', 'tier'), fc.constantFrom('dev', 'infra'))
const policies = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c', 'd'),
    names: fc.option(fc.subarray(['*', 'shop', 'sh*p', '*op', 'team-*', 'sho'], { minLength: 1 })),
    env: fc.option(fc.constantFrom('dev', 'infra')),
    kinds: fc.option(
      fc.subarray(['deployments', 'daemonsets', 'replicasets'] satisfies Kind[], { minLength: 1 }),
    ),
    tier: fc.option(fc.constantFrom('dev', 'infra')),
    enabled: fc.option(fc.boolean()),
    schedule: fc.option(fc.constantFrom('', ...VALID.schedule)),
    timezone: fc.option(fc.constantFrom(...VALID.timezone)),
    calendar: fc.option(fc.constantFrom('', ...VALID.calendar)),
    autoWake: fc.option(fc.boolean()),
    deployWakes: fc.option(fc.boolean()),
    asleepReplicas: fc.option(fc.nat(2)),
    wakeOnTraffic: fc.option(fc.constantFrom('', ...VALID.wakeOnTraffic)),
    trafficHold: fc.option(fc.constantFrom('', ...VALID.trafficHold)),
  }),
  { selector: ({ name }) => name, maxLength: 4 },
)
const given = fc.record({
  policies,
  own: texts,
  namespace: texts,
  namespaceLabels: labels,
  labels,
  kind: fc.constantFrom<Kind>('deployments', 'deployments', 'statefulsets', 'daemonsets', 'replicasets'),
  owned: fc.integer({ min: 0, max: 5 }).map((each) => each === 0),
})
type Given = typeof given extends fc.Arbitrary<infer Each> ? Each : never

describe('the resolution of settings', () => {
  it('is what a naive evaluator finds, whatever policies, Namespaces and workloads there are', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(given, (each) => {
        const owner = each.owned ? { apiVersion: 'v1', kind: 'App', name: 'app' } : undefined
        const { kind } = each
        const workload = aDeployment().annotated(each.own).labelled(each.labels).with({ kind, owner })
        const inherited = heirIn(
          { labels: each.namespaceLabels, annotations: each.namespace },
          configured(each).map(compilePolicy),
          workload,
        )
        const reading = read(workload, { ...RULES, inherited: () => inherited })
        const naive = naively(each)
        for (const name of SETTING_NAMES)
          expect(reading.effective.sources[name], name).to.equal(naive[name].source)
        expect(reading.enabled).to.equal(naive.enabled.isInvalid ? 'unclear' : naive.enabled.text === 'true')

        const { schedule, faults, awakeUntil } = naive
        const isStopped = schedule.text !== undefined && faults.length > 0
        expect(reading.scheduleFault !== undefined, reading.scheduleFault ?? faults.join()).to.equal(
          isStopped,
        )
        if (isStopped) expect(faults).to.include(reading.scheduleFaultAt)
        const force = new Situation(reading, NOW, RULES).hours
        expect(force !== undefined).to.equal(schedule.text !== undefined && !isStopped)
        seen.add(isStopped ? 'fault' : (force?.state ?? 'none'))
        if (!force || schedule.text === undefined) return
        const { timezone, calendar, autoWake } = naive
        const names = calendar.text?.replaceAll(' ', '')
        const weekly = RULES.compile(schedule.text, timezone.text ?? 'UTC', names)
        const wakes = autoWake.text !== 'false' || awakeUntil > NOW
        const state = awakeUntil > NOW ? 'awake' : weekly.stateAt(NOW)
        expect(force.wakes).to.equal(wakes)
        expect(force.state).to.equal(state === 'awake' && !wakes ? 'own' : state)
      }),
      propertyRuns(3000),
    )
    expect([...seen].toSorted()).to.deep.equal(['asleep', 'awake', 'fault', 'none', 'own'])
  })
})

function configured(each: Given): ConfiguredPolicy[] {
  return each.policies.map(({ name, names, env, kinds, tier, ...rest }) => ({
    name,
    namespaces: { names, selector: env === null ? null : `env=${env}` },
    workloads: { kinds, selector: tier === null ? null : `tier=${tier}` },
    ...rest,
  }))
}

interface Naive {
  /** undefined: none, or the default. */
  readonly text: string | undefined
  readonly source: Source | null
  readonly isInvalid: boolean
}

/** The rules of docs/policies.md, read word by word. */
function naively(each: Given) {
  const settings = Object.fromEntries(SETTING_NAMES.map((name) => [name, nearest(name, each)])) as Record<
    (typeof SETTING_NAMES)[number],
    Naive
  >
  const faults = (['schedule', 'timezone', 'calendar', 'autoWake', 'asleepReplicas'] as const)
    .filter((name) => settings[name].isInvalid)
    .map((name) => settings[name].source)
  // Those further out count once the nearer ones have passed, and an empty one means that there is none.
  const levels = [
    { text: each.own.awakeUntil, source: 'workload' as const },
    { text: isReached(each) ? each.namespace.awakeUntil : undefined, source: 'namespace/shop' as const },
  ].filter(({ text }) => text !== undefined)
  const none = levels.findIndex(({ text }) => text?.trim() === '')
  const count = none === -1 ? levels : levels.slice(0, none)
  const broken = count.find(({ text = '' }) => INVALID.awakeUntil.includes(text))
  if (broken) faults.push(broken.source)
  const zone = settings.timezone.text ?? 'UTC'
  const ends = broken ? [] : count.map(({ text = '' }) => ENDS[`${text} ${zone}`] ?? Date.parse(text))
  return { ...settings, faults, awakeUntil: ends.find((end) => end > NOW) ?? 0 }
}

/** The ends of dates. */
const ENDS: Readonly<Record<string, number>> = {
  '2026-03-01 UTC': Date.parse('2026-03-02T00:00Z'),
  '2026-03-01 Europe/Berlin': Date.parse('2026-03-02T00:00+01:00'),
  '2026-03-01 Asia/Tokyo': Date.parse('2026-03-02T00:00+09:00'),
  '2026-03-04 UTC': Date.parse('2026-03-05T00:00Z'),
  '2026-03-04 Europe/Berlin': Date.parse('2026-03-05T00:00+01:00'),
  '2026-03-04 Asia/Tokyo': Date.parse('2026-03-05T00:00+09:00'),
}

/** The setting as the nearest has it: the workload, its Namespace, the first policy that matches and has it. */
function nearest(name: (typeof SETTING_NAMES)[number], each: Given): Naive {
  const fallback = ['timezone', 'autoWake', 'deployWakes', 'asleepReplicas', 'wakeOnTraffic'].includes(name)
    ? 'default'
    : null
  const { policies: listed, namespace, own } = each
  const matching = listed.filter((policy) => matches(policy, each))
  const first = matching.find((policy) => policy[name] !== null)
  const levels: [string | undefined, Source][] = [[own[name], 'workload']]
  if (isReached(each)) levels.push([namespace[name], 'namespace/shop'])
  if (first && !each.owned) levels.push([String(first[name]), `policy/${first.name}`])
  for (const [text, source] of levels) {
    if (text === undefined) continue
    if (text.trim() === '') return { text: undefined, source: fallback ?? source, isInvalid: false }
    return { text, source, isInvalid: INVALID[name].includes(text) }
  }
  return { text: undefined, source: fallback, isInvalid: false }
}

/** Deployments and StatefulSets, and other kinds where a policy names them; nothing that is owned. */
function isReached(each: Given): boolean {
  const { kind, owned } = each
  if (owned) return false
  return (
    kind === 'deployments' || kind === 'statefulsets' || each.policies.some((policy) => matches(policy, each))
  )
}

function matches(
  { names, env, kinds, tier }: Given['policies'][number],
  { namespaceLabels, labels: its, kind }: Given,
): boolean {
  const reached: readonly Kind[] = kinds ?? ['deployments', 'statefulsets']
  return (
    (names ?? ['*']).some((glob) => new RegExp(`^${glob.replaceAll('*', '.*')}$`).test('shop')) &&
    (env === null || namespaceLabels['env'] === env) &&
    reached.includes(kind) &&
    (tier === null || its['tier'] === tier)
  )
}

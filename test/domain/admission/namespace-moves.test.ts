import { expect } from 'chai'
import { movedByNamespace, tellMoves } from '../../../src/domain/admission/namespace-moves.ts'
import { compilePolicy, type ConfiguredPolicy } from '../../../src/domain/policy/configured.ts'
import type { Annotations } from '../../../src/domain/admission/annotations.ts'
import { Inheritance, type Namespace } from '../../../src/domain/policy/inheritance.ts'
import { at, RULES } from '../../support/rules.ts'
import { aDaemonSet, aDeployment, aStatefulSet, type AWorkload } from '../../support/workloads.ts'

const shop: Namespace = {
  name: 'shop',
  uid: 'u-1',
  resourceVersion: '1',
  labels: undefined,
  annotations: {},
  deleting: false,
}
const HOURS = { enabled: 'true', schedule: '8:00-18:00,Mon-Fri', timezone: 'Europe/Berlin' }
const EVENING = at('Mon 20:00')

interface Given {
  readonly now?: number
  readonly before?: Annotations
  /** Before and after. */
  readonly labels?: readonly [Namespace['labels'], Namespace['labels']]
  readonly policies?: readonly ConfiguredPolicy[]
}

function told(
  workloads: AWorkload[],
  after: Annotations,
  { now = EVENING, before = {}, labels = [undefined, undefined], policies = [] }: Given = {},
) {
  const inheritance = new Inheritance(policies.map(compilePolicy))
  const [had, has] = labels
  const present = { ...shop, annotations: before, labels: had }
  const rules = {
    ...RULES,
    inherited: (heir: AWorkload) => inheritance.of(present).by(heir),
    inheritedFrom: (namespace: Namespace, heir: AWorkload) => inheritance.of(namespace).by(heir),
    inheritsSame: (one: Namespace, other: Namespace) => inheritance.isSame(one, other),
  } as typeof RULES
  const then = { annotations: after, labels: has }
  return tellMoves('shop', movedByNamespace(present, then, workloads, now, rules), now)
}

const web = aDeployment('shop/web').withReplicas(3)
const db = aStatefulSet('shop/db').withReplicas(1)

describe('a Namespace that is annotated in hours of sleep', () => {
  it('is told how many workloads fall asleep, and when they wake', () => {
    expect(told([web, db, aDaemonSet('shop/agent')], HOURS), 'DaemonSets inherit nothing').to.deep.equal([
      'Dormouse: namespace shop: 2 workloads fall asleep now; they wake from Tue 8:00 (Europe/Berlin) on',
    ])
  })

  it('of a single one, and of one that nothing wakes by itself', () => {
    expect(told([web], HOURS)).to.deep.equal([
      'Dormouse: namespace shop: 1 workload falls asleep now; it wakes Tue 8:00 (Europe/Berlin)',
    ])
    expect(told([web], { ...HOURS, autoWake: 'false' })).to.deep.equal([
      'Dormouse: namespace shop: 1 workload falls asleep now, and nothing wakes it by itself',
    ])
  })

  it('that sleeps already, runs by its own settings, or is about to sleep anyway is not counted', () => {
    const own = { enabled: 'true', schedule: '8:00-18:00' }
    const asleep = web
      .enabled()
      .scheduled('8:00-18:00,Mon-Fri')
      .snoozed({ at: at('Mon 18:00') })
    for (const each of [asleep, web.annotated({ enabled: 'false' }), web.annotated({ ...own })])
      expect(told([each], HOURS)).to.deep.equal([])
  })

  it('in its awake hours, or with what it had before, is told nothing', () => {
    expect(told([web], HOURS, { now: at('Mon 12:00') })).to.deep.equal([])
    expect(told([web], HOURS, { before: HOURS })).to.deep.equal([])
  })

  it('wakes workloads, too, and is told how many', () => {
    const asleep = web.snoozed({ at: at('Mon 18:00') })
    const other = aDeployment('shop/api')
      .withReplicas(2)
      .snoozed({ at: at('Mon 18:00') })
    expect(told([asleep, other], { ...HOURS, enabled: 'false' }, { before: HOURS })).to.deep.equal([
      'Dormouse: namespace shop: 2 workloads wake now',
    ])
    expect(told([asleep], { ...HOURS, schedule: '8:00-23:00' }, { before: HOURS })).to.deep.equal([
      'Dormouse: namespace shop: 1 workload wakes now',
    ])
  })
})

describe('a Namespace whose label moves it', () => {
  const dev = { name: 'dev', namespaces: { selector: 'env=dev' }, ...HOURS, enabled: true }
  const [inside, outside] = [{ env: 'dev' }, { env: 'prod' }]

  it('into a policy is told what falls asleep now', () => {
    expect(told([web, db], {}, { policies: [dev], labels: [outside, inside] })).to.deep.equal([
      'Dormouse: namespace shop: 2 workloads fall asleep now; they wake from Tue 8:00 (Europe/Berlin) on',
    ])
    expect(told([web], {}, { policies: [dev], labels: [undefined, inside] })).to.have.length(1)
  })

  it('out of a policy is told what wakes now', () => {
    const asleep = web.snoozed({ at: at('Mon 18:00') })
    expect(told([asleep, db], {}, { policies: [dev], labels: [inside, outside] })).to.deep.equal([
      'Dormouse: namespace shop: 1 workload wakes now',
    ])
  })

  it('nowhere is told nothing', () => {
    const labels = [inside, { ...inside, team: 'a' }] as const
    expect(told([web], {}, { policies: [dev], labels })).to.deep.equal([])
  })
})

import { expect } from 'chai'
import { typeOf } from '../../../src/domain/kinds.ts'
import { admitCreate } from '../../../src/domain/admission/create.ts'
import type { AdmissionDecision } from '../../../src/domain/admission/decision.ts'
import { admitScale } from '../../../src/domain/admission/scale.ts'
import { admitStatus } from '../../../src/domain/admission/status.ts'
import { denyBecause } from '../../../src/domain/admission/messages.ts'
import { ASLEEP_LABEL, KINDS, type Workload } from '../../../src/domain/workload/workload.ts'
import { at, RULES } from '../../support/rules.ts'
import { aDeployment, aReplicaSet, BY_KIND, type AWorkload } from '../../support/workloads.ts'
import { NOON } from '../fixtures.ts'
import { updated } from './updates.ts'

const SOMEBODY = `k8s:${'u'.repeat(124)}`
const OWNER = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }

/** Decisions with every text for people. */
function* decisions(path: string): Generator<[Workload, AdmissionDecision]> {
  for (const kind of KINDS) {
    const plain = BY_KIND[kind](path).withReplicas(3).enabled()
    const asleep = plain
      .snoozed({ at: at('Mon 7:00') })
      .scheduled('13:00-14:00', 'America/Argentina/ComodRivadavia')
    const wholes = [plain, asleep].flatMap((each) => [
      each,
      each.pinned(at('Mon 7:00'), SOMEBODY),
      each.overridden(at('Mon 13:00'), SOMEBODY),
    ])
    const broken = plain.annotated({ state: '{' })
    for (const before of [...wholes, broken]) {
      const afters: Workload[] = [
        before.withReplicas(7),
        before.with({
          snoozeKey: before.snoozeKey === undefined ? 'true' : undefined,
          hasNodeSelector: true,
        }),
        before.annotated({ enabled: 'false' }),
        before.annotated({ state: undefined }).labelled({ [ASLEEP_LABEL]: '9' }),
        before.annotated({ schedule: 's'.repeat(5000) }),
        before.annotated({ timezone: 'z'.repeat(5000) }),
        before.annotated({ enabled: undefined, schedule: '8:00-9:00' }),
        before.with({ owner: OWNER }),
      ]
      const unknown = ['dormouse.dev/enable', `dormouse.dev/${'x'.repeat(63)}`]
      const who = { by: SOMEBODY, unknown }
      for (const after of afters) {
        for (const otherChanges of [false, true])
          yield [before, updated(before, after, { otherChanges, ...who })]
        yield [before, admitStatus(before, after, NOON, RULES)]
        yield [before, admitCreate(after, NOON, RULES, unknown)]
      }
      const written = before.annotated({ state: '{"v":1}' })
      yield [before, updated(before, written, { ...who, manager: 'dormouse' })]
      for (const count of [0, 1, 8]) yield [before, admitScale(before, count, NOON, RULES)]
    }
  }
}

function textsOf(decision: AdmissionDecision): readonly string[] {
  return decision.type === 'denied' ? [decision.message, ...decision.warnings] : decision.warnings
}

describe('every warning and denial', () => {
  it('names Dormouse and the workload first', () => {
    let told = 0
    for (const [workload, decision] of decisions('shop/web')) {
      for (const text of textsOf(decision)) {
        told += 1
        expect(text).to.match(new RegExp(`^Dormouse: ${typeOf(workload.kind)} shop/web[ :]`))
      }
    }
    expect(told).to.be.above(300)
  })

  it('fits 256 characters with the longest legal names, and shows how they begin and end', () => {
    const namespace = `n${'-'.repeat(60)}ns`
    const name = `w${'.'.repeat(250)}ww`
    for (const [, decision] of decisions(`${namespace}/${name}`)) {
      for (const text of textsOf(decision)) {
        expect(text).to.have.length.at.most(256)
        expect(text).to.match(/^Dormouse: \w+ n-+[^ ]*…[^ ]*ww[ :]/)
      }
    }
  })

  it('has the whole command to type, or placeholders in it', () => {
    for (const path of [
      'shop/web',
      `${'n'.repeat(63)}/${'w'.repeat(63)}`,
      `${'n'.repeat(63)}/${'w'.repeat(253)}`,
    ]) {
      const [namespace, name] = path.split('/')
      for (const [, decision] of decisions(path)) {
        for (const text of textsOf(decision)) {
          const [, typed] = /kubectl annotate (.*)$/.exec(text) ?? []
          if (typed === undefined) continue
          expect(typed).to.match(
            new RegExp(
              `^-n (${namespace}|NAMESPACE) \\w+/(${name}|NAME) dormouse.dev/request=(unpin|resume|wake|repair)$`,
            ),
          )
        }
      }
    }
  })

  it('says how to unpin or end the override, in a warning of its own where a denial has no space', () => {
    for (const path of ['shop/web', `${'n'.repeat(63)}/${'w'.repeat(253)}`]) {
      for (const [, decision] of decisions(path)) {
        if (decision.type !== 'denied' || !['pinned', 'overridden'].includes(decision.reason)) continue
        expect(textsOf(decision).join(' ')).to.match(
          / kubectl annotate -n \S+ \S+ dormouse\.dev\/request=(unpin|resume)/,
        )
      }
    }
  })
})

describe('a write of the status', () => {
  const web: AWorkload = aDeployment('shop/web').withReplicas(3).enabled()

  it('gets our annotations and labels restored, and nothing else', () => {
    const before = web
      .scheduled('8:00-18:00')
      .snoozed({ at: at('Mon 7:00') })
      .pinned()
    const after = before
      .annotated({ state: '{}', enabled: 'false', schedule: undefined, timezone: 'UTC' })
      .labelled({ app: 'web' })
    const decision = admitStatus(before, after, NOON, RULES)
    expect(decision).to.deep.include({
      type: 'patched',
      reason: 'restored',
      change: {
        annotations: {
          state: before.annotations.state,
          enabled: 'true',
          schedule: '8:00-18:00',
          timezone: null,
        },
        label: '3',
        held: 'pin',
      },
    })
  })

  it('that leaves ours alone is allowed, and adds none to a workload that has none', () => {
    expect(admitStatus(web, web, NOON, RULES)).to.deep.equal({
      type: 'allowed',
      reason: 'free',
      warnings: [],
    })
    const bare = aDeployment('shop/bare')
    const decision = admitStatus(
      bare,
      bare.annotated({ enabled: 'true' }).labelled({ [ASLEEP_LABEL]: '3' }),
      NOON,
      RULES,
    )
    expect(decision).to.deep.include({ change: { annotations: { enabled: null }, label: null } })
  })

  it('cannot give an owner to a ReplicaSet that is pinned', () => {
    const pinned = aReplicaSet().enabled().pinned()
    expect(admitStatus(pinned, pinned.with({ owner: OWNER }), NOON, RULES)).to.include({
      type: 'denied',
      reason: 'pinned',
    })
  })
})

describe('a remedy that takes a setting of its own away', () => {
  it('is typed with a minus, as kubectl has it', () => {
    const remedy = { action: 'enable', query: { inherit: 'true' } } as const
    const why = { reason: 'not managed', reason_code: 'not_managed', reason_values: {}, remedy }
    expect(denyBecause(aDeployment(), 'request_refused', ': not managed', why))
      .to.have.property('message')
      .that.matches(/to manage it: kubectl annotate -n shop deployments\/web dormouse\.dev\/enabled-$/)
  })
})

import { expect } from 'chai'
import { admitCreate } from '../../../src/domain/admission/create.ts'
import { changed } from '../../../src/domain/workload/change.ts'
import {
  ASLEEP_LABEL,
  FIELD_MANAGER,
  HELD_LABEL,
  type Workload,
} from '../../../src/domain/workload/workload.ts'
import { decoded } from '../../support/readable.ts'
import { at, RULES } from '../../support/rules.ts'
import { aDaemonSet, aDeployment } from '../../support/workloads.ts'
import { NOON } from '../fixtures.ts'

const web = aDeployment('shop/web').withReplicas(3).enabled()

function created(workload: Workload) {
  const decision = admitCreate(workload, NOON, RULES)
  const result = decision.type === 'patched' ? changed(workload, decision.change) : workload
  return { ...decision, result }
}

describe('a workload that is created', () => {
  it('with our annotations but no state is allowed unchanged', () => {
    expect(created(web.scheduled('8:00-18:00'))).to.deep.include({
      type: 'allowed',
      reason: 'free',
      warnings: [],
    })
  })

  it('keeps no author of its state, whom the creator may have made up', () => {
    const forged = web.snoozed({ at: at('Mon 7:00'), trigger: 'api', by: 'k8s:cfo@example.com' })
    expect(created(forged).result.annotations.state).to.not.contain('cfo')
  })

  it('with a state keeps its count alone: pin, override, intent, backoff and history are removed', () => {
    const moved = web
      .snoozed({ at: at('Mon 7:00') })
      .pinned()
      .overridden()
      .inBackoff(at('Mon 13:00'))
    const { result, reason } = created(moved)
    const { counter: _, ...state } = decoded(result.annotations)
    const { snoozed } = moved.state()
    expect(reason).to.equal('stripped')
    expect(state).to.deep.equal({
      kind: 'deployments',
      asleep: true,
      snoozed: { ...snoozed, by: null },
      history: [],
    })
    expect([result.replicas, result.labels]).to.deep.equal([0, { [ASLEEP_LABEL]: '3' }])
  })

  it('keeps what stayed kept when somebody woke it to fewer', () => {
    const woken = { at: at('Mon 9:00'), kept: 3, set: 1 }
    const moved = web.remembering({ woken }).withReplicas(1)
    expect(decoded(created(moved).result.annotations)).to.deep.include({ woken })
    const whole = web.remembering({ woken: { at: at('Mon 9:00') } })
    expect(decoded(created(whole).result.annotations)).to.not.have.property('woken')
  })

  it('running is awake, whatever state it brings', () => {
    const { result } = created(web.snoozed({ at: at('Mon 7:00') }).with({ replicas: 3 }))
    const { asleep, snoozed } = decoded(result.annotations)
    expect([result.replicas, result.labels, asleep, snoozed]).to.deep.equal([3, {}, false, undefined])
  })

  it('with a history alone loses it', () => {
    const { result, reason } = created(web.annotated({ history: '2026-03-02T07:00:00Z w3' }))
    expect([reason, result.annotations]).to.deep.equal(['stripped', web.annotations])
  })

  it('starts without a state when its own cannot be read', () => {
    const { result } = created(web.annotated({ state: '{' }).labelled({ [ASLEEP_LABEL]: '3' }))
    expect(result.annotations).to.deep.equal({ enabled: 'true' })
    expect(result.labels).to.deep.equal({})
  })

  it('asleep with nothing but the label is asleep and keeps its count', () => {
    const asleep = web.snoozed({ at: at('Mon 7:00') })
    for (const state of ['{', '{"v":99}', undefined]) {
      const { result } = created(asleep.annotated({ state }))
      const { snoozed } = decoded(result.annotations)
      expect([result.replicas, result.labels, snoozed?.replicas]).to.deep.equal([
        0,
        { [ASLEEP_LABEL]: '3' },
        3,
      ])
    }
  })

  it('with our key in its nodeSelector but no state is awake', () => {
    for (const snoozeKey of ['true', 'false', '']) {
      const keyed = aDaemonSet().with({ snoozeKey, hasNodeSelector: true })
      expect(created(keyed).result.snoozeKey).to.equal(undefined)
    }
  })

  it('keeps labels of others, loses what says that it is held, and is told of both', () => {
    const { result, warnings } = created(web.labelled({ app: 'web', [HELD_LABEL]: 'pin' }))
    expect(result.labels).to.deep.equal({ app: 'web' })
    expect(warnings).to.have.length(1)
    expect(warnings[0]).to.match(/ brought dormouse\.dev marks without a usable state: they were removed/)
    const sleeper = created(web.snoozed({ at: at('Mon 7:00') }))
    expect(sleeper.warnings[0]).to.match(/only its kept count was kept/)
    expect(created(web.labelled({ app: 'web' }))).to.include({ type: 'allowed', reason: 'free' })
  })

  it('is stripped once, although API servers may ask again after other webhooks', () => {
    const { reason, result } = created(web.snoozed({ at: at('Mon 7:00') }))
    expect(reason).to.equal('stripped')
    expect(created(result)).to.deep.include({ type: 'allowed', reason: 'free', warnings: [] })
  })

  it('without a mark gets none, whoever its managedFields name', () => {
    const replicasManager = { manager: FIELD_MANAGER, subresource: undefined }
    const restored = web.withReplicas(0).with({ replicasManager })
    expect(created(restored)).to.include({ type: 'allowed', reason: 'free' })
    expect(created(restored.annotated({ request: 'wake' }))).to.deep.include({
      reason: 'request_ignored',
      change: { annotations: { request: null } },
    })
  })

  it('with an invalid schedule is denied with the reason, also where it brings a request', () => {
    const invalid = web.scheduled('soon')
    for (const each of [invalid, invalid.annotated({ request: 'wake' })]) {
      const { type, reason, ...decision } = created(each)
      expect([type, reason]).to.deep.equal(['denied', 'invalid_annotation'])
      expect(decision).to.have.property('message').that.includes('soon')
    }
  })
})

import { expect } from 'chai'
import { planStep } from '../../../src/domain/deciding/operation.ts'
import { changed } from '../../../src/domain/workload/change.ts'
import { isInOrder, knownAfter, withMarksRestored } from '../../../src/domain/workload/last-known.ts'
import { TAG_BYTES, type Keyring, type Trust } from '../../../src/domain/workload/tag.ts'
import { ASLEEP_LABEL, HELD_LABEL, type Workload } from '../../../src/domain/workload/workload.ts'
import { stepped } from '../../support/decisions.ts'
import { decoded, read } from '../../support/readable.ts'
import { at } from '../../support/rules.ts'
import { KEYS, keyringOf, rulesBy, signed } from '../../support/signed.ts'
import { aDaemonSet, aDeployment, aReplicaSet, type AWorkload } from '../../support/workloads.ts'
import { NOON, WORK } from '../fixtures.ts'

const keyring = keyringOf()
const RULES = rulesBy(keyring)
const [newest, older] = KEYS

/** Asleep by a request, then pinned and overridden, with a history: all that a state can claim. */
const held = aDeployment('shop/web')
  .withReplicas(3)
  .enabled()
  .snoozed({ at: at('Mon 7:00'), trigger: 'api', by: 'k8s:ana' })
  .pinned()
  .overridden()
  .inBackoff(at('Mon 12:30'))
const valid = signed(held)

const read_ = (workload: Workload, rules = RULES) => read(workload, rules)
const textOf = (workload: AWorkload) => workload.annotations.state ?? ''
const withState = (workload: AWorkload, change: (text: string) => string) =>
  workload.annotated({ state: change(textOf(workload)) })
const withHistory = (workload: AWorkload, change: (text: string) => string) =>
  workload.annotated({ history: change(workload.annotations.history ?? '') })
const other = (part: Partial<Workload>) => signed(held, keyring, held.with(part))

/** Each form of a state, and how far it counts; undefined: whole. */
const FORMS: readonly [form: string, workload: AWorkload, trust: Trust | undefined, keys?: Keyring][] = [
  ['signed by the newest key', valid, undefined],
  ['signed by a key before the newest', signed(held, keyringOf({ signing: older })), 'renew'],
  ['signed by the key that comes next', valid, undefined, keyringOf({ signing: older })],
  ['without a tag', held, 'count'],
  ['of another uid', other({ uid: 'another' }), 'count'],
  ['of another name', other({ name: 'wob' }), 'count'],
  ['of another namespace', other({ namespace: 'shap' }), 'count'],
  ['of another kind of workload', other({ kind: 'statefulsets' }), 'count'],
  [
    'whose text was changed',
    withState(valid, (text) => text.replace('"by":"k8s:alice"', '"by":"k8s:cfo"')),
    'count',
  ],
  ['whose tag was cut', withState(valid, (text) => text.replace(/.{4}"\}$/, '"}')), 'count'],
  ['whose tag was changed', withState(valid, (text) => text.replace(/.{4}"\}$/, 'AAAA"}')), 'count'],
  [
    'whose tag stands elsewhere',
    withState(valid, (text) => text.replace(/^\{(.*),("tag":"[^"]*")\}$/, '{$2,$1}')),
    'count',
  ],
  [
    'with the tag of its history',
    withState(valid, (text) =>
      text.replace(/"tag":"[^"]*"/, `"tag":"${(valid.annotations.history ?? '').split('~')[1]}"`),
    ),
    'count',
  ],
  ['signed by a secret with the name of a known key', valid, 'unclear', keyringOf({ secrets: ['another'] })],
  ['signed by a key that was looked for and is not there', valid, 'count', keyringWithout(valid)],
  ['of a service that keeps no key', held, undefined, keyringOf({ secrets: [] })],
  ['without a tag, where the keys before were lost', held, 'renew', keyringOf({ adopts: true })],
  ['by a lost key', valid, 'renew', keyringOf({ secrets: ['another'], adopts: true })],
  ['signed, where the keys before were lost', valid, undefined, keyringOf({ adopts: true })],
  ['with a history without a tag', withHistory(valid, (text) => text.split(' ~')[0] ?? ''), 'no-history'],
  ['with a history that was changed', withHistory(valid, (text) => text.replace('ana', 'bob')), 'no-history'],
  [
    'with the history of another workload',
    valid.annotated({ history: other({ uid: 'another' }).annotations.history }),
    'no-history',
  ],
  ['with the state as its history', valid.annotated({ history: textOf(valid) }), 'no-history'],
  ['without its history', valid.annotated({ history: undefined }), undefined],
]

function keyringWithout(workload: Workload): Keyring {
  const keys = { secrets: ['another'] }
  const name = keyringOf(keys).unknownKey(workload) ?? ''
  return keyringOf({ ...keys, absent: new Set([name]) })
}

describe('a state', () => {
  for (const [form, workload, trust, keys = keyring] of FORMS) {
    it(`${form} counts ${{ renew: 'whole, and is signed anew', count: 'by its count alone', 'no-history': 'without its history', unclear: 'by its count for now', whole: 'whole' }[trust ?? 'whole']}`, () => {
      const reading = read_(workload, rulesBy(keys))
      expect(reading.trust).to.equal(trust)
      const { pin, override, backoff, intent, history, asleep, snoozed } = reading.state
      expect([asleep, snoozed?.replicas], 'the kept count').to.deep.equal([true, 3])
      const isWhole = trust !== 'count' && trust !== 'unclear'
      for (const each of [pin, override, backoff, intent]) expect(each !== undefined).to.equal(isWhole)
      expect(snoozed?.by).to.equal(isWhole ? 'k8s:ana' : null)
      expect(history.length > 0).to.equal(
        isWhole && trust !== 'no-history' && workload.annotations.history !== undefined,
      )
    })
  }

  it('is signed by each write, and then counts', () => {
    const awake = signed(aDeployment('shop/web').withReplicas(3).enabled().scheduled(WORK).remembering({}))
    const { after } = stepped(awake, at('Mon 18:00'), RULES)
    expect(read_(after).trust).to.equal(undefined)
    expect(read_(after).state).to.deep.include({ asleep: true })
    expect(read_({ ...after, uid: 'another' }).trust).to.equal('count')
  })

  it('has a tag that is no part of what a program without keys reads, and no key of a later release', () => {
    expect(decoded(valid.annotations)).to.deep.equal(decoded(held.annotations))
    expect(TAG_BYTES).to.equal(
      JSON.stringify(valid.annotations).length - JSON.stringify(held.annotations).length - 4,
    )
  })

  it('that cannot be read stays unreadable, signed or not', () => {
    for (const state of ['{', '{"v":99}', '{"v":2}'])
      expect(() => read_(valid.annotated({ state }))).to.throw(/cannot be read/)
  })

  it('names the key that is to be looked for, and none that was looked for or is known', () => {
    expect(keyringOf({ secrets: ['another'] }).unknownKey(valid)).to.match(/^[\w-]{3}$/)
    expect(keyringWithout(valid).unknownKey(valid)).to.equal(undefined)
    expect(keyring.unknownKey(valid)).to.equal(undefined)
    expect(keyring.unknownKey(held)).to.equal(undefined)
    expect([newest, older].map((secret) => keyring.names([valid], secret))).to.deep.equal([true, false])
  })
})

describe('the controller, where a state was not signed', () => {
  it('writes the count alone, signed, and says so in the history', () => {
    const { after, state } = stepped(held, NOON, RULES)
    expect(read_(after).trust).to.equal(undefined)
    expect(state).to.deep.include({ asleep: true })
    expect(state).to.not.have.any.keys('pin', 'override', 'intent', 'backoff')
    const [entry, ...others] = state.history
    expect(entry).to.include({ type: 'snooze', trigger: 'unsigned', by: null, result: 'succeeded' })
    expect([others, after.labels]).to.deep.equal([[], { [ASLEEP_LABEL]: '3' }])
    expect(planStep(after, NOON, RULES).change).to.equal(undefined)
  })

  it('says nothing where nothing but the count was there', () => {
    const count = aDeployment('shop/web')
      .enabled()
      .remembering({
        asleep: true,
        snoozed: { at: at('Mon 7:00'), replicas: 3, trigger: 'schedule', by: null },
      })
      .labelled({ [ASLEEP_LABEL]: '3' })
      .withReplicas(0)
    const { state, after } = stepped(count, NOON, RULES)
    expect([state.asleep, state.snoozed?.replicas, state.history]).to.deep.equal([true, 3, []])
    expect(read_(after).trust).to.equal(undefined)
  })

  it('finds one that runs awake, and puts nothing to sleep because of it', () => {
    for (const running of [
      held.with({ replicas: 3 }),
      aDaemonSet('shop/web')
        .withReplicas(3)
        .enabled()
        .snoozed({ at: at('Mon 7:00') })
        .pinned()
        .with({ snoozeKey: undefined }),
    ]) {
      const { after, state } = stepped(running, NOON, RULES)
      expect(after.replicas).to.equal(running.replicas)
      expect([state.asleep, after.labels?.[ASLEEP_LABEL], after.labels?.[HELD_LABEL]]).to.deep.equal([
        false,
        undefined,
        undefined,
      ])
    }
  })

  it('keeps the counter, so that older signed states stay old; and leaves room above a forged one', () => {
    const { state } = stepped(held, NOON, RULES)
    const known = knownAfter(stepped(held, NOON, RULES).after, undefined, RULES)
    expect(state.counter).to.equal(held.state().counter + 1)
    expect(
      withMarksRestored(valid.with({ resourceVersion: '999999' }), known, RULES).annotations.state,
    ).to.equal(known?.workload.annotations.state)
    const highest = held.remembering({ counter: Number.MAX_SAFE_INTEGER })
    expect(stepped(highest, NOON, RULES).state.counter).to.be.below(Number.MAX_SAFE_INTEGER / 2 + 2)
  })

  it('signs a state of an older key again, whole, and one of a lost key', () => {
    for (const [workload, keys] of [
      [signed(held, keyringOf({ signing: older })), keyring],
      [valid, keyringOf({ secrets: ['another'], adopts: true })],
    ] as const) {
      const { after } = stepped(workload, NOON, rulesBy(keys))
      expect(after.annotations).to.not.deep.equal(workload.annotations)
      const { counter: _, ...state } = decoded(after.annotations)
      const { counter: _before, ...before } = decoded(held.annotations)
      expect(state).to.deep.equal(before)
      expect(keys.trustIn(after)).to.equal(undefined)
    }
  })

  it('loses the history alone where that alone is not signed, and says so', () => {
    const { state } = stepped(
      withHistory(valid, (text) => text.replace('ana', 'bob')),
      NOON,
      RULES,
    )
    expect(state.pin).to.deep.equal(held.state().pin)
    expect(state.history.map(({ trigger }) => trigger)).to.deep.equal(['unsigned'])
  })

  it('does nothing while a key has to be looked for, and keeps what it knows', () => {
    const keys = rulesBy(keyringOf({ secrets: ['another'] }))
    expect(planStep(valid, NOON, keys).change).to.equal(undefined)
    const known = { counter: 1, workload: aDeployment('shop/web') }
    expect(withMarksRestored(valid, known, keys)).to.equal(valid)
    expect(knownAfter(valid, known, keys)).to.equal(known)
  })

  const known = knownAfter(valid, undefined, RULES)
  const awoken = aDeployment('shop/web').withReplicas(3).enabled()
  const later = { resourceVersion: '999999' }
  const forgeries: readonly [string, AWorkload][] = [
    ['a higher counter', awoken.remembering({ counter: 99 })],
    ['no pin', awoken.remembering({ counter: held.state().counter })],
    ['a state of another workload', other({ uid: 'another' }).remembering({ counter: 99 })],
    [
      'a count of 9',
      held.remembering({ counter: 99, snoozed: { at: NOON, replicas: 9, trigger: 'api', by: 'k8s:cfo' } }),
    ],
  ]
  for (const [what, forged] of forgeries) {
    it(`writes the state back that it remembers, after a forgery with ${what}`, () => {
      const copy = forged.with(later)
      expect(isInOrder(copy, known, RULES)).to.equal(false)
      expect(knownAfter(copy, known, RULES)).to.equal(known)
      const { change } = planStep(copy, NOON, RULES, known)
      expect(changed(copy, change!).annotations).to.deep.equal(valid.annotations)
    })
  }

  it('remembers no state that does not count', () => {
    expect(knownAfter(held, undefined, RULES)).to.equal(undefined)
    expect(known?.workload).to.equal(valid)
  })

  it('still ignores the state that a Deployment left on its ReplicaSet', () => {
    const orphan = aReplicaSet('shop/web').with({ annotations: valid.annotations, formerRevision: true })
    expect(read_(orphan)).to.include({ written: undefined, enabled: false })
  })
})

import { expect } from 'chai'
import fc from 'fast-check'
import { admitCreate } from '../../../src/domain/admission/create.ts'
import { requestIn } from '../../../src/domain/admission/request-annotation.ts'
import { admitStatus } from '../../../src/domain/admission/status.ts'
import { planStep } from '../../../src/domain/deciding/operation.ts'
import { stateOf as readableState } from '../../../src/domain/workload/reading.ts'
import { VERBS } from '../../../src/domain/requests/annotation.ts'
import { EMPTY_STATE, type State } from '../../../src/domain/workload/state.ts'
import { ASLEEP_LABEL, HELD_LABEL, type Workload } from '../../../src/domain/workload/workload.ts'
import { Refusal } from '../../../src/process/errors.ts'
import { decided, stepped } from '../../support/decisions.ts'
import { at, HOUR, MINUTE, RULES, SECOND } from '../../support/rules.ts'
import { keyringOf, rulesBy } from '../../support/signed.ts'
import { aCronJob, aDaemonSet, aDeployment, type AWorkload } from '../../support/workloads.ts'
import { propertyRuns } from '../../support/property-runs.ts'
import { NIGHT, NOON } from '../fixtures.ts'
import { updated as reviewed, type Options } from './updates.ts'

const SEVEN = at('Mon 7:00')
const web = aDeployment('shop/web').withReplicas(3).enabled().remembering({})
const sleeper = web.snoozed({ at: SEVEN })
/** Another tool had it at 0 before. */
const foundAtZero = web.withReplicas(0).snoozed({ at: SEVEN })

/** That of one that cannot be read is empty. */
const stateOf = (workload: Workload): State => readableState(workload, {}) ?? EMPTY_STATE

function updated(before: Workload, after: Workload, options?: Options) {
  const decision = reviewed(before, after, options)
  // The API server counts generations only once it stores the object.
  const result = { ...decision.result, generation: after.generation }
  return { ...decision, result, state: stateOf(result) }
}

const asked = (before: AWorkload, request: string, options?: Options) =>
  updated(before, before.annotated({ request }), options)

describe('a request by annotation', () => {
  it('wakes a sleeper in the write that brings it: count, label, state, author; and nothing of it is stored', () => {
    const { result, state, ...decision } = asked(sleeper, 'wake 4h')
    expect(decision).to.include({ type: 'patched', reason: 'requested' })
    expect(result).to.include({ replicas: 3 })
    expect(result.labels).to.not.have.property(ASLEEP_LABEL)
    expect(result.annotations).to.not.have.property('request')
    expect(state).to.include({ asleep: false, counter: stateOf(sleeper).counter + 1 })
    expect(state.intent).to.include({
      want: 'awake',
      by: 'k8s:carol',
      trigger: 'api',
      until: NOON + 4 * HOUR,
    })
    expect(state.history[0]).to.include({ type: 'wake', trigger: 'api', by: 'k8s:carol', result: 'running' })
    expect(state.request).to.deep.equal({ text: 'wake 4h', at: NOON, by: 'k8s:carol' })
    expect(decision.warnings).to.deep.equal([
      'Dormouse: deployment shop/web woken to 3 replicas for 4h, until Mon 16:00 (UTC): awake by request of carol; sleeps Mon 16:00',
    ])
    expect(asked(sleeper, 'wake 4h', { isDryRun: true }).warnings[0]).to.match(/web would be woken to 3 /)
  })

  it('beside a count of 0 is carried out on what that leaves: an unsigned sleeper, found running, wakes to its count', () => {
    const running = sleeper.editedTo(5)
    const wakes = running.editedTo(0).annotated({ request: 'wake' })
    const rules = rulesBy(keyringOf())
    expect(updated(running, wakes, { rules }).result.replicas).to.equal(3)
  })

  it('in a write that mends what could not be read is carried out', () => {
    const running = aDeployment('shop/web').withReplicas(3).enabled()
    const stray = running.with({ labels: { [ASLEEP_LABEL]: 'x' } })
    const { reason, state } = updated(stray, running.annotated({ request: 'pin' }))
    expect(reason).to.equal('requested')
    expect(state.pin?.state).to.equal('active')
  })

  const DONE: [string, AWorkload, string, (state: State, result: Workload) => unknown, unknown][] = [
    ['snooze', web, 'snooze', (state, { replicas }) => [state.asleep, replicas], [true, 0]],
    ['snooze 1h', web, 'snooze', ({ intent }) => intent?.until, NOON + HOUR],
    ['pin', web, 'pin', ({ pin }) => pin?.state, 'active'],
    ['unpin', web.pinned(), 'unpin', ({ pin }) => pin, undefined],
    ['override', web, 'override', ({ override }) => override?.until, null],
    ['override 2h', web, 'override', ({ override }) => override?.until, NOON + 2 * HOUR],
    ['resume', web.overridden(), 'resume', ({ override }) => override, undefined],
    ['adopt 4', web.withReplicas(0), 'adopt', ({ snoozed }) => snoozed?.replicas, 4],
    ['adopt 5', foundAtZero, 'adopt', ({ snoozed }) => snoozed?.replicas, 5],
    // Whatever put it to sleep still applies: only the count was missing.
    ['adopt 6', foundAtZero, 'adopt', ({ intent }) => intent, stateOf(foundAtZero).intent],
  ]
  for (const [text, before, verb, seen, expected] of DONE)
    it(`${text} does what ${verb} is to do`, () => {
      const { state, result, ...decision } = asked(before, text)
      expect(decision).to.include({ type: 'patched', reason: 'requested' })
      expect(seen(state, result)).to.deep.equal(expected)
      expect(state.request?.text).to.equal(text)
    })

  it('repairs a state that cannot be read, and says nothing else about it', () => {
    const { state, warnings } = asked(sleeper.annotated({ state: 'x' }), 'repair')
    expect(state).to.include({ asleep: true, counter: Math.floor(NOON / 1000) + 1 })
    expect(state.snoozed?.replicas).to.equal(3)
    expect(warnings).to.have.length(1)
    expect(warnings[0]).to.match(/^Dormouse: deployment shop\/web repaired: asleep/)
  })

  it('puts a DaemonSet to sleep by our key, and wakes it by taking that away', () => {
    const agent = aDaemonSet().withReplicas(2).enabled().remembering({})
    const { result } = asked(agent, 'snooze')
    expect(result.snoozeKey).to.equal('true')
    expect(asked(agent.snoozed({ at: SEVEN }), 'wake').result.snoozeKey).to.equal(undefined)
  })

  it('that changes nothing says so, and writes nothing but its own removal', () => {
    const { result, ...decision } = asked(web, 'wake')
    const before: Workload = web
    expect(result).to.deep.equal({ ...before, annotations: { ...web.annotations } })
    expect(decision.warnings[0]).to.match(/web already awake \(a duration, such as 2h, would keep it awake/)
  })

  it('counts with what else its write changes: enabled', () => {
    const bare = aDeployment('shop/web').withReplicas(3)
    const { state } = updated(bare, bare.annotated({ enabled: 'true', request: 'snooze' }))
    expect(state).to.include({ asleep: true })
  })
})

describe('a refused request', () => {
  const LATE = new Refusal('RATE_LIMITED', 'at most 20 requests a second, and 40 at once: slow down')
  const REFUSED: [string, AWorkload, string, RegExp, Options?][] = [
    ['of a sleep', web, 'sleep', /: dormouse.dev.request: expected one of wake, .* did you mean snooze\?$/],
    [
      'of an unknown verb',
      web,
      'wkae',
      /: dormouse.dev.request: expected one of wake, .* did you mean wake\?$/,
    ],
    [
      'of what is not managed',
      aDeployment(),
      'wake',
      /web: not managed by Dormouse; to manage it: kubectl annotate .* dormouse\.dev\/enabled=true --overwrite$/,
    ],
    [
      'of what is pinned',
      web.pinned(),
      'snooze',
      /: pinned awake by alice since Mon 7:00 .UTC.; to let it go: kubectl annotate .* dormouse\.dev\/request=unpin$/,
    ],
    [
      'in a backoff',
      web.inBackoff(NOON + HOUR),
      'snooze',
      /to do it all the same: kubectl annotate .*=force-snooze$/,
    ],
    [
      'of what loses its volumes',
      web.with({ deletesVolumes: true }),
      'snooze',
      /to do it all the same: kubectl annotate .*=force-snooze$/,
    ],
    [
      'of what cannot be read',
      web.annotated({ state: 'x' }),
      'wake',
      /cannot be read: not JSON; to repair it: kubectl annotate .* dormouse\.dev\/request=repair$/,
    ],
    ['above the rate', web, 'wake 1h', /: at most 20 requests a second/, { refusal: LATE }],
    ['to repair what can be read', web, 'repair', /can be read: there is nothing to repair$/],
    ['to adopt what runs', web, 'adopt 3', /snooze it instead$/],
    ['to adopt what keeps a count', sleeper, 'adopt 4', /keeps 3: there is nothing to adopt$/],
    [
      'to adopt a DaemonSet of no other tool',
      aDaemonSet().enabled(),
      'adopt 3',
      /by another tool's nodeSelector/,
    ],
    [
      'to adopt a DaemonSet that the other tool still keeps asleep',
      aDaemonSet().enabled(),
      'adopt 3',
      /: remove nowhere from its nodeSelector in the same write$/,
      { otherTool: { before: 'nowhere', after: 'nowhere' } },
    ],
    ['by nobody', web, 'snooze', /nobody is named/, { by: null }],
    [
      'by somebody whose name no review has proven',
      web,
      'snooze',
      /nobody is named/,
      { by: 'manager:kubectl' },
    ],
  ]
  for (const [title, before, text, message, options] of REFUSED) {
    it(`${title} denies a write of nothing else, with what to type`, () => {
      const decision = asked(before, text, options)
      expect(decision).to.include({ type: 'denied', reason: 'request_refused' })
      expect(decision).to.have.property('message').that.matches(message)
    })

    it(`${title} lets a rollout through without it, with a warning`, () => {
      if (text.startsWith('adopt')) {
        expect(asked(before, text, { otherChanges: true }).type).to.equal('denied')
        return
      }
      const { result, ...decision } = asked(before, text, { ...options, otherChanges: true })
      expect(decision.type).to.equal('patched')
      expect(result.annotations).to.deep.equal(before.annotations)
      expect(decision.warnings[0]).to.match(/\(the rest of this write goes through\)|…$/)
    })
  }

  it('to adopt what this very write wakes, or has woken, is refused', () => {
    const atZero = web.withReplicas(0)
    for (const [before, after] of [
      [atZero, web],
      [web, atZero],
    ] as const) {
      const { type, ...decision } = updated(before, after.annotated({ request: 'adopt 4' }))
      expect(type).to.equal('denied')
      expect(decision)
        .to.have.property('message')
        .that.matches(/only a deployment that sleeps can be adopted/)
    }
  })

  it('to adopt a DaemonSet is granted in the write that takes away the selector of the other tool', () => {
    const otherTool = { before: 'nowhere', after: undefined }
    const { state, type } = asked(aDaemonSet().enabled(), 'adopt 3', { otherTool })
    expect([type, state.asleep, state.snoozed?.replicas]).to.deep.equal(['patched', true, 3])
  })

  it('is compared with the last one whatever its blanks', () => {
    const { state } = asked(web, ' snooze \t 2h\n')
    expect(state.request?.text).to.equal('snooze 2h')
  })

  it('passes the backoff by force, and wakes through it', () => {
    expect(asked(web.inBackoff(NOON + HOUR), 'force-snooze').state.asleep).to.equal(true)
    expect(asked(sleeper.inBackoff(NOON + HOUR), 'wake').state.asleep).to.equal(false)
  })
})

describe('the right to update the scale, beside that to update the workload', () => {
  const held = sleeper.annotated({ state: '{' }).labelled({ [HELD_LABEL]: 'pin' })
  for (const [needs, what, before, request] of [
    [true, 'a pin', web, 'pin'],
    [true, 'an override', web, 'override'],
    [true, 'the end of a pin', web.pinned(), 'unpin'],
    [true, 'a repair of what the label says is held', held, 'repair'],
    [false, 'a repair of what nothing says is held', sleeper.annotated({ state: '{' }), 'repair'],
    [false, 'a snooze', web, 'snooze'],
    [false, 'a wake of what is held', held, 'wake'],
    [false, 'what cannot be read', web, 'pin it'],
    [false, 'a pin of a kind that has no scale', aDaemonSet().enabled(), 'pin'],
  ] as const)
    it(`${needs ? 'is needed' : 'is not needed'} for ${what}`, () => {
      const { update } = asked(before, request)
      expect(requestIn(update)).to.deep.equal({ text: request, needsScale: needs })
    })
})

describe('a request that does not count', () => {
  const gone = (decision: ReturnType<typeof updated>, says: RegExp, before: Workload) => {
    expect(decision.type).to.equal('patched')
    expect(decision.result.annotations).to.deep.equal(before.annotations)
    expect(decision.result.replicas).to.equal(before.replicas)
    expect(decision.warnings[0]).to.match(says)
  }

  it('in an applied manifest', () =>
    gone(asked(sleeper, 'wake', { isApplied: true }), /each sync sends again/, sleeper))

  it('beside a changed state: an undo, a restore', () => {
    const old = sleeper.annotated({ state: web.annotations.state, request: 'wake' })
    gone(updated(sleeper, old), /beside a change of dormouse\.dev\/state/, sleeper)
    const replaced = sleeper.annotated({ state: undefined, request: 'wake' })
    gone(updated(sleeper, replaced), /beside a change of dormouse\.dev\/state/, sleeper)
  })

  it('with a time more than five minutes off, either way', () => {
    for (const off of [-1, 1]) {
      const time = (minutes: number) => `wake @${new Date(NOON + off * minutes * MINUTE).toISOString()}`
      gone(asked(sleeper, time(6)), /more than 5 minutes off/, sleeper)
      expect(asked(sleeper, time(4)).state.asleep).to.equal(false)
    }
  })

  it('that was there before: it was stored without us', () => {
    const stored = sleeper.annotated({ request: 'wake' })
    gone(updated(stored, stored, { otherChanges: true }), /is never carried out/, sleeper)
  })

  it('on creation', () => {
    const decision = admitCreate(web.annotated({ state: undefined, request: 'wake' }), NOON, RULES)
    expect(decision).to.include({ type: 'patched', reason: 'request_ignored' })
    expect(decision).to.have.nested.property('change.annotations.request', null)
    expect(decision.warnings[0]).to.match(/does nothing on creation/)
  })

  it('in a write of the status', () => {
    const decision = admitStatus(sleeper, sleeper.annotated({ request: 'wake' }), NOON, RULES)
    expect(decision).to.include({ type: 'patched', reason: 'request_ignored' })
    expect(decision.warnings).to.have.lengthOf(1)
    expect(decision.warnings[0]).to.match(/does nothing in a write of the status/)
    expect(admitStatus(sleeper.annotated({ request: 'wake' }), sleeper, NOON, RULES).type).to.equal('allowed')
  })
})

describe('a request that comes again', () => {
  it('with the same time is answered again and carried out once', () => {
    const text = `wake 4h @${new Date(NOON).toISOString()}`
    const { result, state } = asked(sleeper, text)
    const sent = { ...result, annotations: { ...result.annotations, request: text } }
    const again = updated(result, sent, { now: NOON + 10 * SECOND })
    expect(again.state).to.deep.equal(state)
    expect(again.result.annotations).to.deep.equal(result.annotations)
    expect(again.warnings[0]).to.match(/has carried this request out at Mon 12:00 .UTC.: awake by request/)
    const others = updated(result, sent, { now: NOON + 10 * SECOND, by: 'k8s:dave' })
    expect(others.state).to.deep.equal(state)
    expect(others.warnings[0]).to.match(/is older than 'wake 4h/)
  })

  it('late, with a time from before another request, does not undo that one', () => {
    const late = `snooze @${new Date(NOON).toISOString()}`
    const asks = (before: Workload, request: string, later: number) =>
      updated(before, { ...before, annotations: { ...before.annotations, request } }, { now: NOON + later })
    const snoozed = asks(web, late, SECOND)
    expect(snoozed.state.asleep).to.equal(true)
    const woken = asks(snoozed.result, 'wake', MINUTE)
    expect(woken.state.asleep).to.equal(false)
    const again = asks(woken.result, late, 2 * MINUTE)
    expect(again.state).to.deep.equal(woken.state)
    expect(again.result.annotations).to.deep.equal(woken.result.annotations)
    expect(again.warnings[0]).to.match(/is older than 'wake', carried out at Mon 12:01 .UTC./)
    const newer = `snooze @${new Date(NOON + 90 * SECOND).toISOString()}`
    expect(asks(woken.result, newer, 2 * MINUTE).state.asleep).to.equal(true)
  })

  it('as the state that it made, it is an old copy: nothing of it is believed', () => {
    const first = asked(web, 'pin').result
    const { result, reason } = updated(web, first, { otherChanges: true })
    expect(reason).to.equal('restored')
    expect(result.annotations).to.deep.equal(web.annotations)
  })
})

describe("a CronJob's wake by annotation", () => {
  const report = aCronJob().enabled().remembering({}).snoozed({ at: SEVEN, kept: 1 })

  it('is left to the controller, which writes the status first, and says so', () => {
    const { result, state, warnings } = asked(report, 'wake')
    expect(result.replicas).to.equal(0)
    expect(state).to.include({ asleep: true })
    expect(state.request).to.include({ pending: true, by: 'k8s:carol' })
    expect(warnings[0]).to.match(/report is to wake in a moment/)
    const { change, decision, state: after } = stepped(result, NOON + SECOND)
    expect(decision).to.include({ action: 'wake', trigger: 'api', by: 'k8s:carol' })
    const { code, values } = decision.reason
    expect([code, values]).to.deep.equal([
      'intent',
      { want: 'awake', by: 'k8s:carol', trigger: 'api', until: null },
    ])
    expect(change).to.include({ replicas: 1, lastScheduleTime: NOON + SECOND })
    expect(after.request).to.deep.equal({ text: 'wake', at: NOON, by: 'k8s:carol' })
    expect(after.asleep).to.equal(false)
  })

  for (const [what, workload, request, later] of [
    ['its time is over', report, 'wake 1h', NOON + 3 * HOUR],
    ['an edge has put it to sleep since', report.scheduled('8:00-18:00,Mon-Fri'), 'wake', NIGHT],
    ['it is night again', report.scheduled('8:00-18:00,Mon-Fri'), 'wake 1h', NIGHT],
  ] as const)
    it(`is not done late by a controller that was away: ${what}`, () => {
      const { result, state } = asked(workload, request)
      expect(state.request).to.include({ pending: true })
      expect(stepped(result, later).decision.action).to.equal('none')
    })

  it('is done late where it still holds', () => {
    const { result } = asked(report, 'wake 4h')
    expect(stepped(result, NOON + 3 * HOUR).decision).to.include({ action: 'wake', by: 'k8s:carol' })
    const sleeping = report.scheduled('8:00-18:00,Mon-Fri')
    for (const request of ['wake', 'wake 4h']) {
      const night = asked(sleeping, request, { now: NIGHT }).result
      expect(stepped(night, NIGHT + HOUR).decision).to.include({ action: 'wake', by: 'k8s:carol' })
    }
  })

  it('is done late by the request where an edge has woken it since, too', () => {
    const { result } = asked(report.scheduled('8:00-18:00,Mon-Fri'), 'wake', { now: at('Tue 7:59') })
    const { decision } = stepped(result, at('Tue 8:01'))
    expect(decision).to.include({ action: 'wake', trigger: 'api', by: 'k8s:carol' })
  })

  it('waits where the cluster refused it, with whose request it is', () => {
    const { result } = asked(report, 'wake')
    const refused = aCronJob()
      .with(result)
      .inBackoff(NOON + 5 * MINUTE, 'failure')
    const { action, reason } = decided(refused, NOON + SECOND)
    expect([action, reason.code]).to.deep.equal(['none', 'backoff'])
    expect(reason.text).to.include('(then: awake by request of k8s:carol; no schedule)')
  })

  it('is done in the same write where missed runs are wanted', () => {
    const { result, state } = asked(report.annotated({ catchUp: 'true' }), 'wake')
    expect([result.replicas, state.asleep, state.request?.pending]).to.deep.equal([1, false, undefined])
  })

  it('is taken back by a snooze in between', () => {
    const waiting = asked(report, 'wake').result
    const { result } = updated(
      waiting,
      { ...waiting, annotations: { ...waiting.annotations, request: 'snooze' } },
      { now: NOON + SECOND },
    )
    expect(stepped(result, NOON + 2 * SECOND).decision.action).to.equal('none')
  })
})

describe('a request that is stored, since the webhook was away', () => {
  for (const [title, workload] of [
    ['of a managed workload', web.snoozed({ at: SEVEN, trigger: 'api', by: 'k8s:alice' })],
    ['of one that is not managed', aDeployment().annotated({ timezone: 'UTC' })],
  ] as const)
    it(`is removed and not carried out: ${title}`, () => {
      const { change, after } = stepped(workload.annotated({ request: 'wake' }), NIGHT)
      expect(change?.annotations).to.deep.equal({ request: null })
      expect(after.replicas).to.equal(workload.replicas)
      expect(planStep(after, NIGHT, RULES).change).to.equal(undefined)
    })

  it('stays where the state cannot be read: nothing is written there', () => {
    const unreadable = web.annotated({ state: 'x', request: 'wake' })
    expect(planStep(unreadable, NOON, RULES).change).to.equal(undefined)
  })
})

describe('whatever is asked of whatever workload', () => {
  const words = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...VERBS, '4h', '1m', '3', '@2026-03-02T12:01:00Z') },
      { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    ),
    { maxLength: 4 },
  )
  const text = fc.oneof(
    words.map((list) => list.join(' ')),
    fc.string({ unit: 'binary' }),
  )
  const workload = fc.constantFrom(
    ...[web, sleeper].flatMap((each) => [
      each,
      each.pinned(),
      each.overridden(),
      each.inBackoff(NOON + HOUR),
    ]),
    aDeployment(),
    web.annotated({ state: '{"v":1}' }),
    web.scheduled('8:00-18:00,Mon-Fri'),
    aDaemonSet().enabled(),
    aDaemonSet().enabled().remembering({}).snoozed({ at: SEVEN }),
    aCronJob().enabled(),
    aCronJob().enabled().remembering({}).snoozed({ at: SEVEN, kept: 1 }),
  )

  it('nothing of it is stored, and messages fit', () => {
    fc.assert(
      fc.property(
        workload,
        workload,
        text,
        fc.record({ otherChanges: fc.boolean(), isApplied: fc.boolean(), count: fc.boolean() }),
        (before: Workload, other, request, { count, ...options }) => {
          const same = before.kind === other.kind
          const sent = count && same ? { ...before, replicas: other.replicas } : { ...before }
          const annotations = { ...before.annotations, request }
          const after = { ...sent, annotations, hasAnnotations: true }
          const decision = updated(before, after, options)
          for (const message of [
            ...decision.warnings,
            ...(decision.type === 'denied' ? [decision.message] : []),
          ])
            expect(message.length).to.be.at.most(256)
          if (decision.type === 'denied') return
          expect(decision.result.annotations).to.not.have.property('request')
        },
      ),
    )
  })

  it('old and new pairs: a request beside any other state changes no state', () => {
    fc.assert(
      fc.property(
        workload,
        workload,
        fc.constantFrom('wake 4h', 'snooze', 'pin', 'unpin'),
        (before, old, request) => {
          fc.pre(before.kind === old.kind && before.annotations.state !== old.annotations.state)
          fc.pre(before.annotations.state !== '{"v":1}' && before.annotations.state !== undefined)
          const after = before.annotated({ state: old.annotations.state, request })
          const decision = updated(before, after, { otherChanges: true })
          if (decision.type === 'denied') return
          expect(decision.state.request).to.equal(undefined)
        },
      ),
    )
  })

  it('without the right that it needs nothing is held or freed: however it is padded, or a state forged beside it', () => {
    const blanks = fc
      .array(fc.constantFrom(' ', '\t', '\n', '\u00A0', '\uFEFF'), { maxLength: 200 })
      .map((list) => list.join(''))
    const verb = fc.constantFrom(
      'pin',
      'unpin',
      'override',
      'override 2h',
      'resume',
      'wake',
      'wake 4h',
      'snooze',
    )
    const padded = fc.tuple(blanks, verb, blanks).map(([before, each, after]) => before + each + after)
    const withScale = workload.filter(({ kind }) => kind === 'deployments')
    fc.assert(
      fc.property(
        withScale,
        fc.option(padded, { nil: undefined }),
        fc.option(fc.oneof(verb, padded), { nil: undefined }),
        fc.boolean(),
        fc.integer({ min: -30, max: 30 }),
        (before, request, carriedOut, otherChanges, seconds) => {
          const made =
            carriedOut === undefined
              ? before
              : asked(before, carriedOut, { now: NOON + seconds * SECOND }).result
          const after = before.annotated({ state: made.annotations.state, request })
          const options = { otherChanges, isApplied: false }
          const { update } = updated(before, after, options)
          const needs = requestIn(update)?.needsScale === true
          const refusal = needs ? new Refusal('FORBIDDEN', 'you may not') : undefined
          const { state, type } = updated(before, after, { ...options, ...(refusal && { refusal }) })
          if (type === 'denied') return
          const { pin, override } = stateOf(before)
          expect({ pin: state.pin, override: state.override }).to.deep.equal({ pin, override })
        },
      ),
      propertyRuns(400),
    )
  })
})

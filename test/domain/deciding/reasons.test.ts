import { expect } from 'chai'
import { UnknownHours } from '../../../src/domain/schedule/unknown-hours.ts'
import type { Instant } from '../../../src/process/clock.ts'
import { because, type ReasonCode } from '../../../src/domain/deciding/decision.ts'
import { listedRecord } from '../../../src/domain/records/record.ts'
import { asked, decided, followed, stepped } from '../../support/decisions.ts'
import { at, HOUR, MINUTE, RULES } from '../../support/rules.ts'
import {
  aCronJob,
  aDaemonSet,
  aDeployment,
  aReplicaSet,
  aStatefulSet,
  type AWorkload,
} from '../../support/workloads.ts'
import { asleep, awake, NIGHT, NOON, unscheduled, WORK } from '../fixtures.ts'
import { inheriting } from '../policy/inheriting.ts'

const alice = 'k8s:alice'

const agent = aDaemonSet()
  .withReplicas(2)
  .enabled()
  .snoozed({ at: at('Mon 18:00') })
const report = aCronJob()
  .enabled()
  .scheduled(WORK)
  .woken({ at: at('Mon 8:00'), trigger: 'schedule' })
const itself = awake.annotated({ autoWake: 'false' })
const wokenToOne = () => aDeployment().with(followed(stepped(asleep.scaledByHand(1), NIGHT).after))
const oneHour = { at: NOON, trigger: 'api', by: alice, for: HOUR } as const
const BY_DAY = 'awake by schedule 8:00-18:00,Mon-Fri (UTC) until 2026-03-02T18:00:00Z'
const BY_NIGHT = 'asleep by schedule 8:00-18:00,Mon-Fri (UTC) until 2026-03-03T08:00:00Z'

type Row = [what: string, workload: AWorkload | (() => AWorkload), when: Instant, text: string, told?: string]
const HOURS =
  '"schedule":"8:00-18:00,Mon-Fri","timezone":"UTC","calendar":"","source":"workload","until":"2026-03-02T18:00:00Z"'
const ofAlice = (want: string, until: string | null = null) =>
  JSON.stringify({ want, by: alice, trigger: 'api', until })

/** By code: the workload, the time, the whole text; the values and the request that ends it, for programs. */
const REASONS: Partial<Record<ReasonCode, Row[]>> = {
  deleting: [['deleted', asleep.with({ deleting: true }), NIGHT, 'it is being deleted']],
  not_managed: [
    ['never managed', aDeployment(), NOON, 'not managed', '{"source":null} enable'],
    [
      'left alone by its own annotation',
      aDeployment().annotated({ enabled: 'false' }),
      NOON,
      'not managed',
      '{"source":"workload"} enable',
    ],
  ],
  enabled_unclear: [
    [
      '`enabled` is a typo',
      awake.annotated({ enabled: 'ture' }),
      NOON,
      'dormouse.dev/enabled is neither "true" nor "false", so nothing is done',
      '{"source":"workload"}',
    ],
  ],
  disabled: [
    [
      'asleep, and `enabled` taken away',
      asleep.annotated({ enabled: undefined }),
      NIGHT,
      'managing was turned off, so it wakes',
    ],
  ],
  backoff: [
    [
      'asleep, `enabled` taken away, and the cluster refused to wake it',
      asleep.annotated({ enabled: undefined }).inBackoff(at('Mon 20:05'), 'failure'),
      NIGHT,
      'waits until 2026-03-02T20:05:00Z: the cluster refused the last attempt (then: managing was turned off, so it wakes)',
      '{"until":"2026-03-02T20:05:00Z","cause":"failure"}',
    ],
    [
      'flapping',
      awake.inBackoff(at('Mon 18:05')),
      at('Mon 18:00'),
      `waits until 2026-03-02T18:05:00Z: it was switched too often (then: ${BY_NIGHT})`,
      '{"until":"2026-03-02T18:05:00Z","cause":"flapping"}',
    ],
    [
      'refused by the cluster',
      awake.inBackoff(at('Mon 18:05'), 'failure'),
      at('Mon 18:00'),
      `waits until 2026-03-02T18:05:00Z: the cluster refused the last attempt (then: ${BY_NIGHT})`,
      '{"until":"2026-03-02T18:05:00Z","cause":"failure"}',
    ],
    [
      'refused by the cluster, which said why',
      awake.remembering({
        backoff: { until: at('Mon 18:05'), times: 1, cause: 'failure', refusal: 'two replicas at least' },
      }),
      at('Mon 18:00'),
      `waits until 2026-03-02T18:05:00Z: the cluster refused the last attempt: two replicas at least (then: ${BY_NIGHT})`,
      '{"until":"2026-03-02T18:05:00Z","cause":"failure","refusal":"two replicas at least"}',
    ],
    [
      'flapping while an autoscaler sets the count of what is awake',
      awake
        .with({ replicas: 2, replicasManager: { manager: 'kube-controller-manager', subresource: 'scale' } })
        .inBackoff(at('Mon 18:05')),
      at('Mon 18:00'),
      `waits until 2026-03-02T18:05:00Z: it was switched too often (then: ${BY_NIGHT})`,
      '{"until":"2026-03-02T18:05:00Z","cause":"flapping"}',
    ],
  ],
  kept_by_other: [
    [
      'put to sleep by a downscaler',
      aDeployment().withReplicas(0).enabled().scheduled(WORK).with({ keptByOther: '3' }),
      NIGHT,
      'left alone: another tool put it to sleep and keeps its count (downscaler/original-replicas: 3) until kubectl dormouse import adopts it',
    ],
  ],
  pinned: [
    [
      'pinned awake',
      awake.pinned(),
      NIGHT,
      'pinned awake by k8s:alice since 2026-03-02T07:00:00Z',
      '{"state":"active","by":"k8s:alice","since":"2026-03-02T07:00:00Z"} unpin',
    ],
    [
      'pinned asleep',
      asleep.pinned(),
      at('Tue 12:00'),
      'pinned asleep by k8s:alice since 2026-03-02T07:00:00Z',
      '{"state":"snoozed","by":"k8s:alice","since":"2026-03-02T07:00:00Z"} unpin',
    ],
  ],
  pin_enforced: [
    ['pinned awake, found at 0', awake.pinned().scaledByHand(0), NOON, 'pinned awake, and found scaled down'],
    [
      'pinned awake, found at another count',
      awake.pinned().scaledByHand(9),
      NOON,
      'pinned awake, and found scaled to 9 replicas',
    ],
    [
      'pinned asleep, found running',
      asleep.pinned().scaledByHand(3),
      NIGHT,
      'pinned asleep, and found running',
    ],
  ],
  overridden: [
    [
      'overridden for good',
      awake.overridden(),
      NIGHT,
      'overridden by k8s:bob for good',
      '{"by":"k8s:bob","until":null} clearOverride',
    ],
    [
      'overridden for a time',
      awake.overridden(at('Tue 9:00')),
      NIGHT,
      'overridden by k8s:bob until 2026-03-03T09:00:00Z',
      '{"by":"k8s:bob","until":"2026-03-03T09:00:00Z"} clearOverride',
    ],
  ],
  schedule: [
    ['awake by schedule', awake, NOON, BY_DAY, `{${HOURS}}`],
    [
      'asleep by schedule',
      asleep,
      NIGHT,
      BY_NIGHT,
      '{"schedule":"8:00-18:00,Mon-Fri","timezone":"UTC","calendar":"","source":"workload","until":"2026-03-03T08:00:00Z"}',
    ],
    [
      'awake by schedule, and in a backoff that has nothing to wait for',
      awake.inBackoff(at('Mon 12:05')),
      NOON,
      BY_DAY,
      `{${HOURS}}`,
    ],
    [
      'awake by a schedule in a zone',
      awake.scheduled(WORK, 'Asia/Tokyo'),
      at('Mon 8:30'),
      'awake by schedule 8:00-18:00,Mon-Fri (Asia/Tokyo) until 2026-03-02T09:00:00Z',
      '{"schedule":"8:00-18:00,Mon-Fri","timezone":"Asia/Tokyo","calendar":"","source":"workload","until":"2026-03-02T09:00:00Z"}',
    ],
    [
      'awake by a schedule without edges',
      awake.scheduled('0:00-24:00'),
      NOON,
      'awake by schedule 0:00-24:00 (UTC)',
      '{"schedule":"0:00-24:00","timezone":"UTC","calendar":"","source":"workload","until":null}',
    ],
    [
      'asleep, and its schedule was removed',
      asleep.annotated({ schedule: undefined }),
      NIGHT,
      'awake: its schedule was removed',
    ],
  ],
  intent: [
    [
      'awake, and its schedule was removed',
      awake.annotated({ schedule: undefined }),
      NOON,
      'awake; no schedule',
      '{"until":null}',
    ],
    [
      'snoozed by a request without a schedule, and scaled while overridden',
      () =>
        aDeployment().with(
          stepped(
            unscheduled.snoozed({ at: NOON, trigger: 'api', by: alice }).overridden(NIGHT).scaledByHand(3),
            at('Mon 13:00'),
          ).after,
        ),
      NIGHT,
      'awake; no schedule',
      '{"until":null}',
    ],
    [
      'woken by a request',
      asleep.woken({ at: at('Mon 19:00'), by: alice }),
      NIGHT,
      'awake by request of k8s:alice; sleeps 2026-03-03T18:00:00Z',
      ofAlice('awake', '2026-03-03T18:00:00Z'),
    ],
    [
      'woken by hand',
      asleep.woken({ at: at('Mon 19:00'), trigger: 'manual', by: 'manager:kubectl', hold: 12 * HOUR }),
      NIGHT,
      'awake by manual scaling of manager:kubectl; sleeps 2026-03-03T07:00:00Z',
      '{"want":"awake","by":"manager:kubectl","trigger":"manual","until":"2026-03-03T07:00:00Z"}',
    ],
    [
      'woken by hand, without a name',
      asleep.woken({ at: at('Mon 19:00'), trigger: 'manual', hold: 2 * HOUR }),
      NIGHT,
      'awake by manual scaling; sleeps 2026-03-02T21:00:00Z',
      '{"want":"awake","by":null,"trigger":"manual","until":"2026-03-02T21:00:00Z"}',
    ],
    [
      'snoozed by a request',
      awake.snoozed({ at: NOON, trigger: 'api', by: alice }),
      NOON,
      'asleep by request of k8s:alice; wakes 2026-03-03T08:00:00Z',
      ofAlice('asleep', '2026-03-03T08:00:00Z'),
    ],
    [
      'snoozed by a request, and its schedule has no edges',
      awake.scheduled('0:00-24:00').snoozed({ at: NOON, trigger: 'api', by: alice }),
      NOON,
      'asleep by request of k8s:alice',
      ofAlice('asleep'),
    ],
    [
      'snoozed by a request, without a schedule',
      unscheduled.snoozed({ at: NOON, trigger: 'api', by: alice }),
      NIGHT,
      'asleep by request of k8s:alice; no schedule',
      ofAlice('asleep'),
    ],
    [
      'snoozed, and its schedule only puts to sleep',
      awake.annotated({ autoWake: 'false' }).snoozed({ at: NOON, trigger: 'api', by: alice }),
      NOON,
      'asleep by request of k8s:alice',
      ofAlice('asleep'),
    ],
    [
      'snoozed under awake-until',
      awake.annotated({ awakeUntil: '2026-03-06T23:00Z' }).snoozed({ at: NOON, trigger: 'api', by: alice }),
      NOON,
      'asleep by request of k8s:alice; wakes 2026-03-02T18:00:00Z',
      ofAlice('asleep', '2026-03-02T18:00:00Z'),
    ],
    [
      'asleep by a schedule that is invalid now',
      asleep.scheduled('whenever'),
      NIGHT,
      "asleep; the schedule is invalid, so nothing is automatic: dormouse.dev/schedule: at 1: expected a time H:MM from 0:00 to 24:00, found 'whenever'",
      '{"until":null}',
    ],
    [
      'woken by hand to fewer than were kept, which nothing brings back',
      () => wokenToOne().annotated({ autoWake: 'false' }),
      NIGHT,
      'awake by manual scaling of manager:kubectl; sleeps 2026-03-03T18:00:00Z; 3 are kept',
      '{"want":"awake","by":"manager:kubectl","trigger":"manual","until":"2026-03-03T18:00:00Z"}',
    ],
    [
      'woken by hand to fewer than were kept',
      wokenToOne,
      NIGHT,
      'awake by manual scaling of manager:kubectl; sleeps 2026-03-03T18:00:00Z; 3 are kept, and come back 2026-03-03T08:00:00Z',
      '{"want":"awake","by":"manager:kubectl","trigger":"manual","until":"2026-03-03T18:00:00Z"}',
    ],
  ],
  grace: [
    [
      'new in hours of sleep',
      aDeployment().enabled().scheduled(WORK).born(NIGHT),
      NIGHT + MINUTE,
      'awake: new workloads run until 2026-03-02T20:15:00Z',
      '{"until":"2026-03-02T20:15:00Z"}',
    ],
  ],
  until: [
    [
      'woken for an hour, in a backoff that outlasts the hour',
      asleep.woken({ at: at('Mon 19:00'), by: alice, for: HOUR }).inBackoff(NIGHT + HOUR),
      at('Mon 19:30'),
      'awake by request of k8s:alice; sleeps 2026-03-02T21:00:00Z',
      ofAlice('awake', '2026-03-02T21:00:00Z'),
    ],
    [
      'snoozed for an hour',
      awake.snoozed(oneHour),
      NOON,
      'asleep by request of k8s:alice; wakes 2026-03-02T13:00:00Z',
      ofAlice('asleep', '2026-03-02T13:00:00Z'),
    ],
    [
      'snoozed for a time at whose end the schedule keeps it asleep',
      awake.snoozed({ at: at('Mon 17:30'), trigger: 'api', by: alice, for: HOUR }),
      at('Mon 18:10'),
      'asleep by request of k8s:alice; wakes 2026-03-03T08:00:00Z',
      ofAlice('asleep', '2026-03-03T08:00:00Z'),
    ],
    [
      'woken for a time at whose end the schedule keeps it awake',
      awake.woken({ at: NOON, by: alice, for: HOUR }),
      NOON,
      'awake by request of k8s:alice; sleeps 2026-03-02T18:00:00Z',
      ofAlice('awake', '2026-03-02T18:00:00Z'),
    ],
    [
      'woken for an hour while awake, without a schedule',
      unscheduled.woken({ at: NOON, by: alice, for: HOUR }),
      NOON,
      'awake by request of k8s:alice; no schedule',
      ofAlice('awake'),
    ],
    [
      'woken for an hour while asleep, without a schedule',
      unscheduled.snoozed({ at: at('Mon 9:00'), trigger: 'api' }).woken(oneHour),
      NOON,
      'awake by request of k8s:alice; sleeps 2026-03-02T13:00:00Z',
      ofAlice('awake', '2026-03-02T13:00:00Z'),
    ],
  ],
  until_passed: [
    ['snoozed for an hour that has passed', awake.snoozed(oneHour), at('Mon 13:00'), BY_DAY, `{${HOURS}}`],
    [
      'snoozed for an hour that has passed, without a schedule',
      unscheduled.snoozed(oneHour),
      at('Mon 13:00'),
      'awake again: the snooze by request of k8s:alice ended at 2026-03-02T13:00:00Z',
      ofAlice('asleep', '2026-03-02T13:00:00Z'),
    ],
    [
      'woken for an hour that has passed, without a schedule',
      unscheduled.snoozed({ at: at('Mon 9:00'), trigger: 'api' }).woken(oneHour),
      at('Mon 13:00'),
      'asleep again: the wake by request of k8s:alice ended at 2026-03-02T13:00:00Z',
      ofAlice('awake', '2026-03-02T13:00:00Z'),
    ],
    [
      'snoozed for an hour that has passed, in hours of its own',
      itself.snoozed(oneHour),
      at('Mon 14:00'),
      'awake again: the snooze by request of k8s:alice ended at 2026-03-02T13:00:00Z',
      ofAlice('asleep', '2026-03-02T13:00:00Z'),
    ],
  ],
  nothing_automatic: [
    ['without a schedule', unscheduled, NOON, 'awake; no schedule'],
    [
      'its schedule is invalid',
      unscheduled.scheduled('whenever'),
      NOON,
      "awake; the schedule is invalid, so nothing is automatic: dormouse.dev/schedule: at 1: expected a time H:MM from 0:00 to 24:00, found 'whenever'",
    ],
    [
      'awake in hours of its own',
      itself,
      NOON,
      `awake: schedule ${WORK} (UTC) only puts to sleep, next at 2026-03-02T18:00:00Z`,
      `{${HOURS}}`,
    ],
    [
      'awake in hours of its own that never end',
      itself.scheduled('0:00-24:00'),
      NOON,
      'awake: schedule 0:00-24:00 (UTC) only puts to sleep',
      '{"schedule":"0:00-24:00","timezone":"UTC","calendar":"","source":"workload","until":null}',
    ],
    [
      'snoozed for an hour that had passed before hours of its own began',
      itself.snoozed({ ...oneHour, at: at('Mon 6:00') }),
      at('Mon 9:00'),
      `asleep: schedule ${WORK} (UTC) only puts to sleep, next at 2026-03-02T18:00:00Z`,
      `{${HOURS}}`,
    ],
  ],
  scaled_to_zero: [
    [
      'scaled to 0 while awake',
      awake.scaledByHand(0),
      NOON,
      `manager:kubectl scaled it to 0 (${BY_DAY})`,
      `{"by":"manager:kubectl",${HOURS}} wake`,
    ],
    [
      'scaled to 0 by somebody whom a review knows, through its owner',
      awake.with({
        replicas: 0,
        replicasManager: { manager: 'argocd', subresource: undefined },
        scaledBy: 'k8s:bob',
      }),
      NOON,
      `k8s:bob scaled it to 0 (${BY_DAY})`,
      `{"by":"k8s:bob",${HOURS}} wake`,
    ],
    [
      'at 0, which our own write left as its owner had it',
      awake.with({ replicas: 0, replicasManager: { manager: 'dormouse', subresource: undefined } }),
      NOON,
      `kept at 0 by its owner (${BY_DAY})`,
      `{"by":null,${HOURS}} wake`,
    ],
    [
      'a CronJob, suspended by hand',
      report.scaledByHand(0),
      NOON,
      `manager:kubectl suspended it (${BY_DAY})`,
      `{"by":"manager:kubectl",${HOURS}} wake`,
    ],
    [
      'a CronJob that its manifest suspends',
      report.editedTo(0),
      NOON,
      `kept suspended by its owner (argocd) (${BY_DAY})`,
      `{"by":"manager:argocd",${HOURS}} wake`,
    ],
    [
      'created with 0',
      awake.editedTo(0, 'kubectl-create'),
      NOON,
      `kept at 0 by its owner (kubectl-create) (${BY_DAY})`,
      `{"by":"manager:kubectl-create",${HOURS}} wake`,
    ],
    [
      'created with 0 by a client without a name',
      unscheduled.editedTo(0, 'unknown'),
      NOON,
      'kept at 0 by its owner (awake; no schedule)',
      '{"by":"manager:unknown"} wake',
    ],
    [
      'scaled to 0 by somebody of whom no field tells',
      unscheduled.withReplicas(0).with({ replicasManager: undefined }),
      NOON,
      'somebody scaled it to 0 (awake; no schedule)',
      '{"by":null} wake',
    ],
  ],
  manual_scaling: [
    [
      'a CronJob asleep, and resumed by hand',
      report.snoozed({ at: at('Mon 18:00') }).scaledByHand(1),
      NIGHT,
      'resumed by manager:kubectl',
      '{"by":"manager:kubectl"}',
    ],
    [
      'woken by hand to fewer than were kept, and scaled to 0 again',
      () => wokenToOne().scaledByHand(0),
      at('Mon 21:00'),
      'scaled to 0 by manager:kubectl',
      '{"by":"manager:kubectl"}',
    ],
    [
      'asleep, and scaled by hand',
      asleep.scaledByHand(4),
      NIGHT,
      'scaled to 4 replicas by manager:kubectl',
      '{"by":"manager:kubectl"}',
    ],
    [
      'asleep, and scaled to one',
      asleep.scaledByHand(1, ''),
      NIGHT,
      'scaled to 1 replica by somebody',
      '{"by":null}',
    ],
    [
      'a DaemonSet asleep and overridden, and its key removed',
      agent.overridden().withoutItsKey(),
      NIGHT,
      'woken by somebody while overridden',
      '{"by":null}',
    ],
    [
      'asleep and overridden, and edited',
      asleep.overridden().editedTo(4),
      NIGHT,
      'scaled to 4 replicas by manager:argocd while overridden',
      '{"by":"manager:argocd"}',
    ],
  ],
  recovery: [
    [
      'asleep, and applied by GitOps',
      asleep.editedTo(4),
      NIGHT,
      'found running although asleep (changed by manager:argocd): 4 are kept and it sleeps again',
      '{"by":"manager:argocd"}',
    ],
    [
      'asleep, and scaled by an autoscaler',
      asleep.scaledByHand(4, 'kube-controller-manager'),
      NIGHT,
      'found running although asleep (changed by manager:kube-controller-manager): 3 are kept and it sleeps again',
      '{"by":"manager:kube-controller-manager"}',
    ],
  ],
  data_at_risk: [
    [
      'a StatefulSet whose volumes go with its pods',
      aStatefulSet().enabled().scheduled(WORK).with({ deletesVolumes: true }),
      NIGHT,
      `left awake: its persistentVolumeClaimRetentionPolicy.whenScaled is Delete, so sleeping would delete its volumes (then: ${BY_NIGHT})`,
      '{"fault":"its persistentVolumeClaimRetentionPolicy.whenScaled is Delete, so sleeping would delete its volumes"} snooze?force=true',
    ],
    [
      'annotations nearly as large as can be',
      awake.with({ otherAnnotationBytes: 260_000 }),
      NIGHT,
      `left awake: its annotations are nearly as large as the API server takes, so the state to wake it by might not fit (then: ${BY_NIGHT})`,
      '{"fault":"its annotations are nearly as large as the API server takes, so the state to wake it by might not fit"} snooze?force=true',
    ],
  ],
}

describe('the reason in a record', () => {
  const NOT_YET = '; not done yet: it waits for its turn, or the cluster refuses it (see its Events)'
  const HOURS = 'by schedule 8:00-18:00,Mon-Fri (UTC)'
  const pending: [string, AWorkload, Instant, string][] = [
    ['awake in hours of sleep', awake, NIGHT, `is to sleep ${HOURS} until 2026-03-03T08:00:00Z${NOT_YET}`],
    [
      'asleep in hours of work',
      asleep,
      at('Tue 8:00'),
      `is to wake ${HOURS} until 2026-03-03T18:00:00Z${NOT_YET}`,
    ],
    [
      'asleep without its schedule',
      asleep.annotated({ schedule: undefined }),
      NIGHT,
      `is to wake: its schedule was removed${NOT_YET}`,
    ],
    [
      'asleep after its hour',
      unscheduled.snoozed(oneHour),
      at('Mon 13:00'),
      `is to wake again: the snooze by request of k8s:alice ended at 2026-03-02T13:00:00Z${NOT_YET}`,
    ],
  ]
  for (const [what, workload, when, reason] of pending)
    it(`never says that it is so of what is still to be done: ${what}`, () => {
      expect(listedRecord(workload, when, RULES).reason).to.equal(reason)
      const { decision, after } = stepped(workload, when)
      expect(decision.reason.text, 'as Events of it and the plan tell').to.match(/^(awake|asleep)/)
      expect(listedRecord(after, when, RULES).reason).to.match(/^(awake|asleep)/)
    })

  it('tells in answers to requests, too, what the request did not bring about', () => {
    const { message } = asked(awake, { action: 'enable' }, NIGHT)
    expect(message).to.equal(`already enabled: is to sleep ${HOURS} until 2026-03-03T08:00:00Z${NOT_YET}`)
  })
})

describe('the reason of a decision', () => {
  for (const [code, what, workload, when, text, told = '{}'] of Object.entries(REASONS).flatMap(
    ([code, rows]) => rows.map((row) => [code, ...row] as const),
  )) {
    it(what, () => {
      const { reason } = decided(typeof workload === 'function' ? workload() : workload, when)
      expect([reason.code, reason.text]).to.deep.equal([code, text])
      const { saysFault, values, remedy } = reason
      const query = Object.entries(remedy?.query ?? {}).map(([name, value]) => `?${name}=${value}`)
      const toEnd = remedy ? ` ${remedy.action}${query.join('')}` : ''
      expect(`${JSON.stringify(values)}${toEnd}`).to.equal(told)
      expect(saysFault === true).to.equal(text.includes('the schedule is invalid'))
    })
  }
})

describe('the reason of what is decided beside the workload', () => {
  it('its hours are not known to this program, which is no fault of theirs', () => {
    const compile = () => {
      throw new UnknownHours('they are not published')
    }
    const { reason } = decided(awake, NIGHT, { ...RULES, compile })
    expect([reason.code, reason.text, reason.saysFault]).to.deep.equal([
      'intent',
      'awake; its hours are not known here: they are not published',
      true,
    ])
  })

  it('its Namespace is not known, or goes', () => {
    const { reason } = decided(awake, NIGHT, { ...RULES, inherited: () => undefined })
    expect([reason.code, reason.text]).to.deep.equal([
      'namespace_unknown',
      'the Namespace shop is not known yet, or is being deleted, so nothing is done',
    ])
  })

  it('another workload scales its pods', () => {
    const podOwner = { kind: 'rollouts.argoproj.io', namespace: 'shop', name: 'web' } as const
    const { action, reason } = decided(awake, NIGHT, { ...RULES, podOwnerOf: () => podOwner })
    expect([action, reason.code, reason.text]).to.deep.equal([
      'none',
      'scaled_by_other',
      'left alone: rollout shop/web scales it in its place (workloadRef)',
    ])
    expect(reason.values).to.deep.equal({ owner: 'rollout shop/web' })
  })

  it('its Namespace enables it, and its own annotation alone is in the way', () => {
    const own = aDeployment().annotated({ enabled: 'false' })
    const remedyBeside = (enabled: string) => {
      const inherited = () => inheriting({ namespace: { enabled } })
      return decided(own, NOON, { ...RULES, inherited }).reason.remedy
    }
    expect(remedyBeside('true')).to.deep.equal({ action: 'enable', query: { inherit: 'true' } })
    expect(remedyBeside('false')).to.deep.equal({ action: 'enable', query: {} })
  })

  it('a policy enables ReplicaSets, and it is one that a Deployment left: it has no annotation in the way', () => {
    const inherited = () => inheriting({ policy: { enabled: 'true' } })
    const left = aReplicaSet().with({ formerRevision: true })
    const { code, remedy } = decided(left, NOON, { ...RULES, inherited }).reason
    expect([code, remedy]).to.deep.equal(['not_managed', { action: 'enable', query: {} }])
  })
})

describe("a reason's text and values", () => {
  it('are made when somebody first reads them, and once', () => {
    let made = 0
    const make = () => `made ${(made += 1)} times`
    const reason = because('schedule', make, { values: () => ({ by: make() }) })
    expect(made).to.equal(0)
    expect([reason.text, reason.text]).to.deep.equal(['made 1 times', 'made 1 times'])
    expect([reason.values['by'], reason.values['by']]).to.deep.equal(['made 2 times', 'made 2 times'])
  })
})

describe('what programs are told beside a reason', () => {
  it('what is wrong', () => {
    const broken = listedRecord(awake.annotated({ state: 'x' }), NOON, RULES)
    expect(broken).to.deep.include({ reason_code: 'invalid_state', reason_values: { fault: 'not JSON' } })
    expect(broken.remedy?.action).to.equal('enable')
    const odd = decided(unscheduled.with({ replicas: 2.5 }), NOON).reason
    expect(odd.text).to.equal(`left alone: ${String(odd.values['fault'])}`)
    const { fault } = listedRecord(awake.scheduled('whenever'), NOON, RULES).reason_values
    expect(fault).to.include('dormouse.dev/schedule')
  })
})

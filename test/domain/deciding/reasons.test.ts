import { expect } from 'chai'
import type { Instant } from '../../../src/service/process/clock.ts'
import { because, type ReasonCode } from '../../../src/domain/deciding/decision.ts'
import { listedRecord } from '../../../src/domain/records/record.ts'
import { asked, decided, followed, stepped } from '../../support/decisions.ts'
import { at, HOUR, MINUTE, RULES } from '../../support/rules.ts'
import { aCronJob, aDaemonSet, aDeployment, aStatefulSet, type AWorkload } from '../../support/workloads.ts'
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
const wokenToOne = aDeployment().with(followed(stepped(asleep.scaledByHand(1), NIGHT).after))
const oneHour = { at: NOON, trigger: 'api', by: alice, for: HOUR } as const
const BY_DAY = 'awake by schedule 8:00-18:00,Mon-Fri (UTC) until 2026-03-02T18:00:00Z'
const BY_NIGHT = 'asleep by schedule 8:00-18:00,Mon-Fri (UTC) until 2026-03-03T08:00:00Z'

/** The workload, the time, the code and the whole text. */
const reasons: [what: string, workload: AWorkload, when: Instant, code: ReasonCode, text: string][] = [
  ['deleted', asleep.with({ deleting: true }), NIGHT, 'deleting', 'it is being deleted'],
  ['never managed', aDeployment(), NOON, 'not_managed', 'not managed'],
  [
    '`enabled` is a typo',
    awake.annotated({ enabled: 'ture' }),
    NOON,
    'enabled_unclear',
    'dormouse.dev/enabled is neither "true" nor "false", so nothing is done',
  ],
  [
    'asleep, and `enabled` taken away',
    asleep.annotated({ enabled: undefined }),
    NIGHT,
    'disabled',
    'managing was turned off, so it wakes',
  ],
  [
    'the same, after the cluster refused to wake it',
    asleep.annotated({ enabled: undefined }).inBackoff(at('Mon 20:05'), 'failure'),
    NIGHT,
    'backoff',
    'waits until 2026-03-02T20:05:00Z: the cluster refused the last attempt (then: managing was turned off, so it wakes)',
  ],
  [
    'put to sleep by a downscaler',
    aDeployment().withReplicas(0).enabled().scheduled(WORK).with({ keptByOther: '3' }),
    NIGHT,
    'kept_by_other',
    'left alone: another tool put it to sleep and keeps its count (downscaler/original-replicas: 3) until kubectl dormouse import adopts it',
  ],

  ['pinned awake', awake.pinned(), NIGHT, 'pinned', 'pinned active by k8s:alice since 2026-03-02T07:00:00Z'],
  [
    'pinned asleep',
    asleep.pinned(),
    at('Tue 12:00'),
    'pinned',
    'pinned snoozed by k8s:alice since 2026-03-02T07:00:00Z',
  ],
  [
    'pinned awake, found at 0',
    awake.pinned().scaledByHand(0),
    NOON,
    'pin_enforced',
    'pinned active, and found scaled down',
  ],
  [
    'pinned asleep, found running',
    asleep.pinned().scaledByHand(3),
    NIGHT,
    'pin_enforced',
    'pinned asleep, and found running',
  ],
  ['overridden for good', awake.overridden(), NIGHT, 'overridden', 'overridden by k8s:bob for good'],
  [
    'overridden for a time',
    awake.overridden(at('Tue 9:00')),
    NIGHT,
    'overridden',
    'overridden by k8s:bob until 2026-03-03T09:00:00Z',
  ],
  [
    'flapping',
    awake.inBackoff(at('Mon 18:05')),
    at('Mon 18:00'),
    'backoff',
    `waits until 2026-03-02T18:05:00Z: it was switched too often (then: ${BY_NIGHT})`,
  ],
  [
    'refused by the cluster',
    awake.inBackoff(at('Mon 18:05'), 'failure'),
    at('Mon 18:00'),
    'backoff',
    `waits until 2026-03-02T18:05:00Z: the cluster refused the last attempt (then: ${BY_NIGHT})`,
  ],

  ['awake by schedule', awake, NOON, 'schedule', BY_DAY],
  ['asleep by schedule', asleep, NIGHT, 'schedule', BY_NIGHT],
  [
    'awake by schedule, and in a backoff that has nothing to wait for',
    awake.inBackoff(at('Mon 12:05')),
    NOON,
    'schedule',
    BY_DAY,
  ],
  [
    'awake, and its schedule was removed',
    awake.annotated({ schedule: undefined }),
    NOON,
    'intent',
    'awake; no schedule',
  ],
  [
    'snoozed by a request without a schedule, and scaled while overridden',
    aDeployment().with(
      stepped(
        unscheduled.snoozed({ at: NOON, trigger: 'api', by: alice }).overridden(NIGHT).scaledByHand(3),
        at('Mon 13:00'),
      ).after,
    ),
    NIGHT,
    'intent',
    'awake; no schedule',
  ],
  [
    'awake by a schedule in a zone',
    awake.scheduled(WORK, 'Asia/Tokyo'),
    at('Mon 8:30'),
    'schedule',
    'awake by schedule 8:00-18:00,Mon-Fri (Asia/Tokyo) until 2026-03-02T09:00:00Z',
  ],
  [
    'awake by a schedule without edges',
    awake.scheduled('0:00-24:00'),
    NOON,
    'schedule',
    'awake by schedule 0:00-24:00 (UTC)',
  ],
  [
    'asleep, and its schedule was removed',
    asleep.annotated({ schedule: undefined }),
    NIGHT,
    'schedule',
    'awake: its schedule was removed',
  ],
  [
    'new in hours of sleep',
    aDeployment().enabled().scheduled(WORK).born(NIGHT),
    NIGHT + MINUTE,
    'grace',
    'awake: new workloads run until 2026-03-02T20:15:00Z',
  ],

  [
    'woken by a request',
    asleep.woken({ at: at('Mon 19:00'), by: alice }),
    NIGHT,
    'intent',
    'awake by request of k8s:alice; sleeps 2026-03-03T18:00:00Z',
  ],
  [
    'woken by hand',
    asleep.woken({ at: at('Mon 19:00'), trigger: 'manual', by: 'manager:kubectl', hold: 12 * HOUR }),
    NIGHT,
    'intent',
    'awake by manual scaling of manager:kubectl; sleeps 2026-03-03T07:00:00Z',
  ],
  [
    'woken for an hour, in a backoff that outlasts the hour',
    asleep.woken({ at: at('Mon 19:00'), by: alice, for: HOUR }).inBackoff(NIGHT + HOUR),
    at('Mon 19:30'),
    'until',
    'awake by request of k8s:alice; sleeps 2026-03-02T21:00:00Z',
  ],
  [
    'woken by hand, without a name',
    asleep.woken({ at: at('Mon 19:00'), trigger: 'manual', hold: 2 * HOUR }),
    NIGHT,
    'intent',
    'awake by manual scaling; sleeps 2026-03-02T21:00:00Z',
  ],
  [
    'snoozed by a request',
    awake.snoozed({ at: NOON, trigger: 'api', by: alice }),
    NOON,
    'intent',
    'asleep by request of k8s:alice; wakes 2026-03-03T08:00:00Z',
  ],
  [
    'snoozed by a request, and its schedule has no edges',
    awake.scheduled('0:00-24:00').snoozed({ at: NOON, trigger: 'api', by: alice }),
    NOON,
    'intent',
    'asleep by request of k8s:alice',
  ],
  [
    'snoozed by a request, without a schedule',
    unscheduled.snoozed({ at: NOON, trigger: 'api', by: alice }),
    NIGHT,
    'intent',
    'asleep by request of k8s:alice; no schedule',
  ],
  [
    'snoozed for an hour',
    awake.snoozed(oneHour),
    NOON,
    'until',
    'asleep by request of k8s:alice; wakes 2026-03-02T13:00:00Z',
  ],
  [
    'snoozed for a time at whose end the schedule keeps it asleep',
    awake.snoozed({ at: at('Mon 17:30'), trigger: 'api', by: alice, for: HOUR }),
    at('Mon 18:10'),
    'until',
    'asleep by request of k8s:alice; wakes 2026-03-03T08:00:00Z',
  ],
  [
    'woken for a time at whose end the schedule keeps it awake',
    awake.woken({ at: NOON, by: alice, for: HOUR }),
    NOON,
    'until',
    'awake by request of k8s:alice; sleeps 2026-03-02T18:00:00Z',
  ],
  [
    'woken for an hour while awake, without a schedule',
    unscheduled.woken({ at: NOON, by: alice, for: HOUR }),
    NOON,
    'until',
    'awake by request of k8s:alice; no schedule',
  ],
  [
    'woken for an hour while asleep, without a schedule',
    unscheduled.snoozed({ at: at('Mon 9:00'), trigger: 'api' }).woken(oneHour),
    NOON,
    'until',
    'awake by request of k8s:alice; sleeps 2026-03-02T13:00:00Z',
  ],
  [
    'snoozed, and its schedule only puts to sleep',
    awake.annotated({ autoWake: 'false' }).snoozed({ at: NOON, trigger: 'api', by: alice }),
    NOON,
    'intent',
    'asleep by request of k8s:alice',
  ],
  [
    'snoozed under awake-until',
    awake.annotated({ awakeUntil: '2026-03-06T23:00Z' }).snoozed({ at: NOON, trigger: 'api', by: alice }),
    NOON,
    'intent',
    'asleep by request of k8s:alice; wakes 2026-03-02T18:00:00Z',
  ],
  ['snoozed for an hour that has passed', awake.snoozed(oneHour), at('Mon 13:00'), 'until_passed', BY_DAY],
  [
    'snoozed for an hour that has passed, without a schedule',
    unscheduled.snoozed(oneHour),
    at('Mon 13:00'),
    'until_passed',
    'awake again: the snooze by request of k8s:alice ended at 2026-03-02T13:00:00Z',
  ],
  [
    'woken for an hour that has passed, without a schedule',
    unscheduled.snoozed({ at: at('Mon 9:00'), trigger: 'api' }).woken(oneHour),
    at('Mon 13:00'),
    'until_passed',
    'asleep again: the wake by request of k8s:alice ended at 2026-03-02T13:00:00Z',
  ],
  ['without a schedule', unscheduled, NOON, 'nothing_automatic', 'awake; no schedule'],
  [
    'its schedule is invalid',
    unscheduled.scheduled('whenever'),
    NOON,
    'nothing_automatic',
    "awake; the schedule is invalid, so nothing is automatic: dormouse.dev/schedule: at 1: expected a time H:MM from 0:00 to 24:00, found 'whenever'",
  ],
  [
    'asleep by a schedule that is invalid now',
    asleep.scheduled('whenever'),
    NIGHT,
    'intent',
    "asleep; the schedule is invalid, so nothing is automatic: dormouse.dev/schedule: at 1: expected a time H:MM from 0:00 to 24:00, found 'whenever'",
  ],

  [
    'scaled to 0 while awake',
    awake.scaledByHand(0),
    NOON,
    'scaled_to_zero',
    `manager:kubectl scaled it to 0 (${BY_DAY})`,
  ],
  [
    'scaled to 0 by somebody whom a review knows, through its owner',
    awake.with({
      replicas: 0,
      replicasManager: { manager: 'argocd', subresource: undefined },
      scaledBy: 'k8s:bob',
    }),
    NOON,
    'scaled_to_zero',
    `k8s:bob scaled it to 0 (${BY_DAY})`,
  ],
  [
    'at 0, which our own write left as its owner had it',
    awake.with({ replicas: 0, replicasManager: { manager: 'dormouse', subresource: undefined } }),
    NOON,
    'scaled_to_zero',
    `kept at 0 by its owner (${BY_DAY})`,
  ],
  [
    'a CronJob, suspended by hand',
    report.scaledByHand(0),
    NOON,
    'scaled_to_zero',
    `manager:kubectl suspended it (${BY_DAY})`,
  ],
  [
    'a CronJob that its manifest suspends',
    report.editedTo(0),
    NOON,
    'scaled_to_zero',
    `kept suspended by its owner (argocd) (${BY_DAY})`,
  ],
  [
    'a CronJob asleep, and resumed by hand',
    report.snoozed({ at: at('Mon 18:00') }).scaledByHand(1),
    NIGHT,
    'manual_scaling',
    'resumed by manager:kubectl',
  ],
  [
    'left alone by its own annotation',
    aDeployment().annotated({ enabled: 'false' }),
    NOON,
    'not_managed',
    'not managed',
  ],
  [
    'awake in hours of its own',
    itself,
    NOON,
    'nothing_automatic',
    `awake: schedule ${WORK} (UTC) only puts to sleep, next at 2026-03-02T18:00:00Z`,
  ],
  [
    'awake in hours of its own that never end',
    itself.scheduled('0:00-24:00'),
    NOON,
    'nothing_automatic',
    'awake: schedule 0:00-24:00 (UTC) only puts to sleep',
  ],
  [
    'snoozed for an hour that has passed, in hours of its own',
    itself.snoozed(oneHour),
    at('Mon 14:00'),
    'until_passed',
    'awake again: the snooze by request of k8s:alice ended at 2026-03-02T13:00:00Z',
  ],
  [
    'snoozed for an hour that had passed before hours of its own began',
    itself.snoozed({ ...oneHour, at: at('Mon 6:00') }),
    at('Mon 9:00'),
    'nothing_automatic',
    `asleep: schedule ${WORK} (UTC) only puts to sleep, next at 2026-03-02T18:00:00Z`,
  ],
  [
    'woken by hand to fewer than were kept, which nothing brings back',
    wokenToOne.annotated({ autoWake: 'false' }),
    NIGHT,
    'intent',
    'awake by manual scaling of manager:kubectl; sleeps 2026-03-03T18:00:00Z; 3 are kept',
  ],
  [
    'flapping while an autoscaler sets the count of what is awake',
    awake
      .with({ replicas: 2, replicasManager: { manager: 'kube-controller-manager', subresource: 'scale' } })
      .inBackoff(at('Mon 18:05')),
    at('Mon 18:00'),
    'backoff',
    `waits until 2026-03-02T18:05:00Z: it was switched too often (then: ${BY_NIGHT})`,
  ],
  [
    'created with 0',
    awake.editedTo(0, 'kubectl-create'),
    NOON,
    'scaled_to_zero',
    `kept at 0 by its owner (kubectl-create) (${BY_DAY})`,
  ],
  [
    'created with 0 by a client without a name',
    unscheduled.editedTo(0, 'unknown'),
    NOON,
    'scaled_to_zero',
    'kept at 0 by its owner (awake; no schedule)',
  ],
  [
    'scaled to 0 by somebody of whom no field tells',
    unscheduled.withReplicas(0).with({ replicasManager: undefined }),
    NOON,
    'scaled_to_zero',
    'somebody scaled it to 0 (awake; no schedule)',
  ],
  [
    'woken by hand to fewer than were kept',
    wokenToOne,
    NIGHT,
    'intent',
    'awake by manual scaling of manager:kubectl; sleeps 2026-03-03T18:00:00Z; 3 are kept, and come back 2026-03-03T08:00:00Z',
  ],
  [
    'and scaled to 0 again',
    wokenToOne.scaledByHand(0),
    at('Mon 21:00'),
    'manual_scaling',
    'scaled to 0 by manager:kubectl',
  ],
  [
    'asleep, and scaled by hand',
    asleep.scaledByHand(4),
    NIGHT,
    'manual_scaling',
    'scaled to 4 replicas by manager:kubectl',
  ],
  [
    'asleep, and scaled to one',
    asleep.scaledByHand(1, ''),
    NIGHT,
    'manual_scaling',
    'scaled to 1 replica by somebody',
  ],
  [
    'a DaemonSet asleep and overridden, and its key removed',
    agent.overridden().withoutItsKey(),
    NIGHT,
    'manual_scaling',
    'woken by somebody while overridden',
  ],
  [
    'asleep and overridden, and edited',
    asleep.overridden().editedTo(4),
    NIGHT,
    'manual_scaling',
    'scaled to 4 replicas by manager:argocd while overridden',
  ],
  [
    'asleep, and applied by GitOps',
    asleep.editedTo(4),
    NIGHT,
    'recovery',
    'found running although asleep (changed by manager:argocd): 4 are kept and it sleeps again',
  ],
  [
    'asleep, and scaled by an autoscaler',
    asleep.scaledByHand(4, 'kube-controller-manager'),
    NIGHT,
    'recovery',
    'found running although asleep (changed by manager:kube-controller-manager): 3 are kept and it sleeps again',
  ],

  [
    'a StatefulSet whose volumes go with its pods',
    aStatefulSet().enabled().scheduled(WORK).with({ deletesVolumes: true }),
    NIGHT,
    'data_at_risk',
    `left awake: its persistentVolumeClaimRetentionPolicy.whenScaled is Delete, so sleeping would delete its volumes (then: ${BY_NIGHT})`,
  ],
  [
    'annotations nearly as large as can be',
    awake.with({ otherAnnotationBytes: 260_000 }),
    NIGHT,
    'data_at_risk',
    `left awake: its annotations are nearly as large as the API server takes, so the state to wake it by might not fit (then: ${BY_NIGHT})`,
  ],
]

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

/** With each of them: the values, and the request that ends it, for programs. */
const FOR_PROGRAMS: Readonly<Record<string, string>> = {
  deleted: '{}',
  'never managed': '{"source":null} enable',
  '`enabled` is a typo': '{"source":"workload"}',
  'asleep, and `enabled` taken away': '{}',
  'the same, after the cluster refused to wake it': '{"until":"2026-03-02T20:05:00Z","cause":"failure"}',
  'put to sleep by a downscaler': '{}',
  'pinned awake': '{"state":"active","by":"k8s:alice","since":"2026-03-02T07:00:00Z"} unpin',
  'pinned asleep': '{"state":"snoozed","by":"k8s:alice","since":"2026-03-02T07:00:00Z"} unpin',
  'pinned awake, found at 0': '{}',
  'pinned asleep, found running': '{}',
  'overridden for good': '{"by":"k8s:bob","until":null} clearOverride',
  'overridden for a time': '{"by":"k8s:bob","until":"2026-03-03T09:00:00Z"} clearOverride',
  flapping: '{"until":"2026-03-02T18:05:00Z","cause":"flapping"}',
  'refused by the cluster': '{"until":"2026-03-02T18:05:00Z","cause":"failure"}',
  'awake by schedule':
    '{"schedule":"8:00-18:00,Mon-Fri","timezone":"UTC","calendar":"","source":"workload","until":"2026-03-02T18:00:00Z"}',
  'asleep by schedule':
    '{"schedule":"8:00-18:00,Mon-Fri","timezone":"UTC","calendar":"","source":"workload","until":"2026-03-03T08:00:00Z"}',
  'awake by schedule, and in a backoff that has nothing to wait for':
    '{"schedule":"8:00-18:00,Mon-Fri","timezone":"UTC","calendar":"","source":"workload","until":"2026-03-02T18:00:00Z"}',
  'awake, and its schedule was removed': '{"until":null}',
  'snoozed by a request without a schedule, and scaled while overridden': '{"until":null}',
  'awake by a schedule in a zone':
    '{"schedule":"8:00-18:00,Mon-Fri","timezone":"Asia/Tokyo","calendar":"","source":"workload","until":"2026-03-02T09:00:00Z"}',
  'awake by a schedule without edges':
    '{"schedule":"0:00-24:00","timezone":"UTC","calendar":"","source":"workload","until":null}',
  'asleep, and its schedule was removed': '{}',
  'new in hours of sleep': '{"until":"2026-03-02T20:15:00Z"}',
  'woken by a request': '{"want":"awake","by":"k8s:alice","trigger":"api","until":"2026-03-03T18:00:00Z"}',
  'woken by hand':
    '{"want":"awake","by":"manager:kubectl","trigger":"manual","until":"2026-03-03T07:00:00Z"}',
  'woken for an hour, in a backoff that outlasts the hour':
    '{"want":"awake","by":"k8s:alice","trigger":"api","until":"2026-03-02T21:00:00Z"}',
  'woken by hand, without a name':
    '{"want":"awake","by":null,"trigger":"manual","until":"2026-03-02T21:00:00Z"}',
  'snoozed by a request': '{"want":"asleep","by":"k8s:alice","trigger":"api","until":"2026-03-03T08:00:00Z"}',
  'snoozed by a request, and its schedule has no edges':
    '{"want":"asleep","by":"k8s:alice","trigger":"api","until":null}',
  'snoozed by a request, without a schedule':
    '{"want":"asleep","by":"k8s:alice","trigger":"api","until":null}',
  'snoozed for an hour': '{"want":"asleep","by":"k8s:alice","trigger":"api","until":"2026-03-02T13:00:00Z"}',
  'snoozed for a time at whose end the schedule keeps it asleep':
    '{"want":"asleep","by":"k8s:alice","trigger":"api","until":"2026-03-03T08:00:00Z"}',
  'woken for a time at whose end the schedule keeps it awake':
    '{"want":"awake","by":"k8s:alice","trigger":"api","until":"2026-03-02T18:00:00Z"}',
  'woken for an hour while awake, without a schedule':
    '{"want":"awake","by":"k8s:alice","trigger":"api","until":null}',
  'woken for an hour while asleep, without a schedule':
    '{"want":"awake","by":"k8s:alice","trigger":"api","until":"2026-03-02T13:00:00Z"}',
  'snoozed, and its schedule only puts to sleep':
    '{"want":"asleep","by":"k8s:alice","trigger":"api","until":null}',
  'snoozed under awake-until':
    '{"want":"asleep","by":"k8s:alice","trigger":"api","until":"2026-03-02T18:00:00Z"}',
  'snoozed for an hour that has passed':
    '{"schedule":"8:00-18:00,Mon-Fri","timezone":"UTC","calendar":"","source":"workload","until":"2026-03-02T18:00:00Z"}',
  'snoozed for an hour that has passed, without a schedule':
    '{"want":"asleep","by":"k8s:alice","trigger":"api","until":"2026-03-02T13:00:00Z"}',
  'woken for an hour that has passed, without a schedule':
    '{"want":"awake","by":"k8s:alice","trigger":"api","until":"2026-03-02T13:00:00Z"}',
  'without a schedule': '{}',
  'its schedule is invalid': '{}',
  'asleep by a schedule that is invalid now': '{"until":null}',
  'scaled to 0 while awake':
    '{"by":"manager:kubectl","schedule":"8:00-18:00,Mon-Fri","timezone":"UTC","calendar":"","source":"workload","until":"2026-03-02T18:00:00Z"} wake',
  'scaled to 0 by somebody whom a review knows, through its owner':
    '{"by":"k8s:bob","schedule":"8:00-18:00,Mon-Fri","timezone":"UTC","calendar":"","source":"workload","until":"2026-03-02T18:00:00Z"} wake',
  'at 0, which our own write left as its owner had it':
    '{"by":null,"schedule":"8:00-18:00,Mon-Fri","timezone":"UTC","calendar":"","source":"workload","until":"2026-03-02T18:00:00Z"} wake',
  'a CronJob, suspended by hand':
    '{"by":"manager:kubectl","schedule":"8:00-18:00,Mon-Fri","timezone":"UTC","calendar":"","source":"workload","until":"2026-03-02T18:00:00Z"} wake',
  'a CronJob that its manifest suspends':
    '{"by":"manager:argocd","schedule":"8:00-18:00,Mon-Fri","timezone":"UTC","calendar":"","source":"workload","until":"2026-03-02T18:00:00Z"} wake',
  'a CronJob asleep, and resumed by hand': '{"by":"manager:kubectl"}',
  'left alone by its own annotation': '{"source":"workload"} enable',
  'awake in hours of its own':
    '{"schedule":"8:00-18:00,Mon-Fri","timezone":"UTC","calendar":"","source":"workload","until":"2026-03-02T18:00:00Z"}',
  'awake in hours of its own that never end':
    '{"schedule":"0:00-24:00","timezone":"UTC","calendar":"","source":"workload","until":null}',
  'snoozed for an hour that has passed, in hours of its own':
    '{"want":"asleep","by":"k8s:alice","trigger":"api","until":"2026-03-02T13:00:00Z"}',
  'snoozed for an hour that had passed before hours of its own began':
    '{"schedule":"8:00-18:00,Mon-Fri","timezone":"UTC","calendar":"","source":"workload","until":"2026-03-02T18:00:00Z"}',
  'woken by hand to fewer than were kept, which nothing brings back':
    '{"want":"awake","by":"manager:kubectl","trigger":"manual","until":"2026-03-03T18:00:00Z"}',
  'flapping while an autoscaler sets the count of what is awake':
    '{"until":"2026-03-02T18:05:00Z","cause":"flapping"}',
  'created with 0':
    '{"by":"manager:kubectl-create","schedule":"8:00-18:00,Mon-Fri","timezone":"UTC","calendar":"","source":"workload","until":"2026-03-02T18:00:00Z"} wake',
  'created with 0 by a client without a name': '{"by":"manager:unknown"} wake',
  'scaled to 0 by somebody of whom no field tells': '{"by":null} wake',
  'woken by hand to fewer than were kept':
    '{"want":"awake","by":"manager:kubectl","trigger":"manual","until":"2026-03-03T18:00:00Z"}',
  'and scaled to 0 again': '{"by":"manager:kubectl"}',
  'asleep, and scaled by hand': '{"by":"manager:kubectl"}',
  'asleep, and scaled to one': '{"by":null}',
  'a DaemonSet asleep and overridden, and its key removed': '{"by":null}',
  'asleep and overridden, and edited': '{"by":"manager:argocd"}',
  'asleep, and applied by GitOps': '{"by":"manager:argocd"}',
  'asleep, and scaled by an autoscaler': '{"by":"manager:kube-controller-manager"}',
  'a StatefulSet whose volumes go with its pods':
    '{"fault":"its persistentVolumeClaimRetentionPolicy.whenScaled is Delete, so sleeping would delete its volumes"} snooze?force=true',
  'annotations nearly as large as can be':
    '{"fault":"its annotations are nearly as large as the API server takes, so the state to wake it by might not fit"} snooze?force=true',
}

describe('the reason of a decision', () => {
  for (const [what, workload, when, code, text] of reasons) {
    it(what, () => {
      const reason = decided(workload, when).reason
      expect([reason.code, reason.text]).to.deep.equal([code, text])
      const { saysFault, values, remedy } = reason
      const query = Object.entries(remedy?.query ?? {}).map(([name, value]) => `?${name}=${value}`)
      const toEnd = remedy ? ` ${remedy.action}${query.join('')}` : ''
      expect(`${JSON.stringify(values)}${toEnd}`).to.equal(FOR_PROGRAMS[what])
      expect(saysFault === true).to.equal(text.includes('the schedule is invalid'))
    })
  }
})

describe('the reason of what is decided beside the workload', () => {
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
  const told = (workload: AWorkload, when = NOON) => {
    const { reason_code, reason_values, remedy } = listedRecord(workload, when, RULES)
    return [reason_code, reason_values, remedy?.action]
  }

  it('who holds it, since or until when, and the request that ends it', () => {
    expect(told(awake.pinned())).to.deep.equal([
      'pinned',
      { state: 'active', by: 'k8s:alice', since: '2026-03-02T07:00:00Z' },
      'unpin',
    ])
    expect(told(awake.overridden())).to.deep.equal([
      'overridden',
      { by: 'k8s:bob', until: null },
      'clearOverride',
    ])
    expect(told(aDeployment())).to.deep.equal(['not_managed', { source: null }, 'enable'])
    expect(told(awake.scaledByHand(0))[2]).to.equal('wake')
  })

  it('the schedule in force, where it stands, and its next edge', () => {
    expect(told(awake)).to.deep.equal([
      'schedule',
      {
        schedule: '8:00-18:00,Mon-Fri',
        timezone: 'UTC',
        calendar: '',
        source: 'workload',
        until: '2026-03-02T18:00:00Z',
      },
      undefined,
    ])
  })

  it('who asked, and when that gives way', () => {
    const { after } = asked(awake, { action: 'snooze' }, NOON)
    expect(listedRecord(after, NOON, RULES).reason_values).to.deep.equal({
      want: 'asleep',
      by: 'k8s:carol',
      trigger: 'api',
      until: '2026-03-03T08:00:00Z',
    })
  })

  it('what is wrong', () => {
    const [code, values, action] = told(awake.annotated({ state: 'x' }))
    expect([code, values, action]).to.deep.equal(['invalid_state', { fault: 'not JSON' }, 'enable'])
    expect(told(awake.scheduled('whenever'))[1])
      .to.have.property('fault')
      .that.includes('dormouse.dev/schedule')
  })
})

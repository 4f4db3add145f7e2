import { expect } from 'chai'
import { planKnock } from '../../../src/domain/requests/knock.ts'
import type { Workload } from '../../../src/domain/workload/workload.ts'
import { at, HOUR, MINUTE, RULES } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { asleep, awake, NIGHT, WORK } from '../fixtures.ts'

const BY = 'service/web:http'
const knock = (workload: Workload, now = NIGHT) => planKnock(workload, BY, now, RULES)
const opted = asleep.annotated({ wakeOnTraffic: 'page' })

describe('a knock', () => {
  it('wakes a sleeper that opted in, until the next edge or wakeHold', () => {
    const { state, until, wake } = knock(opted)
    expect({ state, until }).to.deep.equal({ state: 'asleep', until: '2026-03-03T08:00:00Z' })
    expect(wake?.after.replicas).to.equal(3)
    const { intent, history } = wake?.target.state ?? {}
    expect(intent).to.include({ want: 'awake', trigger: 'traffic', by: BY, hold: NIGHT + 12 * HOUR })
    expect(history?.[0]).to.include({ type: 'wake', trigger: 'traffic', by: BY })
  })

  it('holds for traffic-hold', () => {
    const { wake } = knock(opted.annotated({ trafficHold: '90m' }))
    expect(wake?.target.state.intent?.hold).to.equal(NIGHT + 90 * MINUTE)
  })

  it('wakes from a snooze without an end', () => {
    const slept = awake
      .annotated({ wakeOnTraffic: 'any' })
      .snoozed({ at: at('Mon 9:00'), trigger: 'api', by: 'k8s:ana' })
    expect(knock(slept, at('Mon 10:00'))).to.have.nested.property('wake.after.replicas', 3)
  })

  const until = at('Tue 7:00')
  const held: [what: string, workload: Workload, until: number | undefined][] = [
    ['pinned', opted.pinned(), undefined],
    ['overridden', opted.overridden(until), until],
    ['in backoff after too many operations', opted.inBackoff(until), until],
    ['in backoff after a refusal', opted.inBackoff(until, 'failure'), until],
    [
      'snoozed for a time',
      awake
        .annotated({ wakeOnTraffic: 'page' })
        .snoozed({ at: at('Mon 19:00'), trigger: 'api', for: 12 * HOUR }),
      until,
    ],
  ]
  for (const [what, workload, end] of held)
    it(`does not wake what is ${what}, and says until when`, () => {
      const { state, wake, until, reason } = knock(workload)
      expect({ state, wake }).to.deep.equal({ state: 'held', wake: undefined })
      expect(reason).not.to.equal('')
      expect(until && Date.parse(until)).to.equal(end ?? null)
    })

  for (const [what, workload] of [
    ['has not opted in', asleep],
    ['says off', asleep.annotated({ wakeOnTraffic: 'off' })],
    ['says what cannot be read', asleep.annotated({ wakeOnTraffic: 'yes' })],
    ['is not managed', opted.annotated({ enabled: 'false' })],
    ['is being deleted', opted.with({ deleting: true })],
    [
      'runs no pods though it is awake',
      aDeployment().withReplicas(0).enabled().annotated({ wakeOnTraffic: 'page' }).remembering({}),
    ],
    ['has an unreadable state', opted.annotated({ state: '{' })],
  ] as const)
    it(`does not wake what ${what}`, () => {
      expect(knock(workload)).to.include({ state: 'off', wake: undefined })
    })

  it('tells of a waking workload how long its wakes took, and writes nothing', () => {
    const woken = knock(opted).wake?.after
    expect(woken && knock(woken)).to.include({ state: 'waking', wake: undefined, late: false })
    const once = aDeployment().withReplicas(3).enabled().scheduled(WORK).annotated({ wakeOnTraffic: 'page' })
    const history = [
      {
        type: 'wake',
        at: at('Mon 8:00'),
        trigger: 'schedule',
        by: null,
        replicas: 3,
        duration: 38_000,
        result: 'succeeded',
      },
    ] as const
    const slept = once.remembering({ history }).snoozed({ at: at('Mon 18:00') })
    expect(knock(slept).usualSeconds).to.equal(38)
  })
})

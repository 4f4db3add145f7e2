import { expect } from 'chai'
import { assert, asyncProperty, constantFrom, array } from 'fast-check'
import { keyOf } from '../../../src/domain/workload/workload.ts'
import { Refusal } from '../../../src/process/errors.ts'
import { settled } from '../../support/fake-time.ts'
import { at, MINUTE } from '../../support/rules.ts'
import { aDeployment, type AWorkload } from '../../support/workloads.ts'
import type { Change } from '../../../src/domain/workload/change.ts'
import { aRig, aStarted } from './rig.ts'
import { propertyRuns } from '../../support/property-runs.ts'

const WORK = '8:00-18:00,Mon-Fri'
const EDGE = at('Tue 8:00')

/** Asleep since Monday evening. */
function sleeper(name: string, order?: string, schedule = WORK): AWorkload {
  return aDeployment(name)
    .withReplicas(2)
    .enabled()
    .scheduled(schedule)
    .annotated({ wakeOrder: order })
    .woken({ at: at('Mon 8:00'), trigger: 'schedule' })
    .snoozed({ at: at('Mon 18:00') })
}

const aNight = (...workloads: AWorkload[]) => aStarted(at('Tue 7:59'), ...workloads)

describe('wake-order', () => {
  const db = sleeper('shop/db', '1')
  const api = sleeper('shop/api', '3')
  const web = sleeper('shop/web')

  it('lets lower numbers wake first, and each next one once they are ready', async () => {
    const { time, cluster, moves } = await aNight(web, api, db)
    await time.passTo(EDGE)
    expect(moves()).to.deep.equal(['wake shop/db'])
    await time.pass(10_000)
    expect(moves()).to.deep.equal(['wake shop/db'])
    cluster.podsFollow(db)
    await settled()
    expect(moves()).to.deep.equal(['wake shop/db', 'wake shop/api'])
    cluster.podsFollow(api)
    await settled()
    expect(moves()).to.deep.equal(['wake shop/db', 'wake shop/api', 'wake shop/web'])
    expect(cluster.live(web).replicas).to.equal(2)
  })

  it('holds at the edge itself, though a clock that was ahead has woken them by that edge before', async () => {
    const { time, cluster, moves } = await aNight(web, api, db)
    const follow = () => {
      for (const each of [web, api, db]) cluster.podsFollow(each)
    }
    time.jump(2 * MINUTE + 6 * 60 * MINUTE)
    await time.pass(MINUTE)
    for (let order = 0; order < 3; order++) {
      follow()
      await settled()
    }
    time.jump(-2 * MINUTE - 6 * 60 * MINUTE - 30 * MINUTE)
    await time.pass(MINUTE)
    follow()
    await settled()
    const before = moves()
    expect(before.slice(-3)).to.have.members(['snooze shop/db', 'snooze shop/api', 'snooze shop/web'])
    await time.passTo(EDGE)
    expect(moves().slice(before.length)).to.deep.equal(['wake shop/db'])
  })

  it('waits at most so many timeouts from the edge as there are lower numbers', async () => {
    const { time, moves } = await aNight(web, api, db, sleeper('shop/db2', '1'))
    await time.passTo(EDGE + 2 * MINUTE - 1)
    expect(moves()).to.have.members(['wake shop/db', 'wake shop/db2'])
    await time.pass(1)
    expect(moves().slice(2)).to.deep.equal(['wake shop/api'])
    await time.passTo(EDGE + 4 * MINUTE - 1)
    expect(moves()).to.have.length(3)
    await time.pass(1)
    expect(moves().slice(3)).to.deep.equal(['wake shop/web'])
  })

  for (const [what, other] of [
    ['is pinned', db.pinned()],
    ['is overridden for good', db.overridden()],
    ['is overridden for longer than anybody waits', db.overridden(EDGE + 2 * MINUTE)],
    ['does not wake by schedule', db.annotated({ autoWake: 'false' })],
    ['is not managed', db.annotated({ enabled: 'maybe' })],
    ['was woken by a person before', db.woken({ at: at('Tue 7:30'), by: 'k8s:alice' }).unsettled()],
    ['another edge wakes', sleeper('shop/db', '0', '8:01-18:00,Mon-Fri')],
    ['is of another namespace', sleeper('other/db', '0')],
  ] as const)
    it(`does not wait for one that ${what}`, async () => {
      const { time, moves } = await aNight(web, other)
      await time.passTo(EDGE)
      expect(moves()).to.include('wake shop/web')
    })

  for (const [what, other] of [
    ['is switched too often', db.inBackoff(EDGE + 30_000)],
    ['was refused by the cluster before', db.inBackoff(EDGE + 30_000, 'failure')],
    ['is overridden for half a minute more', db.overridden(EDGE + 30_000)],
  ] as const)
    it(`waits for a lower one that only wakes a little later, since it ${what}`, async () => {
      const { time, cluster, moves } = await aNight(web, other)
      await time.passTo(EDGE + 20_000)
      expect(moves()).to.deep.equal([])
      await time.passTo(EDGE + 40_000)
      expect(moves()).to.deep.equal(['wake shop/db'])
      cluster.podsFollow(db)
      await settled()
      expect(moves()).to.deep.equal(['wake shop/db', 'wake shop/web'])
    })

  for (const [what, refusal] of [
    ['its scaling', (change: Change) => change.replicas !== undefined],
    ['any write of it', () => true],
  ] as const)
    it(`waits for a lower one while the cluster refuses ${what}, at most its time`, async () => {
      const { time, cluster, moves } = await aNight(web, db)
      cluster.answer = (key, change) =>
        key.endsWith('shop/db') && refusal(change)
          ? new Refusal('CLUSTER_REJECTED', 'no quota is left')
          : undefined
      await time.passTo(EDGE + 2 * MINUTE - 1)
      expect(moves()).to.deep.equal([])
      await time.pass(1)
      expect(moves()).to.deep.equal(['wake shop/web'])
    })

  it('waits for a lower one that was written too often to be written now', async () => {
    const rig = aRig(at('Tue 7:59'), { writesPerWorkload: 1 })
    for (const each of [web, db]) rig.cluster.put(each)
    await rig.start()
    await rig.time.passTo(EDGE)
    expect(rig.moves()).to.deep.equal(['wake shop/db'])
    rig.cluster.put(rig.cluster.live(db).snoozed({ at: at('Mon 18:00') }))
    await rig.time.pass(5000)
    expect(rig.moves()).to.deep.equal(['wake shop/db'])
  })

  for (const [what, change] of [
    ['is deleted', ({ cluster }) => cluster.remove(db)],
    ['loses its number', ({ cluster }) => cluster.put(cluster.live(db).annotated({ wakeOrder: undefined }))],
    ['gets a higher number', ({ cluster }) => cluster.put(cluster.live(db).annotated({ wakeOrder: '9' }))],
    ['is scaled to 0', ({ cluster }) => cluster.put(cluster.live(db).scaledByHand(0))],
    [
      'is pinned asleep',
      ({ cluster }) => {
        const asleep = cluster.live(db).snoozed({ at: EDGE + 1, trigger: 'api' })
        cluster.put(asleep.pinned())
      },
    ],
  ] as [string, (rig: Awaited<ReturnType<typeof aNight>>) => void][])
    it(`lets the others wake at once when the only lower one ${what}, and tells that none waits`, async () => {
      const rig = await aNight(web, db)
      await rig.time.passTo(EDGE)
      expect([rig.moves(), rig.waits.waiting('wake')]).to.deep.equal([['wake shop/db'], 1])
      change(rig)
      await settled()
      expect(rig.moves()).to.include('wake shop/web')
      expect(rig.waits.waiting('wake')).to.equal(0)
    })

  it('is kept by a leader that begins in the middle of a wave', async () => {
    const woken = db.woken({ at: EDGE, trigger: 'schedule' }).unsettled()
    const rig = await aStarted(EDGE + 10_000, web, woken)
    expect(rig.moves()).to.deep.equal([])
    rig.cluster.podsFollow(db)
    await settled()
    expect(rig.moves()).to.deep.equal(['wake shop/web'])
  })

  it('does not delay what wakes late, or by anything else than an edge', async () => {
    const rig = await aStarted(EDGE + 10 * MINUTE, web, db)
    expect(rig.moves()).to.have.members(['wake shop/db', 'wake shop/web'])
    const bothUntil = [web, db].map((each) => each.annotated({ awakeUntil: '2026-03-03T06:00Z' }))
    const until = await aStarted(at('Mon 20:00'), ...bothUntil)
    expect(until.moves()).to.have.members(['wake shop/db', 'wake shop/web'])
  })

  it('that cannot be read counts as 5, and a Warning Event says so', async () => {
    const { time, moves, told } = await aNight(sleeper('shop/odd', 'first'), db)
    expect(told.events).to.deep.equal(['Warning InvalidSchedule odd'])
    await time.passTo(EDGE)
    expect(moves()).to.deep.equal(['wake shop/db'])
  })
})

/** Awake since Monday morning. */
function awake(name: string, sleepOrder?: string): AWorkload {
  return aDeployment(name)
    .withReplicas(2)
    .enabled()
    .scheduled(WORK)
    .annotated({ sleepOrder })
    .woken({ at: at('Mon 8:00'), trigger: 'schedule' })
}

const aDay = (...workloads: AWorkload[]) => aStarted(at('Mon 17:59'), ...workloads)
const EVENING = at('Mon 18:00')

describe('sleep-order', () => {
  const web = awake('shop/web', '1')
  const api = awake('shop/api', '3')
  const db = awake('shop/db')

  it('lets lower numbers sleep first, and each next one once their pods are gone, or their time is over', async () => {
    const { time, cluster, moves, waits } = await aDay(db, api, web)
    await time.passTo(EVENING + MINUTE)
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect([waits.waiting('snooze'), waits.waiting('wake')]).to.deep.equal([2, 0])
    cluster.podsFollow(web)
    await settled()
    expect(moves()).to.deep.equal(['snooze shop/web', 'snooze shop/api'])
    await time.passTo(EVENING + 4 * MINUTE - 1)
    expect(moves()).to.have.length(2)
    await time.pass(1)
    expect(moves().slice(2)).to.deep.equal(['snooze shop/db'])
  })

  for (const [what, other] of [
    ['is pinned', web.pinned()],
    [
      'a person put to sleep before, though its pods are not gone',
      web.snoozed({ at: at('Mon 17:30'), trigger: 'api', by: 'k8s:alice' }).unsettled(),
    ],
    ['would lose its volumes', web.with({ kind: 'statefulsets', deletesVolumes: true })],
  ] as const)
    it(`does not wait for one that ${what}`, async () => {
      const { time, moves } = await aDay(db, other)
      await time.passTo(EVENING)
      expect(moves()).to.deep.equal(['snooze shop/db'])
    })

  it('waits on for a lower one that something else starts again while it falls asleep', async () => {
    const asleep = web.snoozed({ at: EVENING, trigger: 'schedule' })
    const running = asleep.with({ replicas: 2, pods: web.pods })
    const rig = await aStarted(EVENING + 10_000, db, running)
    expect(rig.moves()).to.deep.equal(['snooze shop/web'])
  })

  it('has nothing to do with wake-order', async () => {
    const both = web.annotated({ wakeOrder: '9' })
    const { time, cluster, moves } = await aDay(db, both)
    await time.passTo(EVENING)
    expect(moves()).to.deep.equal(['snooze shop/web'])
    for (const each of [both, db]) {
      cluster.podsFollow(each)
      await settled()
    }
    await time.passTo(EDGE)
    expect(moves().slice(1)).to.deep.equal(['snooze shop/db', 'wake shop/db'])
  })
})

for (const [type, workload, start, edge] of [
  ['wake', sleeper, aNight, EDGE],
  ['snooze', awake, aDay, EVENING],
] as const)
  it(`never ${type}s a higher number before all lower ones are done or the time is over, and ${type}s all`, async () => {
    const numbers = array(constantFrom('0', '2', '5', '9', undefined), { minLength: 2, maxLength: 8 })
    await assert(
      asyncProperty(
        numbers,
        array(constantFrom(1000, 30_000, 150_000), { minLength: 8, maxLength: 8 }),
        async (orders, delays) => {
          const all = orders.map((order, index) => workload(`shop/w${index}`, order))
          const { time, cluster, moves } = await start(...all)
          const orderOf = (name: string) => Number(orders[Number(name.slice(`${type} shop/w`.length))] ?? 5)
          const readyAt = new Map<number, number>()
          let seen = 0
          for (let t = edge; t <= edge + 12 * MINUTE; t += 10_000) {
            await time.passTo(t)
            for (const [index, due] of readyAt)
              if (due <= t && readyAt.set(index, Infinity)) cluster.podsFollow(all[index]!)
            await settled()
            for (const move of moves().slice(seen)) {
              seen += 1
              const index = Number(move.slice(`${type} shop/w`.length))
              readyAt.set(index, t + delays[index]!)
              const lower = [...orders.keys()].filter(
                (other) => orderOf(`${type} shop/w${other}`) < orderOf(move),
              )
              const levels = new Set(lower.map((other) => orderOf(`${type} shop/w${other}`))).size
              const ready = lower.every((other) => readyAt.get(other) === Infinity)
              expect(
                ready || t >= edge + levels * 2 * MINUTE,
                `${move} of ${orders.join()} at ${t - edge}`,
              ).to.equal(true)
            }
          }
          expect(new Set(moves()).size).to.equal(orders.length)
          expect(cluster.live(all[0]!).replicas, keyOf(all[0]!)).to.equal(type === 'wake' ? 2 : 0)
        },
      ),
      propertyRuns(20),
    )
  })

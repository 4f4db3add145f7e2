import { expect } from 'chai'
import { at, MINUTE, SECOND } from '../../support/rules.ts'
import { aStarted, web } from './rig.ts'

describe('another writer', () => {
  const rigAt = async (now: string) => {
    const rig = await aStarted(at(now), web)
    const warnings = () =>
      rig.told.messages.filter((_, index) => rig.told.events[index]?.startsWith('Warning OtherWriter'))
    return { ...rig, warnings }
  }

  it('that updates a workload against its schedule is named at once, and the reason names it, too', async () => {
    const { cluster, warnings } = await rigAt('Mon 12:00')
    cluster.put(cluster.live(web).editedTo(0, 'new-pykube'))
    expect(warnings()).to.have.length(1)
    expect(warnings()[0]).to.match(
      /^It was scaled to 0 replicas by manager:new-pykube, against Dormouse \(awake by/,
    )
    expect(warnings()[0]).to.include('exclude it in one of them')
  })

  it('that scales it by hand is named when it does so the third time within ten minutes', async () => {
    const { cluster, warnings, time } = await rigAt('Mon 12:00')
    const downAndUp = async () => {
      cluster.put(cluster.live(web).scaledByHand(0))
      await time.pass(SECOND)
      cluster.put(cluster.live(web).scaledByHand(3))
      await time.pass(SECOND)
    }
    await downAndUp()
    await downAndUp()
    await time.pass(10 * MINUTE)
    await downAndUp()
    await downAndUp()
    expect(warnings()).to.deep.equal([])
    await downAndUp()
    expect(warnings()).to.have.length(1)
    expect(warnings()[0]).to.include('by manager:kubectl').and.include('3 times within 10 min')
  })
})

import { expect } from 'chai'
import { Refusal } from '../../../src/process/errors.ts'
import { settled } from '../../support/fake-time.ts'
import { at, SECOND } from '../../support/rules.ts'
import { aRig, web } from './rig.ts'

type Rig = ReturnType<typeof aRig>

const asleep = web.snoozed({ at: at('Mon 18:00') })

/** Causes for a controller to forget a workload, and how it observes it again, which is stored in between. */
const FORGETS: Readonly<Record<string, readonly [gone: (rig: Rig) => unknown, back: (rig: Rig) => unknown]>> =
  {
    'was stopped, and is started again,': [({ controller }) => controller.stop(), ({ start }) => start()],
    'saw the workload go, which a backup brings back,': [({ cluster }) => cluster.remove(web), () => {}],
  }

const warnings = ({ told }: Rig) => told.events.filter((event) => event.includes('OtherWriter'))

async function downAndUp({ cluster, time }: Rig): Promise<void> {
  for (const replicas of [0, 3]) {
    cluster.put(cluster.live(web).scaledByHand(replicas))
    await time.pass(SECOND)
  }
}

for (const [what, [gone, back]] of Object.entries(FORGETS))
  describe(`a controller that ${what}`, () => {
    it('believes the marks that it finds', async () => {
      const rig = aRig(at('Mon 20:00'))
      rig.cluster.put(asleep)
      await rig.start()
      await gone(rig)
      await rig.time.passTo(at('Tue 9:00'))
      rig.cluster.put(web.with({ resourceVersion: '500' }))
      await back(rig)
      await settled()
      expect(rig.cluster.sent).to.equal(0)
    })

    it('counts no operation that it did not see running since', async () => {
      const rig = aRig(at('Mon 17:59'))
      rig.cluster.put(web)
      await rig.start()
      await rig.time.passTo(at('Mon 18:00'))
      expect([rig.moves(), rig.told.operations]).to.deep.equal([['snooze shop/web'], []])
      const copy = rig.cluster.live(web)
      await gone(rig)
      rig.cluster.put(copy.settled())
      await back(rig)
      await settled()
      expect(rig.told.operations).to.deep.equal([])
    })

    it('counts anew how often it was scaled by hand', async () => {
      const rig = aRig(at('Mon 12:00'))
      rig.cluster.put(web)
      await rig.start()
      await downAndUp(rig)
      await downAndUp(rig)
      const copy = rig.cluster.live(web)
      await gone(rig)
      rig.cluster.put(copy)
      await back(rig)
      await downAndUp(rig)
      expect(warnings(rig)).to.deep.equal([])
    })
  })

describe('a controller', () => {
  it('tries what the cluster refused at once for another workload of the same name', async () => {
    const { cluster, start, moves } = aRig(at('Mon 20:00'))
    cluster.put(web)
    cluster.answer = () => new Refusal('CLUSTER_REJECTED', 'no')
    await start()
    expect(cluster.sent).to.be.above(0)
    cluster.remove(web)
    cluster.up()
    cluster.put(web.with({ uid: 'another' }))
    await settled()
    expect(moves()).to.deep.equal(['snooze shop/web'])
  })

  it("takes an old state that is put back (kubectl rollout undo) for nobody else's operation", async () => {
    const rig = aRig(at('Tue 9:00'))
    const awake = asleep.woken({ at: at('Tue 8:00'), trigger: 'schedule' })
    rig.cluster.put(awake)
    await rig.start()
    await rig.time.pass(11 * SECOND)
    for (let again = 0; again < 5; again++) {
      rig.cluster.put(rig.cluster.live(web).annotated({ state: asleep.annotations.state }))
      await rig.time.pass(SECOND)
      expect(rig.cluster.live(web).annotations.state).to.equal(awake.annotations.state)
    }
    expect(warnings(rig)).to.deep.equal([])
  })
})

import { expect } from 'chai'
import { settled } from '../../support/fake-time.ts'
import { at, MINUTE, SECOND } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { aLaggingRig } from './rig.ts'

const web = aDeployment().withReplicas(3).enabled().scheduled('8:00-18:00,Mon-Fri')

describe('an edge that passes while its workload is written', () => {
  it('is carried out at once, although the write ends with a fault of our own', async () => {
    const { cluster, time, controller, logged } = aLaggingRig(at('Mon 17:59'))
    cluster.put(web)
    await controller.start()
    await time.passTo(at('Mon 18:00:01'))
    cluster.podsFollow(web)
    await time.passTo(at('Tue 7:59:58'))
    // The patch that restores the label is in flight for three seconds, and ends with a fault of ours.
    cluster.requestDelay = 3 * SECOND
    cluster.onArrival = () => {
      cluster.requestDelay = 0
      throw new TypeError('a fault of ours')
    }
    cluster.put(cluster.live(web).labelled(undefined))
    await settled()
    await time.passTo(at('Tue 8:00:02'))
    expect(logged.filter(({ msg }) => String(msg).includes('failed over')).length).to.equal(1)
    await time.pass(SECOND)
    expect(cluster.live(web).replicas).to.equal(3)
    await time.pass(MINUTE)
    expect(cluster.live(web).state().asleep).to.equal(false)
  })
})

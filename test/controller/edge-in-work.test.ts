import { expect } from 'chai'
import { ANNOTATION } from '../../src/domain/workload.ts'
import { at, MINUTE, SECOND } from '../support/rules.ts'
import { aTrueRig, SCHEDULED } from './true-cluster.ts'

describe('an edge that comes while its workload is in work', () => {
  it('does not wait for a fault of our own that this work ends with', async () => {
    const rig = aTrueRig(at('Mon 17:59'))
    const { cluster, time, controller } = rig
    const web = cluster.create('deployments', 'web', { ...SCHEDULED })
    await controller.start()
    await time.passTo(at('Mon 18:00:01'))
    cluster.follow(web)
    await time.passTo(at('Tue 7:59:58'))
    const object = () => cluster.objects.get('deployments/shop/web')
    // A repair of the label is on its way for three seconds, and ends with a fault of ours.
    cluster.reach = 3 * SECOND
    cluster.onArrived = () => {
      cluster.onArrived = () => {}
      cluster.reach = 0
      throw new TypeError('a fault of ours')
    }
    cluster.edit(web, ({ metadata }) => void delete metadata.labels['dormouse.dev/asleep'])
    await rig.settled()
    await time.passTo(at('Tue 8:00:02'))
    expect(rig.logged.filter(({ msg }) => String(msg).includes('failed over')).length).to.equal(1)
    await time.pass(SECOND)
    expect(object().spec.replicas).to.equal(3)
    await time.pass(MINUTE)
    expect(JSON.parse(object().metadata.annotations[ANNOTATION.state]).asleep).to.equal(false)
  })
})

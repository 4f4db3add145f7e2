import { expect } from 'chai'
import { ANNOTATION, ASLEEP_LABEL } from '../../src/domain/workload.ts'
import { at, MINUTE, SECOND } from '../support/rules.ts'
import { aTrueRig, SCHEDULED } from './true-cluster.ts'

/** A sleeper whose override ends at 20:00, in hours of sleep: that is one write of the state alone. */
async function aSleeperWithAnOverride() {
  const rig = aTrueRig(at('Mon 17:59'))
  const { cluster, time, controller } = rig
  const web = cluster.create('deployments', 'web', { ...SCHEDULED })
  await controller.start()
  await time.passTo(at('Mon 18:00:01'))
  cluster.follow(web)
  const object = () => cluster.objects.get('deployments/shop/web')
  const state = () => JSON.parse(object().metadata.annotations[ANNOTATION.state])
  await time.passTo(at('Mon 19:00'))
  cluster.edit(web, ({ metadata }) => {
    const before = JSON.parse(metadata.annotations[ANNOTATION.state])
    const override = {
      until: new Date(at('Mon 20:00')).toISOString(),
      at: new Date(at('Mon 19:00')).toISOString(),
      by: 'k8s:alice',
    }
    metadata.annotations[ANNOTATION.state] = JSON.stringify({
      ...before,
      counter: before.counter + 1,
      override,
    })
  })
  await time.pass(SECOND)
  expect(object().metadata.labels?.[ASLEEP_LABEL]).to.equal('3')
  return { ...rig, web, object, state }
}

describe('what others change while a write is on its way, and the patch does not test,', () => {
  it('is repaired: the label that says asleep', async () => {
    const { time, cluster, web, object } = await aSleeperWithAnOverride()
    const { length } = cluster.log
    cluster.onArrived = () => {
      cluster.onArrived = () => {}
      cluster.edit(web, ({ metadata }) => void delete metadata.labels[ASLEEP_LABEL])
    }
    await time.passTo(at('Mon 20:00'))
    await time.pass(5 * MINUTE)
    expect(cluster.log.length).to.be.above(length)
    expect(object().metadata.labels?.[ASLEEP_LABEL]).to.equal('3')
  })

  it('is evaluated where the answer was lost: the count that somebody set meanwhile', async () => {
    const { time, cluster, web, state, object } = await aSleeperWithAnOverride()
    cluster.watchHeld = true
    cluster.fate = () => (cluster.log.length > 0 && ((cluster.fate = () => 'ok'), 'lost')) as 'lost'
    cluster.answer = 1000
    cluster.onWritten = () => {
      cluster.onWritten = () => {}
      cluster.scale(web, 5)
    }
    await time.passTo(at('Mon 20:00'))
    await time.pass(3 * SECOND)
    cluster.mendWatch()
    await time.pass(5 * MINUTE)
    expect(object().spec.replicas).to.equal(5)
    expect(state()).to.include({ asleep: false })
  })

  it('is evaluated where the answer was lost: the pods of a wake that followed, so that f:replicas is given back', async () => {
    const { time, cluster, web, object } = await aSleeperWithAnOverride()
    await time.passTo(at('Tue 7:59'))
    cluster.watchHeld = true
    let lost = false
    cluster.fate = () => (lost ? 'ok' : ((lost = true), 'lost'))
    cluster.answer = 1000
    cluster.onWritten = () => {
      cluster.onWritten = () => {}
      cluster.follow(web)
    }
    await time.passTo(at('Tue 8:00:03'))
    cluster.mendWatch()
    await time.pass(MINUTE)
    expect(object().spec.replicas).to.equal(3)
    const ours = object().metadata.managedFields.filter(
      ({ manager }: { manager: string }) => manager === 'dormouse',
    )
    expect(JSON.stringify(ours)).to.not.include('f:replicas')
  })
})

import { expect } from 'chai'
import type { Stopping, Writer } from '../../../src/kubernetes/ports.ts'
import { FakeCluster } from '../../support/fake-cluster.ts'
import { FakeTime, settled } from '../../support/fake-time.ts'
import { at, DAY } from '../../support/rules.ts'
import { aControllerOver, aStarted, UNPACED, web } from './rig.ts'

type End = 'signal' | 'cut'

/** A controller whose writes end only on command, and only by `end`. */
function aControllerThatHangs(end: Readonly<Record<string, End>>) {
  const time = new FakeTime(at('Mon 20:00'))
  const cluster = new FakeCluster(time)
  const hanging: string[] = []
  const writer: Writer = {
    write: async (key, _plan, stopping: Stopping) => {
      hanging.push(key.name)
      const signal = stopping[end[key.name] ?? 'cut']
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
      throw new Error('it goes on')
    },
  }
  const rig = aControllerOver(time, { workloads: cluster, writer, pace: UNPACED }, {})
  for (const name of Object.keys(end)) cluster.put(web.with({ name, uid: name }))
  return { time, hanging, ...rig }
}

describe('a controller that is stopped', () => {
  it('ends at once what waits or reads, and says nothing of it', async () => {
    const { controller, logged, hanging, armed } = aControllerThatHangs({ web: 'signal', api: 'signal' })
    await controller.start()
    await settled()
    expect(hanging).to.have.length(2)
    await controller.stop()
    expect([armed(), logged]).to.deep.equal([0, []])
  })

  it('lets writes that were sent end for so long, and then cuts them', async () => {
    const { time, controller, logged } = aControllerThatHangs({ web: 'cut', api: 'signal' })
    await controller.start()
    await settled()
    let stopped = false
    void controller.stop().then(() => (stopped = true))
    await time.pass(1999)
    expect(stopped).to.equal(false)
    await time.pass(1)
    expect([stopped, logged]).to.deep.equal([true, []])
  })

  it('works again when it is started again: the end of one time is not that of the next', async () => {
    const { time, controller, hanging } = aControllerThatHangs({ web: 'cut' })
    await controller.start()
    await settled()
    void controller.stop()
    const again = controller.start()
    await time.pass(2000)
    await again
    await settled()
    expect(hanging).to.have.length(2)
    await time.pass(60_000)
    expect(hanging).to.have.length(2)
  })

  it('before it has begun does not begin', async () => {
    const { time, controller, hanging } = aControllerThatHangs({ web: 'signal' })
    const starting = controller.start().catch((error: unknown) => error)
    await controller.stop()
    expect(await starting).to.have.property('name', 'AbortError')
    await time.pass(60_000)
    expect(hanging).to.deep.equal([])
  })

  it('waits for what is in work; nothing more is sent, and no timer is left, even if that fails', async () => {
    for (const fails of [false, true]) {
      const { time, cluster, controller, moves, armed } = await aStarted(at('Mon 17:59'), web)
      const letGo = cluster.hold()
      if (fails) cluster.down()
      await time.passTo(at('Mon 18:00'))
      let stopped = false
      const stopping = controller.stop().then(() => (stopped = true))
      await settled()
      expect(stopped).to.equal(false)
      letGo()
      await stopping
      expect([moves().length, armed()]).to.deep.equal([fails ? 0 : 1, 0])
      await time.pass(DAY)
      expect(cluster.sent).to.equal(1)
    }
  })

  it('and started while it stops waits for what is in work', async () => {
    const { time, cluster, controller, moves } = await aStarted(at('Mon 17:59'), web)
    const letGo = cluster.hold()
    await time.passTo(at('Mon 18:00'))
    const stopping = controller.stop()
    const starting = controller.start()
    letGo()
    await Promise.all([stopping, starting])
    await settled()
    expect([moves(), cluster.sent]).to.deep.equal([['snooze shop/web'], 1])
    await time.passTo(at('Tue 8:00'))
    expect(moves()).to.deep.equal(['snooze shop/web', 'wake shop/web'])
  })

  it('and leads again catches up, and hears of each change once', async () => {
    const { time, told, controller, start, moves } = await aStarted(at('Mon 17:59'), web)
    await controller.stop()
    await time.passTo(at('Mon 18:30'))
    expect(moves()).to.deep.equal([])
    await start()
    expect(moves()).to.deep.equal(['snooze shop/web'])
    expect(told.events).to.deep.equal(['Normal Snoozed web'])
  })
})

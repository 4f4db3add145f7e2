import { expect } from 'chai'
import { Controller } from '../../../src/service/controller/controller.ts'
import type { Stopping, Writer } from '../../../src/kubernetes/ports.ts'
import { keyOf } from '../../../src/domain/workload/workload.ts'
import { createLogger } from '../../../src/service/process/logger.ts'
import { at, rulesWith } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { UNPACED } from './a-queue.ts'
import { FakeCluster } from '../../support/fake-cluster.ts'
import { FakeTime, settled } from '../../support/fake-time.ts'
import { Told } from './told.ts'
import { evaluationsOf } from '../../support/evaluations.ts'

type End = 'signal' | 'cut'

/** A controller whose writes end only on command, and only by `end`. */
function aControllerThatHangs(end: Readonly<Record<string, End>>) {
  const time = new FakeTime(at('Mon 20:00'))
  const cluster = new FakeCluster()
  const told = new Told()
  const logged: string[] = []
  const hanging: string[] = []
  const writer: Writer = {
    write: async (key, _plan, stopping: Stopping) => {
      hanging.push(keyOf(key))
      const signal = stopping[end[key.name] ?? 'cut']
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
      throw new Error('it goes on')
    },
  }
  const { clock, later } = time
  const logger = createLogger('info', { write: (line) => void logged.push(line) })
  const controller = new Controller(
    {
      workloads: cluster,
      evaluations: evaluationsOf(rulesWith(), clock),
      writer,
      pace: UNPACED,
      recorder: told,
      observer: told,
      clock,
      logger,
      later,
    },
    rulesWith(),
    {
      concurrency: 4,
      writesPerWorkload: 20,
      excludeNamespaces: new Set(),
      stopWithin: 2000,
    },
  )
  for (const name of Object.keys(end)) {
    const workload = aDeployment(`shop/${name}`).withReplicas(3).enabled().scheduled('8:00-18:00')
    cluster.put(workload.woken({ at: at('Mon 8:00'), trigger: 'schedule' }))
  }
  return { time, controller, logged, hanging }
}

describe('a controller that is stopped', () => {
  it('ends at once what waits or reads, and says nothing of it', async () => {
    const { time, controller, logged, hanging } = aControllerThatHangs({ web: 'signal', api: 'signal' })
    await controller.start()
    await settled()
    expect(hanging).to.have.length(2)
    await controller.stop()
    expect(time.armed).to.equal(0)
    expect(logged).to.deep.equal([])
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
    expect(stopped).to.equal(true)
    expect(logged).to.deep.equal([])
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
})

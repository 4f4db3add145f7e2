import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { Agent, request } from 'undici'
import { print } from '../support/figures.ts'
import { sendEvenly } from '../support/load.ts'
import { manifest } from '../support/manifests.ts'
import { createNamespace } from '../support/served.ts'
import { Stage } from './stage.ts'

const PER_SECOND = 1000
const SECONDS = 3
/** The configuration's defaults. */
const RATE = { perSecond: 20, burst: 40 }

describe('a subject that sends 1,000 requests a second', function () {
  this.timeout(180_000)
  let stage: Stage
  const web = () => stage.dormouse.api.workload('deployments', 'shop', 'web')

  before(async () => {
    stage = await Stage.start({ api: { rate: RATE } })
    await createNamespace(stage.cluster, 'shop')
    await stage.cluster.create('shop', [manifest('deployments', 'web', { replicas: 2 })])
    await web().enable()
  })
  after(() => stage.stop())

  it('is limited to its rate, while another works as always', async () => {
    const busy = { authorization: `Bearer ${await stage.token('busy')}` }
    const { url } = stage.ports.apiWithoutTls
    const dispatcher = new Agent({ connections: 50 })
    const over = new AbortController()
    const work = ordinaryWork(over.signal)
    const begun = performance.now()
    const answers = await sendEvenly(SECONDS * PER_SECOND, PER_SECOND, async () => {
      const { statusCode, headers, body } = await request(`${url}/api/v1/workloads`, {
        headers: busy,
        dispatcher,
      })
      await body.dump()
      return { statusCode, retryAfter: headers['retry-after'] }
    })
    const seconds = (performance.now() - begun) / 1000
    over.abort()
    const done = await work
    await dispatcher.close()
    const passed = answers.filter(({ statusCode }) => statusCode === 200)
    const limited = answers.filter(({ statusCode }) => statusCode === 429)
    print([
      `${answers.length} requests in ${seconds.toFixed(1)} s: ${passed.length} answered, ${limited.length} limited; the other did ${done} things meanwhile`,
    ])
    expect(passed.length + limited.length).to.equal(answers.length)
    expect(passed.length).to.be.at.most(RATE.burst + RATE.perSecond * seconds + 1)
    for (const { retryAfter } of limited) expect(retryAfter).to.match(/^[1-9]\d*$/)
  })

  /** Puts the workload to sleep and wakes it, again and again; resolves with how often. @throws Error if once it is refused */
  async function ordinaryWork(over: AbortSignal): Promise<number> {
    let done = 0
    do {
      await web().snooze('?force=true')
      await web().wake()
      await web().status()
      done += 3
      await sleep(200)
    } while (!over.aborted)
    return done
  }
})

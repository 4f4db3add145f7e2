import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { print } from '../support/figures.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served } from '../support/served.ts'
import { marksOf } from './agreement.ts'
import { neighbours, type Neighbour, type Wants } from './neighbours.ts'

const REPLICAS = 3
const kind = 'deployments'
/** As often as a tool looks in 10 minutes or more. */
const ROUNDS = 25
/** Milliseconds between two rounds; a tool takes 30 s or 60. */
const PACE = 100

describeOn('a tool that scales beside Dormouse, which has no webhook', function (on) {
  this.timeout(60_000)
  const here = served(on, { newWorkloadGrace: '0s' })

  for (const [index, tool] of neighbours().entries()) {
    describe(tool.name, () => {
      before(function () {
        if (tool.applies && !here.cluster.isReal) this.skip()
      })

      it('that scales down what a request holds awake: it is left so, with an Event that names the tool', async () => {
        const name = `held-${index}`
        const workload = await here.enabled(kind, name, { replicas: REPLICAS, schedule: asleepNow() })
        await workload.wake('?for=4h&wait=60s')
        const began = Date.now()
        await rounds(tool, name, 'down')
        const { reason, current_replicas: count } = await workload.status()
        expect(count).to.equal(0)
        expect(reason).to.include(tool.manager)
        expect(await patches(name, began)).to.be.at.most(1)
        expect((await event(name)).message)
          .to.include(tool.manager)
          .and.include('until')
        expect((await workload.wake()).current_replicas, 'by another request').to.equal(REPLICAS)
      })

      it('that scales down what is pinned awake: it is brought back seven times an hour at most', async () => {
        const name = `pinned-${index}`
        const workload = await here.enabled(kind, name, { replicas: REPLICAS, schedule: awakeNow() })
        await workload.pin()
        const began = Date.now()
        const made = await rounds(tool, name, 'down')
        const written = await patches(name, began)
        print([`${tool.name}: ${made} writes against a pin, and ${written} of Dormouse`])
        expect(written).to.be.at.most(14)
        expect((await event(name)).message)
          .to.include(tool.manager)
          .and.include('pinned')
        expect(marksOf(await here.get(kind, name)).state?.pin?.replicas).to.equal(REPLICAS)
      })

      it('that wakes what Dormouse put to sleep: it sleeps again, with the count kept', async () => {
        const name = `woken-${index}`
        const workload = await here.enabled(kind, name, { replicas: REPLICAS, schedule: awakeNow() })
        await tool.round(here.cluster.admin, here.path(kind, name), 'down')
        await workload.schedule({ schedule: asleepNow() })
        const began = Date.now()
        await rounds(tool, name, 'up')
        await eventually('it to sleep', async () => {
          const { replicas, label } = marksOf(await here.get(kind, name))
          return replicas === 0 && label === `${REPLICAS}`
        })
        expect(await patches(name, began)).to.be.at.most(2)
        expect((await event(name)).message).to.match(/new-pykube|gokubedownscaler|manager:manager/)
        expect((await workload.wake('?wait=60s')).ready_replicas).to.equal(REPLICAS)
      })
    })
  }

  /** Lets the tool look so often; resolves with the number of its writes. */
  async function rounds(tool: Neighbour, name: string, wants: Wants): Promise<number> {
    let made = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      if (await tool.round(here.cluster.admin, here.path(kind, name), wants)) made += 1
      await sleep(PACE)
    }
    return made
  }

  async function patches(name: string, since: number): Promise<number> {
    const path = here.path(kind, name)
    const requests = await here.cluster.requestsSince(since)
    return requests.filter(({ verb, url }) => verb === 'patch' && url.startsWith(path)).length
  }

  const event = (name: string) =>
    eventually('the Event', async () => {
      return (await here.events(name)).find(({ reason }) => reason === 'OtherWriter')
    })
})

import { expect } from 'chai'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { marksOf } from './agreement.ts'
import { neighbours, type Neighbour, type Wants } from './neighbours.ts'

const REPLICAS = 3
const kind = 'deployments'
const ROUNDS = 10

describeOn('a tool that scales beside Dormouse and its webhook', function (on) {
  this.timeout(60_000)
  const here = enforced(on)

  for (const [index, tool] of neighbours().entries()) {
    describe(tool.name, () => {
      before(function () {
        if (tool.applies && !here.cluster.isReal) this.skip()
      })

      it('does not move what is pinned awake, and is told why', async () => {
        const name = `pinned-${index}`
        const workload = await here.enabled(kind, name, { replicas: REPLICAS, schedule: awakeNow() })
        await workload.pin()
        const began = Date.now()
        // The first may bring an annotation, and is let through but for the count.
        const [, ...answers] = await rounds(tool, name, 'down')
        for (const answer of answers) {
          expect(answer?.status).to.equal(403)
          expect(answer?.body.message).to.include(`Dormouse: deployment ${here.namespace}/${name}`)
        }
        expect(await patches(name, began)).to.equal(0)
        expect(await workload.status()).to.include({ pin_state: 'active', current_replicas: REPLICAS })
      })

      it('does not wake what sleeps: the count is kept for its wake', async () => {
        const name = `asleep-${index}`
        const workload = await here.enabled(kind, name, { replicas: REPLICAS, schedule: awakeNow() })
        await tool.round(here.cluster.admin, here.path(kind, name), 'down')
        const { message } = await eventually('the Event', async () =>
          (await here.events(name)).find(({ reason }) => reason === 'OtherWriter'),
        )
        expect(message).to.include(`manager:${tool.manager}`)
        await workload.schedule({ schedule: asleepNow() })
        const began = Date.now()
        await rounds(tool, name, 'up')
        const { replicas, label } = marksOf(await here.get(kind, name))
        expect([replicas, label]).to.deep.equal([0, `${REPLICAS}`])
        expect(await patches(name, began)).to.equal(0)
        expect((await workload.wake('?wait=60s')).ready_replicas).to.equal(REPLICAS)
      })
    })
  }

  async function rounds(tool: Neighbour, name: string, wants: Wants) {
    const answers = []
    for (let round = 0; round < ROUNDS; round += 1)
      answers.push(await tool.round(here.cluster.admin, here.path(kind, name), wants))
    return answers
  }

  async function patches(name: string, since: number): Promise<number> {
    const path = here.path(kind, name)
    const requests = await here.cluster.requestsSince(since)
    return requests.filter(({ verb, url }) => verb === 'patch' && url.startsWith(path)).length
  }
})

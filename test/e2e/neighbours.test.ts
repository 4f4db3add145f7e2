import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { served, type Served } from '../support/served.ts'
import { marksOf } from './agreement.ts'
import { neighbours, type Neighbour, type Round, type Wants } from './neighbours.ts'

const REPLICAS = 3
const kind = 'deployments'
/** So many looks in a row without a write of the tool end a fight; until then it looks for ever. */
const QUIET = 8
/** Milliseconds between two looks; a tool takes 30 s or 60. */
const PACE = 100

describeOn('a tool that scales beside Dormouse, which has no webhook,', function (on) {
  this.timeout(120_000)
  // The configurable maximum of writes a minute: it must not be the limit that ends a fight.
  const here = served(on, { newWorkloadGrace: '0s', controller: { writesPerWorkload: 1000 } })

  forEach((tool, index) => {
    it('and puts to sleep what a request holds awake: it is left so, and an Event names the tool', async () => {
      const name = `held-${index}`
      const workload = await here.enabled(kind, name, { replicas: REPLICAS, schedule: asleepNow() })
      await workload.wake('?for=4h&wait=60s')
      const began = Date.now()
      await letAct(here, tool, name, 'down')
      await eventually('the record to name it', async () => {
        const { reason, current_replicas: count } = await workload.status()
        expect(count).to.equal(0)
        expect(reason).to.include(tool.manager)
        return true
      })
      // One may be the end of the wake.
      expect(await here.patches(began, kind, name)).to.be.at.most(2)
      await told(
        here,
        name,
        `scaled to 0 replicas by manager:${tool.manager}, .*awake by request of .*; sleeps `,
      )
      expect((await workload.wake()).current_replicas, 'by another request').to.equal(REPLICAS)
    })

    it('and puts to sleep what is pinned awake: it is brought back seven times, and then it rests', async () => {
      const name = `pinned-${index}`
      const workload = await here.enabled(kind, name, { replicas: REPLICAS, schedule: awakeNow() })
      await workload.pin()
      const began = Date.now()
      await letAct(here, tool, name, 'down')
      // Each with the end of its wake.
      const written = await eventually(
        'it to be brought back',
        async () => (await here.patches(began, kind, name)) || undefined,
      )
      expect(written).to.be.within(1, 14)
      await told(here, name, `scaled to 0 replicas by manager:${tool.manager}, .*pinned`)
      expect(marksOf(await here.get(kind, name)).state?.pin?.replicas).to.equal(REPLICAS)
    })

    it('and wakes what Dormouse put to sleep: it sleeps again, with the count kept', async () => {
      const name = `woken-${index}`
      const workload = await here.enabled(kind, name, { replicas: REPLICAS, schedule: awakeNow() })
      await letAct(here, tool, name, 'down')
      await workload.schedule({ schedule: asleepNow() })
      const began = Date.now()
      await letAct(here, tool, name, 'up')
      await eventually('it to sleep', async () => {
        const { replicas, label } = marksOf(await here.get(kind, name))
        return replicas === 0 && label === `${REPLICAS}`
      })
      expect(await here.patches(began, kind, name)).to.be.at.most(2)
      if (!tool.marks)
        await told(
          here,
          name,
          `scaled to ${REPLICAS} replicas by manager:(${tool.manager}|manager), .*asleep`,
        )
      expect((await workload.wake('?wait=60s')).ready_replicas).to.equal(REPLICAS)
    })
  })
})

describeOn('a tool that scales beside Dormouse and its webhook', function (on) {
  this.timeout(120_000)
  const here = enforced(on)

  forEach((tool, index) => {
    it('does not move what is pinned awake, and is told why', async () => {
      const name = `pinned-${index}`
      const workload = await here.enabled(kind, name, { replicas: REPLICAS, schedule: awakeNow() })
      await workload.pin()
      const began = Date.now()
      const refused = (await letAct(here, tool, name, 'down')).filter(({ status }) => status === 403)
      expect(refused).to.have.length.of.at.least(QUIET)
      for (const { body } of refused)
        expect(body.message).to.include(`Dormouse: deployment ${here.namespace}/${name}`)
      expect(await here.patches(began, kind, name)).to.equal(0)
      expect(await workload.status()).to.include({ pin_state: 'active', current_replicas: REPLICAS })
    })

    it('does not wake what sleeps: the count is kept for its wake', async () => {
      const name = `asleep-${index}`
      const workload = await here.enabled(kind, name, { replicas: REPLICAS, schedule: awakeNow() })
      await letAct(here, tool, name, 'down')
      await told(here, name, `scaled to 0 replicas by manager:${tool.manager}, `)
      await workload.schedule({ schedule: asleepNow() })
      const began = Date.now()
      await letAct(here, tool, name, 'up')
      const { replicas, label } = marksOf(await here.get(kind, name))
      expect([replicas, label]).to.deep.equal([0, `${REPLICAS}`])
      expect(await here.patches(began, kind, name)).to.equal(tool.marks ? 1 : 0)
      expect((await workload.wake('?wait=60s')).ready_replicas).to.equal(REPLICAS)
    })
  })
})

function forEach(define: (tool: Neighbour, index: number) => void): void {
  for (const [index, tool] of neighbours().entries()) describe(tool.name, () => define(tool, index))
}

/** Lets the tool look again and again until it has nothing more to do, or is refused; returns the answers to its writes. */
async function letAct(here: Served, tool: Neighbour, name: string, wants: Wants) {
  const answers: NonNullable<Round>[] = []
  for (let quiet = 0; quiet < QUIET; quiet += 1) {
    const answer = await tool.round(here.cluster.admin, here.path(kind, name), wants)
    if (answer) answers.push(answer)
    if (answer && answer.status !== 403) quiet = -1
    await sleep(PACE)
  }
  return answers
}

/** Resolves once an Event matches this pattern. */
async function told(here: Served, name: string, pattern: string): Promise<void> {
  const expected = new RegExp(pattern)
  await eventually(`an Event that says ${pattern}`, async () => {
    const events = await here.events(name)
    return events.some(({ reason, message }) => reason === 'OtherWriter' && expected.test(message))
  })
}

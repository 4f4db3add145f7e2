import { expect } from 'chai'
import { KEDA_VERSIONS, keda as builtKeda } from '../go-programs/keda.ts'
import { BesideKeda, mainCases } from '../keda/cases.ts'
import { scaledObjectsIn } from '../keda/operator.ts'
import { RunningKeda } from '../keda/running.ts'
import { killedAt } from '../faults/killed-at.ts'
import { throughFaults } from '../faults/through-faults.ts'
import { describeOnWith } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { print, printFigures } from '../support/figures.ts'

const KILLS = 20
/**
 * Between the two writes: the second is never made. Not at the first one's answer, since the watch delivers the change
 * as well.
 */
const STRIKE = { resource: 'scaledobjects', stage: 'before' } as const

for (const version of KEDA_VERSIONS)
  describeOnWith(builtKeda(version), `KEDA ${version}`, function (on, built) {
    this.timeout(180_000)
    const here = throughFaults(on, { newWorkloadGrace: '0s', backoff: { maxOperations: 19, window: '1s' } })
    let operator: RunningKeda | undefined
    const running = () => {
      if (!operator) throw new TypeError('KEDA runs only within hooks and tests')
      return operator
    }
    const keda = new BesideKeda(here, running)
    /** Milliseconds. */
    const repairs: number[] = []

    before('its operator runs', async () => {
      operator = new RunningKeda(on, here.namespace, built)
      await operator.start()
    })

    afterEach('shows what it said of a failure', function () {
      if (this.currentTest?.state === 'failed')
        process.stderr.write(`${operator?.log.slice(-15).join('\n')}\n`)
    })

    after('its operator is gone', async () => {
      const { items = [] } = await on().admin.expect('GET', scaledObjectsIn(here.namespace))
      for (const { metadata } of items) {
        const path = scaledObjectsIn(here.namespace, metadata?.name)
        await on().admin.expect('DELETE', path)
      }
      await eventually('the ScaledObjects to be gone', async () => {
        const left = await on().admin.expect('GET', scaledObjectsIn(here.namespace))
        return left.items?.length === 0
      })
      await operator?.stop()
    })

    after('figures', () => {
      printFigures(`beside KEDA ${version}`, [
        { name: 'asked for sleep until at 0', values: keda.asleepAfter },
        { name: 'asked for sleep until KEDA is paused', values: keda.pausedAfter },
        { name: 'started after a kill until KEDA is paused', values: repairs },
      ])
    })

    mainCases(() => keda, running)

    it('sleeps with an inactive trigger and a minimum of 1, and wakes as before', async () => {
      await keda.workload('inactive', 1, false)
      await keda.snooze('inactive')
      await keda.wake('inactive', 3)
      await keda.runs('inactive')
    })

    it('sleeps with a minimum of 0 while the source is unreachable, and KEDA wakes it once that answers', async () => {
      const workload = await keda.workload('dead-zero', 0, true)
      running().reachable = false
      await keda.snooze('dead-zero')
      await workload.wake()
      await keda.unpaused('dead-zero')
      running().reachable = true
      await keda.runs('dead-zero')
    })

    it('sleeps on while its operator is restarted', async () => {
      await keda.workload('restarted', 1, true)
      await keda.snooze('restarted')
      await running().stopOperator()
      await running().startOperator()
      await keda.staysAsleep('restarted')
      await keda.wake('restarted', 3)
      await keda.runs('restarted')
    })

    it(`loses nothing in ${KILLS} times that Dormouse is killed between its two writes, of sleeping and of waking`, async function () {
      this.timeout(KILLS * 120_000)
      const counts: number[] = []
      await keda.workload('killed', 1, true)
      for (let time = 0; time < KILLS; time++) {
        await keda.runs('killed')
        const before = await keda.replicas('killed')
        await between('snooze')
        const started = performance.now()
        await here.dormouse.start()
        await keda.paused('killed')
        repairs.push(performance.now() - started)
        await keda.staysAsleep('killed')
        const { body } = await here.workload('deployments', 'killed').attempt('GET', '')
        expect(body.data).to.include({ is_snoozed: true, last_replicas: before })
        await between('wake')
        await here.dormouse.start()
        await keda.unpaused('killed')
        await keda.woke('killed', before)
        await keda.runs('killed')
        counts.push(await keda.replicas('killed'))
      }
      print([
        `beside KEDA ${version}, killed between the writes of a wake, then ran with ${counts.join(', ')}`,
      ])
    })

    /** Asks for it, and kills Dormouse once the workload is written and before its ScaledObject is. */
    async function between(action: 'snooze' | 'wake'): Promise<void> {
      const pause = await keda.pause('killed')
      const isWritten = async () => {
        const { metadata } = await here.get('deployments', 'killed')
        return (metadata.labels?.['dormouse.dev/asleep'] !== undefined) === (action === 'snooze')
      }
      const ask = () => here.workload('deployments', 'killed').attempt('POST', action)
      // A patch before it may complete the former request.
      await killedAt(here, { ...STRIKE, name: 'killed' }, ask, isWritten)
      expect(await isWritten(), `${action}: the first write is there`).to.equal(true)
      expect(await keda.pause('killed'), `${action}: the second is not`).to.deep.equal(pause)
    }
  })

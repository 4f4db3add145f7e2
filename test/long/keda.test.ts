import { expect } from 'chai'
import { KEDA_VERSIONS, keda as builtKeda } from '../go-programs/keda.ts'
import { BesideKeda, mainCases } from '../keda/cases.ts'
import { scaledObjectsIn } from '../keda/operator.ts'
import { RunningKeda } from '../keda/running.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { served } from '../support/served.ts'

const KILLS = 20

for (const version of KEDA_VERSIONS)
  describeOn(
    `KEDA ${version}`,
    function (on) {
      this.timeout(180_000)
      const here = served(on, { newWorkloadGrace: '0s' })
      let operator: RunningKeda | undefined
      const running = () => {
        if (!operator) throw new TypeError('KEDA runs only within hooks and tests')
        return operator
      }
      const keda = new BesideKeda(here, running)

      before('its operator runs', async function () {
        operator = new RunningKeda(on, here.namespace, await builtKeda(version, this))
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

      mainCases(() => keda, running)

      it('sleeps on while its operator is restarted', async () => {
        const workload = await keda.workload('restarted', 1, true)
        await workload.snooze()
        await keda.paused('restarted')
        await keda.staysAsleep('restarted')
        await running().stopOperator()
        await running().startOperator()
        await keda.staysAsleep('restarted')
        await workload.wake()
        await keda.unpaused('restarted')
        await keda.runs('restarted')
      })

      it(`sleeps after each of ${KILLS} times that Dormouse is killed as it puts it to sleep`, async function () {
        this.timeout(KILLS * 60_000)
        await keda.workload('killed', 1, true)
        for (let time = 0; time < KILLS; time++) {
          const workload = here.workload('deployments', 'killed')
          await eventually('a count of its own', async () => (await keda.replicas('killed')) > 0, {
            timeout: 60_000,
          })
          const before = await keda.replicas('killed')
          const asked = workload.attempt('POST', 'snooze?force=true').catch(() => undefined)
          if (time % 2 === 0) await asked
          await here.dormouse.kill()
          await asked
          await here.dormouse.start()
          const again = here.workload('deployments', 'killed')
          await eventually('it to be asleep', async () => {
            await again.attempt('POST', 'snooze?force=true')
            return (await again.attempt('GET', '')).body.data.is_snoozed
          })
          await keda.paused('killed')
          await keda.staysAsleep('killed')
          const { body } = await again.attempt('GET', '')
          expect(body.data.last_replicas).to.equal(before)
          await again.wake()
          await keda.unpaused('killed')
        }
      })
    },
    'real',
  )

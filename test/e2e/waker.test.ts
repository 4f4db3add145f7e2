import { expect } from 'chai'
import { kubeProxyRule } from '../go-programs/kube-proxy-rule.ts'
import { eventually } from '../support/eventually.ts'
import { describeOnNetwork } from '../support/network.ts'
import { call, CALLERS, type CallerName, type Target } from '../traffic/callers.ts'
import { setting } from '../traffic/setting.ts'
import { awake, slicesOf, type Sleeper } from '../traffic/sleepers.ts'

/** The waves of connections are in test/long/traffic.test.ts; here each way in which one wakes a sleeper. */
describeOnNetwork(
  import.meta.filename,
  kubeProxyRule,
  'a connection to a sleeper, on the real control plane,',
  function (on, rule) {
    this.timeout(240_000)
    const place = setting(on, rule)

    /** Puts it to sleep; resolves with the port of ours for each of its ports. */
    async function asleep({ name, workload }: Sleeper): Promise<(port: string) => Target> {
      await workload.snooze('?wait=60s')
      const slice = await eventually('a slice of ours', async () => {
        const [found] = await slicesOf(on(), place.here.namespace, name)
        return found
      })
      return (port) => {
        const number = slice.ports.find((each) => each.name === port)?.port ?? 0
        return { address: slice.endpoints[0]?.addresses[0] ?? '', port: number }
      }
    }

    it('wakes it in each protocol, and gets the answer of its pod', async () => {
      const web = await place.sleepers.create('each', 'any')
      for (const name of Object.keys(CALLERS) as CallerName[]) {
        // There the server speaks first.
        if (name === 'greeting') continue
        const to = await asleep(web)
        expect(await call(name, to(CALLERS[name].port)), name).to.include({ end: 'app' })
        await awake(web.workload)
      }
      const { operation_history: history } = await web.workload.status()
      expect(history[0]).to.include({ type: 'wake', trigger: 'traffic' })
      expect(place.sleepers.early).to.deep.equal([])
    })

    it('wakes it by itself in the mode connect', async () => {
      const mail = await place.sleepers.create('mail', 'connect')
      const to = await asleep(mail)
      expect(await call('greeting', to('greeting'))).to.include({ end: 'app' })
      await awake(mail.workload)
    })

    it('is answered by a 503, and waits for nothing, where it is pinned', async () => {
      const pinned = await place.sleepers.create('pinned', 'any')
      const to = await asleep(pinned)
      expect((await pinned.workload.attempt('POST', 'pin')).status).to.equal(200)
      expect(await call('http', to('http'))).to.include({ end: 'waker' })
      expect(await pinned.workload.status()).to.include({ is_snoozed: true })
    })

    it('is answered all the same while all wakers are replaced', async () => {
      const web = await place.sleepers.create('rolled', 'any')
      const to = await asleep(web)
      const [answer] = await Promise.all([call('http', to('http')), place.wakers.roll('2')])
      expect(answer).to.include({ end: 'app' })
    })
  },
)

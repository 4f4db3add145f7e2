import { expect } from 'chai'
import { HELD_LABEL, type Kind } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { CONFIGURATION, configuration, enforced, SECRET } from '../support/enforced.ts'
import { Dormouse } from '../support/dormouse.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { flood } from '../support/load.ts'
import { marksOf } from './agreement.ts'
import { scalingAnswer } from './scalings.ts'

const COUNT = 3
/** Repeated changes make Dormouse pause before it restores the configuration. */
const REST = { timeout: 60_000 }

describeOn('faults of the webhook', function (on) {
  this.timeout(180_000)
  // A leader keeps in the configuration for five minutes what others held, also where it goes.
  before('nothing is held by earlier suites', async () => {
    const held = async (kind: string) =>
      (await on().admin.expect('GET', `/apis/apps/v1/${kind}?labelSelector=${HELD_LABEL}`)) as {
        items: readonly unknown[]
      }
    await eventually('what they held to go', async () =>
      (await inParallel(['deployments', 'statefulsets'], held)).every(({ items }) => items.length === 0),
    )
  })

  const here = enforced(on)

  const isListed = (workload: 'held-up' | 'watched') =>
    eventually('it to be listed', async () =>
      JSON.stringify(await configuration(here.cluster)).includes(`deployments/${here.namespace}/${workload}`),
    )

  async function pinned(kind: Kind, name: string, state: 'active' | 'snoozed') {
    const workload = await here[state === 'snoozed' ? 'asleep' : 'enabled'](kind, name, { replicas: COUNT })
    await workload.pin()
    return workload
  }

  /**
   * The webhook answers with the pin, not with an error of its own. A dry run: the API server may not know it yet, and
   * one that passed would be put back meanwhile.
   */
  async function enforces(name: string): Promise<void> {
    const scale = `${here.path('deployments', name)}/scale?dryRun=All`
    await eventually('the webhook to hold the pin', async () => {
      const { status, body } = await here.cluster.admin.send('PATCH', scale, { spec: { replicas: 7 } })
      expect(body.message, String(status)).to.include('is pinned awake')
      return true
    })
  }

  describe('while Dormouse is down', () => {
    before(async () => {
      await pinned('deployments', 'held-up', 'active')
      await pinned('statefulsets', 'held-down', 'snoozed')
      await pinned('daemonsets', 'held-node', 'snoozed')
      await isListed('held-up')
      expect(await here.dormouse.terminate(), 'its exit code').to.equal(0)
    })

    it('pinned workloads that were changed while nothing is to fail are restored once it is back, with an Event', async () => {
      const { webhooks } = await configuration(here.cluster)
      const policies = webhooks.map((_, at) => `/webhooks/${at}/failurePolicy`)
      const unproven = policies.map((path) => ({ op: 'replace', path, value: 'Ignore' }))
      await here.cluster.admin.expect('PATCH', CONFIGURATION, unproven)
      const count = (kind: Kind, name: string, replicas: number) =>
        here.cluster.admin.expect('PATCH', here.path(kind, name), { spec: { replicas } })
      await eventually('the API server to know', () => count('deployments', 'held-up', 0))
      await count('statefulsets', 'held-down', 5)
      const template = { spec: { nodeSelector: null } }
      await here.cluster.admin.expect('PATCH', here.path('daemonsets', 'held-node'), { spec: { template } })
      await here.dormouse.start()
      await eventually('pins to hold again', async () => {
        expect(marksOf(await here.get('deployments', 'held-up')).replicas).to.equal(COUNT)
        expect(marksOf(await here.get('statefulsets', 'held-down')).replicas).to.equal(0)
        expect(marksOf(await here.get('daemonsets', 'held-node')).replicas).to.equal(0)
        return true
      })
      const names = ['held-down', 'held-node', 'held-up']
      await eventually('an Event for each', async () => {
        const told = (await here.events()).filter(({ reason }) => reason === 'PinEnforced')
        const about = told.map(({ involvedObject }) => involvedObject.name)
        expect([...new Set(about)].toSorted()).to.deep.equal(names)
        return true
      })
      await enforces('held-up')
    })
  })

  describe('its Secret', () => {
    before(() => pinned('deployments', 'guarded', 'active'))

    const damages: readonly [string, () => Promise<unknown>][] = [
      ['deleted', () => here.cluster.admin.expect('DELETE', SECRET)],
      ['half written', () => damage((_, index) => (index % 2 === 0 ? '' : undefined))],
    ]

    async function secret(): Promise<Record<string, string>> {
      const { data } = await here.cluster.admin.expect('GET', SECRET)
      return data as Record<string, string>
    }

    async function damage(how: (value: string, index: number) => string | undefined): Promise<void> {
      const entries = Object.entries(await secret()).map(([key, value], index) => [
        key,
        how(value, index) ?? value,
      ])
      const data = Object.fromEntries(entries) as Record<string, string>
      await here.cluster.admin.expect('PATCH', SECRET, { data })
    }

    for (const [what, does] of damages) {
      it(`${what}: it is created again, and reviews are answered`, async () => {
        await does()
        await eventually('the Secret to be whole again', async () => {
          const now = await secret()
          expect(now).to.include.keys('ca.crt', 'ca.key', 'tls.crt', 'tls.key')
          return Object.values(now).every((value) => value.length > 200)
        })
        await enforces('guarded')
      })
    }
  })

  describe('its configuration', () => {
    before(async () => {
      await pinned('deployments', 'watched', 'active')
      await isListed('watched')
      // After another certificate its failurePolicy is Ignore until a probe has come through.
      await here.inForce()
    })

    const edits: readonly [string, () => Promise<unknown>][] = [
      [
        'with failurePolicy Ignore for scalings of what is held',
        () => edit({ op: 'replace', path: '/webhooks/1/failurePolicy', value: 'Ignore' }),
      ],
      ['without one of the webhooks', () => edit({ op: 'remove', path: '/webhooks/1' })],
      ['deleted', () => here.cluster.admin.expect('DELETE', CONFIGURATION)],
    ]
    const edit = (...operations: object[]) => here.cluster.admin.expect('PATCH', CONFIGURATION, operations)

    for (const [how, does] of edits) {
      it(`${how}: it is repaired, and pins are enforced`, async () => {
        const { webhooks } = await configuration(here.cluster)
        await does()
        await eventually(
          'it to be as it was',
          async () => {
            expect((await configuration(here.cluster)).webhooks).to.deep.equal(webhooks)
            return true
          },
          REST,
        )
        await enforces('watched')
      })
    }
  })

  it('a rolling restart of two replicas under load: no review fails', async () => {
    await pinned('deployments', 'loaded', 'active')
    const { settings, port } = await here.another()
    const rolled = new AbortController()
    const load = flood(8, rolled.signal, async () =>
      scalingAnswer(await here.scale('deployments', 'loaded', 7)),
    )
    const other = await Dormouse.start(here.cluster, settings)
    try {
      for (const [replica, mine, others] of [
        [here.dormouse, here.port, port],
        [other, port, here.port],
      ] as const) {
        here.balancer.to([others])
        expect(await replica.terminate(), 'its exit code').to.equal(0)
        await replica.start()
        here.balancer.to([mine, others])
      }
    } finally {
      rolled.abort()
      await load
      here.balancer.to([here.port])
      await other.stop()
    }
    expect(await load).to.have.all.keys('denied by the pin')
  })
})

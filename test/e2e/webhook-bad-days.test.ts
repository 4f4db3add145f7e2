import { expect } from 'chai'
import type { Kind } from '../../src/domain/workload.ts'
import type { Answer } from '../control-plane/client.ts'
import { describeOn } from '../support/clusters.ts'
import { CONFIGURATION, configuration, enforced, SECRET } from '../support/enforced.ts'
import { Dormouse } from '../support/dormouse.ts'
import { eventually, inParallel } from '../support/eventually.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { marksOf } from './agreement.ts'

const COUNT = 3
const JSON_PATCH = { 'content-type': 'application/json-patch+json' }
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' }

describeOn('bad days of the webhook', function (on) {
  this.timeout(120_000)
  const here = enforced(on)

  const pathOf = (kind: Kind, name: string) => `/apis/apps/v1/namespaces/${here.namespace}/${kind}/${name}`

  function scale(name: string, replicas: number): Promise<Answer> {
    const body = { spec: { replicas } }
    return here.cluster.admin.send('PATCH', `${pathOf('deployments', name)}/scale`, body, MERGE_PATCH)
  }

  async function pinned(kind: Kind, name: string, state: 'active' | 'snoozed') {
    const workload = await here.create(kind, name, { replicas: COUNT })
    await workload.enable()
    if (state === 'snoozed') await workload.snooze('?wait=60s')
    await workload.pin()
    return workload
  }

  /** A pin is told with its holder, not with a fault of ours. */
  async function enforces(name: string): Promise<void> {
    await eventually('the webhook to hold the pin', async () => {
      const { status, body } = await scale(name, 7)
      expect(body.message, String(status)).to.include('is pinned active')
      return true
    })
  }

  describe('Dormouse is away', () => {
    before(async () => {
      await pinned('deployments', 'held-up', 'active')
      await pinned('statefulsets', 'held-down', 'snoozed')
      await pinned('daemonsets', 'held-node', 'snoozed')
      expect(await here.dormouse.terminate(), 'its exit code').to.equal(0)
    })

    it('deploys go through, also of what it manages', async () => {
      const created = manifest('deployments', 'brought', { annotations: annotated() })
      const sent = manifest('deployments', 'held-up', { replicas: COUNT, revision: '2' })
      for (const each of [created, sent]) {
        const { code, stderr } = await here.cluster.kubectl.withFile('apply', each, '-n', here.namespace)
        expect(code, stderr).to.equal(0)
      }
    })

    it('kubectl scale fails, and says which webhook it needs', async () => {
      const given = ['scale', 'deployment/held-up', '--replicas=7', '-n', here.namespace]
      const { code, stderr } = await here.cluster.kubectl.attempt(given)
      expect(code).to.equal(1)
      expect(stderr).to.include('failed calling webhook').and.include('scale.dormouse.dev')
    })

    it('pinned workloads that were changed meanwhile are put right once it is back, and an Event says so', async () => {
      const count = (kind: Kind, name: string, replicas: number) =>
        here.cluster.admin.expect('PATCH', pathOf(kind, name), { spec: { replicas } }, MERGE_PATCH)
      await count('deployments', 'held-up', 0)
      await count('statefulsets', 'held-down', 5)
      const template = { spec: { nodeSelector: null } }
      await here.cluster.admin.expect(
        'PATCH',
        pathOf('daemonsets', 'held-node'),
        { spec: { template } },
        MERGE_PATCH,
      )
      await here.dormouse.start()
      await eventually('pins to hold again', async () => {
        expect(marksOf(await here.get('deployments', 'held-up')).replicas).to.equal(COUNT)
        expect(marksOf(await here.get('statefulsets', 'held-down')).replicas).to.equal(0)
        expect(marksOf(await here.get('daemonsets', 'held-node')).replicas).to.equal(0)
        return true
      })
      const names = ['held-down', 'held-node', 'held-up']
      await eventually('an Event for each', async () => {
        const { items = [] } = await here.cluster.admin.expect(
          'GET',
          `/api/v1/namespaces/${here.namespace}/events`,
        )
        const told = items.filter(({ reason }) => reason === 'PinEnforced')
        const about = told.map((event) => (event['involvedObject'] as { name: string }).name)
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
      ['corrupted', () => damage(() => 'bm90IGEga2V5')],
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
      await here.cluster.admin.expect('PATCH', SECRET, { data }, MERGE_PATCH)
    }

    for (const [what, does] of damages) {
      it(`${what}: it is made anew, and reviews are answered`, async () => {
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
    before(() => pinned('deployments', 'watched', 'active'))

    const edits: readonly [string, () => Promise<unknown>][] = [
      ['without caBundle', () => edit({ op: 'remove', path: '/webhooks/0/clientConfig/caBundle' })],
      ['with rules for nothing', () => edit({ op: 'replace', path: '/webhooks/0/rules', value: [] })],
      [
        'with a scale webhook that may be ignored',
        () => edit({ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }),
      ],
      ['with one webhook less', () => edit({ op: 'remove', path: '/webhooks/1' })],
      ['deleted', () => here.cluster.admin.expect('DELETE', CONFIGURATION)],
    ]
    const edit = (...operations: object[]) =>
      here.cluster.admin.expect('PATCH', CONFIGURATION, operations, JSON_PATCH)

    for (const [how, does] of edits) {
      it(`${how}: it is put right, and enforces`, async () => {
        const { webhooks } = await configuration(here.cluster)
        await does()
        await eventually('it to be as it was', async () => {
          expect((await configuration(here.cluster)).webhooks).to.deep.equal(webhooks)
          return true
        })
        await enforces('watched')
      })
    }
  })

  it('a rolling restart of two replicas under load fails no review', async () => {
    await pinned('deployments', 'loaded', 'active')
    const { settings, port } = await here.another()
    const answers = new Map<string, number>()
    const rolled = new AbortController()
    const load = inParallel(
      Array.from({ length: 8 }),
      async () => {
        while (!rolled.signal.aborted) {
          const { status, body } = await scale('loaded', 7)
          const held = status === 403 && String(body.message).includes('is pinned active')
          const said = held ? 'held' : `${status} ${body.message}`
          answers.set(said, (answers.get(said) ?? 0) + 1)
        }
      },
      8,
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
    expect([...answers.keys()]).to.deep.equal(['held'])
  })
})

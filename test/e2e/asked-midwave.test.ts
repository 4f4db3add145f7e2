import { expect } from 'chai'
import type { BulkItem } from '../../src/service/api/bulk/item.ts'
import { connect } from '../../src/client/connect.ts'
import { systemClock } from '../../src/service/process/clock.ts'
import { REQUEST_ANNOTATION } from '../../src/domain/requests/annotation.ts'
import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { manifest } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'

const KIND = 'deployments'
const MANY = 120
/** A wave takes 15 s at least, so that people meet it. */
const PACE = 8

/** The ways to ask, each of a workload that the wave has not come to. */
const WAYS = ['api', 'annotation', 'bulk', 'client'] as const
type Way = (typeof WAYS)[number]

describeOn('who asks in the middle of a wave', function (on) {
  this.timeout(180_000)
  const here = enforced(on, { writesPerSecond: PACE, settings: { backoff: { maxOperations: 19 } } })
  const nameOf = (index: number) => `web-${index}`

  const follows = (schedule: string) =>
    on().admin.expect('PATCH', `/api/v1/namespaces/${here.namespace}`, {
      metadata: { annotations: { [ANNOTATION.enabled]: 'true', [ANNOTATION.schedule]: schedule } },
    })
  const isUp = ({ spec }: KubectlObject) => spec.replicas !== 0
  const moved = async (up: boolean) => (await here.list(KIND)).filter((each) => isUp(each) === up)

  before('many follow the hours of their Namespace', async () => {
    await follows(awakeNow())
    const labels = (index: number) => ({ each: nameOf(index) })
    await on().create(
      here.namespace,
      Array.from({ length: MANY }, (_, index) =>
        manifest(KIND, nameOf(index), { replicas: 2, labels: labels(index), paused: true }),
      ),
    )
    await eventually('all to be known', async () => {
      const path = `/namespaces/${here.namespace}/${KIND}?limit=500`
      return (await here.api.call<unknown[]>('GET', path)).body.data.length === MANY
    })
  })

  /** Asks, and returns the answer in words. */
  async function ask(way: Way, action: 'wake' | 'snooze', name: string): Promise<string> {
    if (way === 'api') return (await here.workload(KIND, name).attempt('POST', action)).body.message
    if (way === 'annotation')
      return here.kubectl('annotate', KIND, name, '--overwrite', `${REQUEST_ANNOTATION}=${action}`)
    if (way === 'client') {
      const client = await connect(
        { kubeconfig: on().adminKubeconfig },
        {
          clock: systemClock,
          environment: {},
          stderr: { write() {} },
          stopSignal: new AbortController().signal,
        },
      )
      const key = { kind: KIND, namespace: here.namespace, name } as const
      const { messages } = await client.request(key, { action }, false)
      await client.close()
      return messages.join()
    }
    const path = `/namespaces/${here.namespace}/${action}?labelSelector=each%3D${name}`
    const { items } = (await here.api.call<{ items: BulkItem[] }>('POST', path)).body.data
    expect(items.map(({ result }) => result)).to.deep.equal(['done'])
    return items[0]?.message ?? ''
  }

  for (const [action, schedule, isDueTo] of [
    ['wake', asleepNow(), 'sleep'],
    ['snooze', awakeNow(), 'wake'],
  ] as const)
    it(`to ${action} what is due to ${isDueTo} is heard, by ${WAYS.join(', ')}`, async () => {
      const keptUp = action === 'wake'
      await follows(schedule)
      await eventually('the wave to roll', async () => (await moved(!keptUp)).length > PACE, { pause: 50 })
      const asked = new Map<string, string>()
      for (const way of WAYS) {
        const waiting = (await moved(keptUp)).map(({ metadata }) => metadata.name)
        const name = waiting.findLast((each) => !asked.has(each))
        if (name === undefined) return expect.fail('the wave is over')
        asked.set(name, await ask(way, action, name))
      }
      await eventually('the wave to be over', async () => (await moved(keptUp)).length === asked.size, {
        timeout: 90_000,
        pause: 500,
      })
      for (const object of await here.list(KIND)) {
        const { name } = object.metadata
        expect(isUp(object), name).to.equal(asked.has(name) === keptUp)
      }
      for (const [name, answer] of asked) {
        expect(answer, name).to.not.match(/already/)
        const record = await here.workload(KIND, name).status()
        expect(record[`${action}_requested`], name).to.equal(true)
      }
      expect([...asked.values()].join(), 'one at least was met before the wave was').to.match(/stays/)
    })
})

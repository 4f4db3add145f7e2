import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KubectlObject } from '../support/kubectl.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import type { Served } from '../support/served.ts'
import { annotationsOf, scaledObject, scaledObjectsIn, type KedaOperator } from './operator.ts'

const PAUSED = { 'autoscaling.keda.sh/paused-replicas': '0', 'dormouse.dev/paused': '' }

/** Workloads beside KEDA, each a Deployment and a ScaledObject of the same name. */
export class BesideKeda {
  readonly here: Served
  /** Milliseconds from a request until its workload was at 0, and until its ScaledObject was paused. */
  readonly asleepAfter: number[] = []
  readonly pausedAfter: number[] = []
  readonly #operator: () => KedaOperator
  /** The spec of each ScaledObject as it was made. */
  readonly #specs = new Map<string, unknown>()

  constructor(here: Served, operator: () => KedaOperator) {
    this.here = here
    this.#operator = operator
  }

  /** A managed Deployment with 3 replicas, and its ScaledObject, with the trigger's state at its creation. */
  async workload(
    name: string,
    min: number,
    active: boolean,
    annotations: Readonly<Record<string, string>> = {},
  ) {
    const { here } = this
    const operator = this.#operator()
    operator.active = active
    operator.reachable = true
    await here.cluster.create(here.namespace, [manifest('deployments', name, { replicas: 3 })])
    await here.settled('deployments', name)
    const object = scaledObject(name, operator.trigger, { min, annotations })
    await eventually('ScaledObjects to be served', async () => {
      const { status } = await here.cluster.admin.send('POST', scaledObjectsIn(here.namespace), object)
      return status === 201
    })
    this.#specs.set(name, await this.#spec(name))
    const workload = here.workload('deployments', name)
    await workload.enable()
    return workload
  }

  /** Puts to sleep, which takes at most some polls, and sees that it stays so. */
  async snooze(name: string): Promise<void> {
    const asked = performance.now()
    const since = () => performance.now() - asked
    const request = this.here.workload('deployments', name).snooze()
    await eventually(`${name} to be at 0`, async () => (await this.replicas(name)) === 0, { pause: 10 })
    this.asleepAfter.push(since())
    await request
    await this.paused(name)
    this.pausedAfter.push(since())
    await this.staysAsleep(name)
  }

  /** Wakes, and sees that the count which Dormouse sets is the given one and that the ScaledObject is as it was. */
  async wake(name: string, count: number): Promise<void> {
    const workload = this.here.workload('deployments', name)
    await workload.wake()
    await this.unpaused(name)
    await this.woke(name, count)
  }

  /** The newest operation woke it to this count. */
  async woke(name: string, count: number): Promise<void> {
    const { body } = await this.here.workload('deployments', name).attempt('GET', '')
    expect(body.data.operation_history[0]).to.include({ type: 'wake', replicas: count })
  }

  async #spec(name: string): Promise<unknown> {
    const { cluster, namespace } = this.here
    return (await cluster.admin.expect('GET', scaledObjectsIn(namespace, name))).spec
  }

  async replicas(name: string): Promise<number> {
    const { spec } = await this.here.cluster.admin.expect('GET', this.here.path('deployments', name))
    return Number((spec as KubectlObject['spec'])?.replicas)
  }

  async annotations(name: string): Promise<Readonly<Record<string, string>>> {
    const { cluster, namespace } = this.here
    return annotationsOf(await cluster.admin.expect('GET', scaledObjectsIn(namespace, name)))
  }

  /** Annotations of ours and of KEDA's pause alone: others may put theirs there. */
  async pause(name: string): Promise<Readonly<Record<string, string>>> {
    const all = Object.entries(await this.annotations(name))
    return Object.fromEntries(all.filter(([key]) => /^(?:autoscaling\.keda\.sh|dormouse\.dev)\//.test(key)))
  }

  async paused(name: string): Promise<void> {
    await eventually(`ScaledObject ${name} to be paused`, async () => {
      expect(await this.pause(name)).to.deep.equal(PAUSED)
      return true
    })
  }

  async unpaused(name: string, before: Readonly<Record<string, string>> = {}): Promise<void> {
    await eventually(`ScaledObject ${name} to be as it was`, async () => {
      expect(await this.pause(name)).to.deep.equal(before)
      return true
    })
    const spec = this.#specs.get(name)
    if (spec !== undefined) expect(await this.#spec(name), `the spec of ${name}`).to.deep.equal(spec)
  }

  /** It is at 0, and stays so for some polls, once those that began before it was paused are over. */
  async staysAsleep(name: string): Promise<void> {
    await this.#operator().looked()
    await eventually(`${name} to be at 0`, async () => (await this.replicas(name)) === 0)
    const until = performance.now() + 5 * this.#operator().poll
    while (performance.now() < until) {
      expect(await this.replicas(name), `${name} while it sleeps`).to.equal(0)
      await sleep(50)
    }
  }

  async hasReplicas(name: string, count: number): Promise<void> {
    await eventually(`${name} to have ${count}`, async () => (await this.replicas(name)) === count)
  }

  async runs(name: string): Promise<void> {
    await eventually(`${name} to run`, async () => (await this.replicas(name)) > 0)
  }
}

/** The main cases, for any operator that plays KEDA. */
export function mainCases(beside: () => BesideKeda, operator: () => KedaOperator): void {
  it('sleeps with an active trigger and a minimum of 1, and wakes as before', async () => {
    const workload = await beside().workload('active', 1, true)
    await beside().snooze('active')
    const { body } = await workload.attempt('GET', '')
    expect(body.data).to.include({ is_snoozed: true, last_replicas: 3 })
    await beside().wake('active', 3)
    await beside().runs('active')
  })

  it('sleeps with an active trigger and a minimum of 0, and KEDA wakes it', async () => {
    const workload = await beside().workload('from-zero', 0, true)
    await beside().snooze('from-zero')
    const { body } = await workload.attempt('POST', 'wake')
    expect(body.message).to.include('KEDA decides')
    await beside().unpaused('from-zero')
    await beside().runs('from-zero')
  })

  it('wakes to 0 where no trigger is active and the minimum is 0: that is success', async () => {
    const workload = await beside().workload('idle', 0, true)
    await workload.snooze()
    await beside().paused('idle')
    operator().active = false
    await beside().staysAsleep('idle')
    await workload.wake('?wait=20s')
    await beside().unpaused('idle')
    const { body } = await workload.attempt('GET', '')
    expect(body.data).to.include({ is_snoozed: false, operation_in_progress: false })
    expect(body.data.operation_history[0]).to.include({ type: 'wake', result: 'succeeded', replicas: 0 })
    await beside().staysAsleep('idle')
  })

  it('sleeps while the source of the trigger is unreachable', async () => {
    await beside().workload('dead', 1, true)
    operator().reachable = false
    await beside().snooze('dead')
    await beside().wake('dead', 3)
    await beside().runs('dead')
    operator().reachable = true
  })
}

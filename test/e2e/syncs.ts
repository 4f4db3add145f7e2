import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { FIELD_MANAGER } from '../../src/domain/workload/workload.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { manifest } from '../support/manifests.ts'
import { marksOf } from './agreement.ts'
import type { Cluster } from '../support/cluster.ts'

const COUNT = 3
const AGENT = 'argocd-controller'

/** Tests of an agent that applies the same manifest `syncs` times; the sandbox has no server-side apply. */
export function gitOps(on: () => Cluster, syncs: number): void {
  const here = enforced(on)

  const apply = (name: string, replicas: number, ...args: string[]) =>
    here.withFile(
      'apply',
      manifest('deployments', name, { replicas }),
      '--server-side',
      `--field-manager=${AGENT}`,
      ...args,
    )

  it("an unforced one gets the API server's conflict while asleep; after a wake it succeeds, and the agent alone owns the count", async () => {
    expect(await apply('unforced', COUNT)).to.include({ code: 0 })
    await here.settled('deployments', 'unforced')
    const workload = here.workload('deployments', 'unforced')
    await workload.enable()
    await workload.snooze('?wait=60s')
    const refused = await apply('unforced', 5)
    expect(refused.code, refused.stdout).to.equal(1)
    expect(refused.stderr)
      .to.include('conflict')
      .and.include(`"${FIELD_MANAGER}"`)
      .and.include('.spec.replicas')
    expect(marksOf(await here.get('deployments', 'unforced'))).to.include({ replicas: 0, label: '3' })
    await workload.wake('?wait=60s')
    // Dormouse gives up the ownership of the count by one more write, once the pods are ready.
    await eventually('an unforced apply to succeed', async () => {
      const { code, stderr } = await apply('unforced', 5)
      if (code !== 0) throw new Error(stderr)
      return true
    })
    const object = await here.get('deployments', 'unforced')
    expect(marksOf(object)).to.include({ replicas: 5, label: undefined })
    const owners = object.metadata.managedFields?.filter(
      ({ fieldsV1 }) => fieldsV1?.['f:spec']?.['f:replicas'] !== undefined,
    )
    expect(owners?.map(({ manager }) => manager)).to.deep.equal([AGENT])
  })

  it(`a forced one every second leaves the workload asleep, and it wakes with its count`, async () => {
    expect(await apply('synced', COUNT)).to.include({ code: 0 })
    await here.settled('deployments', 'synced')
    const workload = here.workload('deployments', 'synced')
    await workload.enable()
    await workload.snooze('?wait=60s')
    const { generation } = (await here.get('deployments', 'synced')).metadata
    for (let sync = 0; sync < syncs; sync += 1) {
      const { code, stderr } = await apply('synced', COUNT, '--force-conflicts')
      expect(code, stderr).to.equal(0)
      expect(stderr).to.include('it will wake to 3')
      const object = await here.get('deployments', 'synced')
      expect(marksOf(object), `after ${sync + 1} syncs`).to.include({ replicas: 0, label: '3' })
      expect(object.metadata.generation, 'its spec never changed').to.equal(generation)
      await sleep(1000)
    }
    expect(await workload.wake('?wait=60s')).to.include({ current_replicas: COUNT, ready_replicas: COUNT })
  })

  for (const [how, args] of [
    ['kubectl', []],
    ['server', ['--server-side', '--force-conflicts', `--field-manager=${AGENT}`]],
  ] as const)
    it(`a manifest that stops naming a count leaves a sleeper its own, and one with 0 keeps it at 0 (${how})`, async () => {
      const name = `manifest-${how}`
      const whole = (replicas: number) => manifest('deployments', name, { replicas })
      const { replicas: _count, ...spec } = whole(COUNT).spec as { replicas?: number }
      const applied = (object: object) => here.withFile('apply', object, ...args)
      expect(await applied(whole(COUNT))).to.include({ code: 0 })
      await here.settled('deployments', name)
      const workload = here.workload('deployments', name)
      await workload.enable()
      await workload.snooze('?wait=60s')
      // The sync that owns the count at its fall is the one that then drops it.
      expect(await applied(whole(COUNT))).to.include({ code: 0 })
      const dropped = await applied({ ...whole(COUNT), spec })
      expect(dropped.code, dropped.stderr).to.equal(0)
      expect(dropped.stderr).to.include('it will wake to 3')
      expect(marksOf(await here.get('deployments', name))).to.include({ replicas: 0, label: '3' })
      const none = await applied(whole(0))
      expect(none.stderr).to.include('keeps 0 from now on')
      expect(marksOf(await here.get('deployments', name))).to.include({ replicas: 0, label: '0' })
    })
}

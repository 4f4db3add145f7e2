import { expect } from 'chai'
import { SNOOZE_KEY } from '../../src/domain/workload/workload.ts'
import { describeOn } from '../support/clusters.ts'
import { enforced } from '../support/enforced.ts'
import { manifest } from '../support/manifests.ts'
import { marksOf } from './agreement.ts'
import { warningsOf } from './verdicts.ts'

const NODES = 3
describeOn('the key of a DaemonSet', function (on) {
  this.timeout(90_000)
  const here = enforced(on)
  const own = { 'kubernetes.io/os': 'linux' }
  const sync = (name: string, ...args: string[]) =>
    here.withFile('apply', manifest('daemonsets', name, { nodeSelector: own }), ...args)
  const forced = (name: string) => sync(name, '--server-side', '--force-conflicts', '--field-manager=flux')
  const selectorOf = async (name: string) =>
    (await here.get('daemonsets', name)).spec.template?.spec.nodeSelector

  before('nodes that it selects', async () => {
    await on().kubectl('label', 'nodes', '--all', '--overwrite', 'kubernetes.io/os=linux')
  })

  for (const [title, apply] of [
    ['by a forced server-side apply', forced],
    ["by kubectl's own apply", sync],
  ] as const) {
    it(`${title} of its own nodeSelector, it stays asleep without a warning, and wakes with that`, async () => {
      const name = apply === forced ? 'server-side' : 'client-side'
      expect(await apply(name)).to.include({ code: 0 })
      await here.settled('daemonsets', name)
      const workload = here.workload('daemonsets', name)
      await workload.enable()
      await workload.snooze('?wait=60s')
      const { generation } = (await here.get('daemonsets', name)).metadata
      for (let time = 0; time < 3; time += 1) {
        const result = await apply(name)
        expect(result.code, result.stderr).to.equal(0)
        expect(warningsOf(result)).to.deep.equal([])
        const object = await here.get('daemonsets', name)
        expect(marksOf(object), `after ${time + 1} syncs`).to.include({ label: String(NODES) })
        expect(await selectorOf(name)).to.deep.equal({ ...own, [SNOOZE_KEY]: 'true' })
        expect(object.metadata.generation, 'its spec never changed').to.equal(generation)
      }
      expect(await workload.wake('?wait=60s')).to.include({ current_replicas: NODES })
      expect(await selectorOf(name)).to.deep.equal(own)
    })
  }

  it('rollout undo goes to the revision that differs by our key; --to-revision goes further back', async () => {
    const name = 'undone'
    const workload = await here.enabled('daemonsets', name)
    const image = async () => {
      const { spec } = await here.get('daemonsets', name)
      const podSpec = spec.template?.spec as unknown as { containers: { image: string }[] } | undefined
      return podSpec?.containers[0]?.image
    }
    const undo = (...args: string[]) => here.attempt('rollout', 'undo', `daemonset/${name}`, ...args)
    await here.kubectl('set', 'image', `daemonset/${name}`, 'app=app:2')
    await here.settled('daemonsets', name)
    await workload.snooze('?wait=60s')
    await workload.wake('?wait=60s')
    expect(await undo()).to.include({ code: 0 })
    expect(await image(), 'the revision before is the one asleep, of the same image').to.equal('app:2')
    expect(marksOf(await here.get('daemonsets', name))).to.include({ label: undefined })
    const history = await here.kubectl('rollout', 'history', `daemonset/${name}`)
    expect(history).to.match(/^1\s/m)
    expect(await undo('--to-revision=1')).to.include({ code: 0 })
    expect(await image()).to.equal('app')
  })
})

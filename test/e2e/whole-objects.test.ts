import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { FIELD_MANAGER, type Kind } from '../../src/domain/workload/workload.ts'
import { refusal } from '../faults/faults.ts'
import { throughFaults } from '../faults/through-faults.ts'
import { describeOn } from '../support/clusters.ts'
import { defineKind, mayManage, undefineKind, type CustomKind } from '../support/custom-kinds.ts'
import type { KubectlObject } from '../support/kubectl.ts'
import { marksOf } from './agreement.ts'

const WHEEL: CustomKind = {
  group: 'whole.example.com',
  plural: 'wheels',
  kind: 'Wheel',
  countPath: '.spec.replicas',
}
const WHEELS = 'wheels.whole.example.com' as const
/** Milliseconds after which nothing that was written is in motion any more. */
const REST = 1500
/** JavaScript has no such number. */
const LONG = '9007199254740993'

/** Dormouse then sends it whole, as the API server delivered it. */
describeOn('a workload at rest', function (on) {
  this.timeout(120_000)
  before('a kind of others is there', async () => {
    await defineKind(on(), WHEEL)
    await mayManage(on(), WHEEL.group)
  })
  after(() => undefineKind(on(), WHEEL))

  const here = throughFaults(on, { newWorkloadGrace: '0s', kinds: [{ resource: WHEELS }] })
  const writesOf = (name: string) =>
    here.proxy.calls.filter((called) => called.writes && called.name === name).map(({ verb }) => verb)
  const resting = async (kind: Kind, name: string) => {
    const workload = await here.enabled(kind, name, { replicas: 2 })
    await sleep(REST)
    return workload
  }

  for (const kind of [
    'deployments',
    'statefulsets',
    'replicasets',
    'daemonsets',
    'cronjobs',
    WHEELS,
  ] as const)
    it(`falls asleep as a whole, and nothing but count and marks is another: ${kind}`, async () => {
      const name = `whole-${kind.replace(/\..*/, '')}`
      const workload = kind === WHEELS ? await restingWheel(name) : await resting(kind, name)
      const read = async () =>
        kind === WHEELS
          ? await here.cluster.kubectl.json(
              'get',
              WHEELS,
              name,
              '-n',
              here.namespace,
              '--show-managed-fields',
            )
          : await here.get(kind, name)
      const before = await read()
      const sent = writesOf(name).length
      await workload.snooze()
      expect(writesOf(name).slice(sent)).to.deep.equal(['update'])
      const after = await read()
      expect(marksOf(after).state?.asleep).to.equal(true)
      expect(leftAlone(after)).to.deep.equal(leftAlone(before))
    })

  it('keeps a number that JavaScript would round: it is patched', async () => {
    const workload = await restingWheel('long', { long: '#' })
    await workload.snooze()
    expect(
      await here.kubectl('get', WHEELS, 'long', '-o', 'jsonpath={.spec.long} {.spec.replicas}'),
    ).to.equal(`${LONG} 0`)
    expect(writesOf('long')).to.not.include('update')
  })

  it('which somebody changes at the same time keeps their change, and is patched', async () => {
    const workload = await resting('deployments', 'edited')
    const edit = async () => void (await here.kubectl('set', 'image', 'deployment/edited', 'app=other'))
    here.proxy.onCall({ verb: 'update', name: 'edited' }, { type: 'hook', stage: 'before', run: edit })
    const { is_snoozed } = await workload.snooze()
    expect(is_snoozed).to.equal(true)
    const fields = 'jsonpath={.spec.replicas} {.spec.template.spec.containers[0].image}'
    expect(await here.kubectl('get', 'deployment', 'edited', '-o', fields)).to.equal('0 other')
    expect(writesOf('edited').slice(-2)).to.deep.equal(['update', 'patch'])
  })

  it('is patched where Dormouse may not replace, without another try', async () => {
    const laid = here.proxy.onCall(
      { verb: 'update', resource: 'statefulsets', times: Infinity },
      refusal(403),
    )
    for (const name of ['forbidden-1', 'forbidden-2']) {
      const workload = await resting('statefulsets', name)
      expect((await workload.snooze()).is_snoozed).to.equal(true)
    }
    laid.lift()
    expect(laid.hits).to.equal(1)
  })

  it('is patched while it is in motion', async () => {
    const workload = await here.enabled('deployments', 'in-motion', { replicas: 2 })
    await here.annotate('deployments', 'in-motion', { 'example.com/moved': 'now' })
    await workload.snooze()
    expect(writesOf('in-motion')).to.not.include('update')
  })

  async function restingWheel(name: string, spec: object = {}) {
    const { group, kind } = WHEEL
    const object = { apiVersion: `${group}/v1`, kind, metadata: { name }, spec: { replicas: 2, ...spec } }
    const text = JSON.stringify(object).replace('"#"', LONG)
    const { code, stderr } = await here.cluster.kubectl.attempt(
      ['create', '-n', here.namespace, '-f', '-'],
      text,
    )
    expect(code, stderr).to.equal(0)
    const workload = here.workload(WHEELS, name)
    await workload.enable()
    await sleep(REST)
    return workload
  }
})

/** The object without Dormouse's marks, the count, the status and the fields that each write changes; whose fields are whose. */
function leftAlone({ metadata, spec }: KubectlObject): object {
  const { name, uid, creationTimestamp, labels = {}, annotations = {}, managedFields = [] } = metadata
  const { replicas: _, suspend: __, template, ...rest } = spec
  const { nodeSelector: ___, ...pod } = template?.spec ?? {}
  const foreign = (key: string) => !/dormouse|deprecated/.test(key)
  return {
    ...{ name, uid, creationTimestamp, rest, pod },
    labels: Object.keys(labels).filter(foreign),
    annotations: Object.entries(annotations).filter(([key]) => foreign(key)),
    managers: managedFields.flatMap(({ manager = '' }) => (manager === FIELD_MANAGER ? [] : manager)).sort(),
  }
}

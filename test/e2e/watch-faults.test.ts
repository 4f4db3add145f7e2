import { expect } from 'chai'
import { refusal, statusOf, type Laid } from '../faults/faults.ts'
import { comesToRest, patchesEnd, reschedule, type Scheduled, type Want } from '../faults/resting.ts'
import { throughFaults } from '../faults/through-faults.ts'
import { describeOn } from '../support/clusters.ts'
import { eventually } from '../support/eventually.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'

/** One workload has all the operations. */
const SETTINGS = {
  newWorkloadGrace: '0s',
  backoff: { maxOperations: 19, window: '1s' },
  controller: { writesPerWorkload: 1000 },
}
const RESOURCE = 'deployments'
const WATCH = { verb: 'watch', resource: RESOURCE } as const
const LIST = { verb: 'list', resource: RESOURCE } as const
/** A workload that is deleted in the end. */
const GONE = 'gone'
const EXPIRED = { type: 'ERROR', object: statusOf(410) }

describeOn('a fault of a list or watch', function (on) {
  this.timeout(120_000)
  const here = throughFaults(on, SETTINGS)
  const workload: Scheduled = { kind: RESOURCE, name: 'watched', count: 2 }
  let operations = 0

  before('a workload runs', async () => {
    const annotations = annotated(awakeNow())
    const { name, count } = workload
    await here.cluster.create(here.namespace, [
      manifest(RESOURCE, name, { replicas: count, annotations }),
      manifest(RESOURCE, GONE, { annotations: annotated(asleepNow()) }),
    ])
    await here.settled(RESOURCE, name)
  })

  afterEach(() => here.proxy.lift())

  const cut = () => {
    for (const watch of here.proxy.watches(RESOURCE)) watch.cut()
  }
  const say = (line: unknown) => {
    for (const watch of here.proxy.watches(RESOURCE)) watch.say(line)
  }

  /** The schedule is changed as the fault begins. */
  function recovers(fault: string, begin: () => Laid | void | Promise<Laid>): void {
    it(`${fault}: a schedule changed meanwhile is followed, once`, async () => {
      const want: Want = operations % 2 === 0 ? 'asleep' : 'awake'
      const laid = await begin()
      await reschedule(here, workload, want)
      operations += 1
      await comesToRest(here, workload, want, { operations })
      if (laid) expect(laid.hits, 'it has struck').to.be.greaterThan(0)
    })
  }

  recovers('the watch is cut', cut)
  recovers('the watch is cut, then answered 500 twice', () => {
    const laid = here.proxy.onCall({ ...WATCH, times: 2 }, refusal(500))
    cut()
    return laid
  })
  recovers('the watch is cut, then answered 410', () => {
    const laid = here.proxy.onCall(WATCH, refusal(410))
    cut()
    return laid
  })
  recovers('410 as an event', () => say(EXPIRED))
  recovers('410, and the list answered 500 twice', () => {
    const laid = here.proxy.onCall({ ...LIST, times: 2 }, refusal(500))
    say(EXPIRED)
    return laid
  })
  for (const [fault, type] of [
    ['every two events change places', 'swap'],
    ['the end instead of an event', 'cut'],
  ] as const)
    recovers(fault, () => here.proxy.onEvent({ resource: RESOURCE, times: 6 }, { type }))
  recovers('an event is lost, then 410', () => {
    const laid = here.proxy.onEvent({ resource: RESOURCE, name: workload.name }, { type: 'lose' })
    void laid.struck.then(() => say(EXPIRED))
    return laid
  })
  recovers('this watch is frozen for 3 s, the others are not', () => {
    const thaw = here.proxy.freeze(RESOURCE)
    setTimeout(thaw, 3000)
  })
  recovers('a line that is no JSON', () => say('{"type":"MODIFIED","object":{'))

  /** As it was before the latest operation. */
  let older: unknown
  let newer: unknown
  beforeEach(async () => {
    older = newer
    newer = await here.cluster.admin.expect('GET', `/apis/apps/v1/${RESOURCE}`)
  })
  recovers('410, and an older list with a workload that is gone', async () => {
    await here.cluster.admin.expect('DELETE', here.path(RESOURCE, GONE))
    await eventually('it to be gone', isGone)
    const laid = here.proxy.onCall(LIST, { type: 'answer', stage: 'before', status: 200, body: older })
    say(EXPIRED)
    return laid
  })

  it('what is gone stays so, and there are no endless writes', async () => {
    await eventually('it to be gone', isGone)
    await patchesEnd(here.proxy)
  })

  const isGone = async () => (await here.workload(RESOURCE, GONE).attempt('GET', '')).status === 404
})

import { refusal, statusOf } from '../faults/faults.ts'
import { Recoveries } from '../faults/recoveries.ts'
import { comesToRest, patchesEnd, reschedule, type Scheduled, type Want } from '../faults/resting.ts'
import { throughFaults } from '../faults/through-faults.ts'
import { describeOn } from '../support/clusters.ts'
import { annotated, manifest } from '../support/manifests.ts'
import { awakeNow } from '../support/schedules.ts'

/** One workload has all the operations. */
const SETTINGS = {
  newWorkloadGrace: '0s',
  backoff: { maxOperations: 19, window: '1s' },
  controller: { writesPerWorkload: 1000 },
}
const RESOURCE = 'deployments'
const WATCH = { verb: 'watch', resource: RESOURCE } as const
const LIST = { verb: 'list', resource: RESOURCE } as const
const EXPIRED = { type: 'ERROR', object: statusOf(410) }

describeOn('a fault of a list or watch', function (on) {
  this.timeout(60_000)
  const here = throughFaults(on, SETTINGS)
  const recoveries = new Recoveries()
  const workload: Scheduled = { kind: RESOURCE, name: 'watched', count: 2 }
  let operations = 0
  let begun = 0

  before('a workload runs', async () => {
    const annotations = annotated(awakeNow())
    const { name, count } = workload
    await here.cluster.create(here.namespace, [manifest(RESOURCE, name, { replicas: count, annotations })])
    await here.settled(RESOURCE, name)
  })

  afterEach(() => here.proxy.lift())

  after(() => recoveries.print(`changed schedules through faults of the watch on ${here.cluster.name}`))

  const cut = () => {
    for (const watch of here.proxy.watches(RESOURCE)) watch.cut()
  }
  const say = (line: unknown) => {
    for (const watch of here.proxy.watches(RESOURCE)) watch.say(line)
  }
  const wanted = (): Want => (operations % 2 === 0 ? 'asleep' : 'awake')

  /** The schedule is changed as the fault begins; the time until it was followed is printed. */
  function recovers(fault: string, begin: () => void): void {
    it(`${fault}: a schedule changed meanwhile is followed, once`, async () => {
      const want = wanted()
      begin()
      begun = performance.now()
      await reschedule(here, workload, want)
      operations += 1
      recoveries.note(fault, begun, await comesToRest(here, workload, want, { operations }))
    })
  }

  recovers('the watch is cut', cut)
  for (const status of [429, 500, 503])
    recovers(`the watch is cut, then answered ${status} twice`, () => {
      here.proxy.onCall({ ...WATCH, times: 2 }, refusal(status))
      cut()
    })
  recovers('the watch is cut, and the next one before its answer', () => {
    here.proxy.onCall(WATCH, { type: 'cut', stage: 'after' })
    cut()
  })
  recovers('the watch is cut, then answered 410', () => {
    here.proxy.onCall(WATCH, refusal(410))
    cut()
  })
  recovers('410 as an event', () => say(EXPIRED))
  for (const status of [410, 429, 500])
    recovers(`410, and the list answered ${status} twice`, () => {
      here.proxy.onCall({ ...LIST, times: 2 }, refusal(status))
      say(EXPIRED)
    })
  recovers('410, and the list cut in the middle', () => {
    here.proxy.onCall({ ...LIST, times: 2 }, { type: 'cut', stage: 'within' })
    say(EXPIRED)
  })
  recovers('410, and a list that comes 2 s late', () => {
    here.proxy.onCall(LIST, { type: 'delay', stage: 'after', milliseconds: 2000 })
    say(EXPIRED)
  })
  for (const [fault, type] of [
    ['each event comes twice', 'repeat'],
    ['every two events change places', 'swap'],
    ['half an event, then the end', 'half'],
    ['the end instead of an event', 'cut'],
  ] as const)
    recovers(fault, () => void here.proxy.onEvent({ resource: RESOURCE, times: 6 }, { type }))
  recovers('each event comes 1 s late', () => {
    here.proxy.onEvent({ resource: RESOURCE, times: 6 }, { type: 'delay', milliseconds: 1000 })
  })
  recovers('this watch is frozen for 3 s, the others are not', () => {
    const thaw = here.proxy.freeze(RESOURCE)
    setTimeout(thaw, 3000)
  })
  recovers('a line that is no JSON', () => say('{"type":"MODIFIED","object":{'))
  recovers('a line that is no event', () => say({ type: 'MODIFIED', object: null }))

  /** As it was before the last but one change. */
  let older: unknown
  let newer: unknown
  beforeEach(async () => {
    older = newer
    newer = await here.cluster.admin.expect('GET', `/apis/apps/v1/${RESOURCE}`)
  })
  recovers('410, and an older list', () => {
    here.proxy.onCall(LIST, { type: 'answer', stage: 'before', status: 200, body: older })
    say(EXPIRED)
  })

  it('there are no endless writes', () => patchesEnd(here.proxy))
})

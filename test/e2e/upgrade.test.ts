import { expect } from 'chai'
import type { StatusRecord } from '../../src/domain/records/record.ts'
import { REQUEST_ANNOTATION } from '../../src/domain/requests/annotation.ts'
import type { Kind } from '../../src/domain/workload/workload.ts'
import { describeOnWith } from '../support/clusters.ts'
import { Dormouse } from '../support/dormouse.ts'
import { enforced } from '../support/enforced.ts'
import { eventually } from '../support/eventually.ts'
import { formerCommit, formerRelease, type FormerRelease } from '../support/former-release.ts'
import { manifest } from '../support/manifests.ts'
import { asleepNow, awakeNow } from '../support/schedules.ts'
import { marksOf } from './agreement.ts'

const COUNT = 3
/** States, each with its causes: a schedule, and requests one after the other. */
const SHAPES: readonly [name: string, kind: Kind, schedule: string | undefined, ...requests: string[]][] = [
  ['awake', 'deployments', awakeNow()],
  ['asleep', 'deployments', asleepNow()],
  ['snoozed-for', 'deployments', awakeNow(), 'POST snooze?for=3h'],
  ['held', 'deployments', asleepNow(), 'POST wake'],
  ['pinned-asleep', 'deployments', undefined, 'POST snooze', 'POST pin'],
  ['pinned-awake', 'deployments', awakeNow(), 'POST pin'],
  ['overridden', 'deployments', undefined, 'POST snooze', 'POST override'],
  ['disabled', 'deployments', undefined, 'POST snooze', 'POST disable'],
  ['stateful', 'statefulsets', asleepNow()],
  ['agent', 'daemonsets', undefined, 'POST snooze'],
  ['report', 'cronjobs', asleepNow()],
]

/**
 * The fields that must be the same on both: not the reason, which may change, nor fields that only time changes, nor
 * new fields.
 */
function lasting({ reason: _r, next_transition: _n, backoff_until: _b, ...record }: StatusRecord) {
  const {
    operation_history,
    ready_replicas: _p,
    recent_operations: _o,
    operation_in_progress: _i,
    reason_code: _c,
    reason_values: _v,
    remedy: _e,
    phase: _s,
    held_by: _h,
    waits_for: _w,
    policy,
    ...rest
  } = record
  return {
    ...rest,
    // A later release has more settings, which nobody set.
    policy: Object.entries(policy).filter(([, { source }]) => source !== null && source !== 'default'),
    history: operation_history.map(({ type, trigger, timestamp, by, replicas }) =>
      [type, trigger, timestamp, by, replicas].join(),
    ),
  }
}

describeOnWith(formerCommit, 'the former release and this one, on one Lease,', function (on, commit) {
  this.timeout(240_000)
  let former: FormerRelease | undefined
  let old: Dormouse | undefined
  // Before the webhook is withdrawn, which a leader would bring back.
  after(async () => {
    await old?.stop()
    await former?.remove()
  })
  const here = enforced(on, { settings: { backoff: { maxOperations: 19 } } })
  let oldPort = 0

  before('the former release leads', async () => {
    former = await formerRelease(commit)
    const { settings, port } = await here.another()
    oldPort = port
    old = await Dormouse.start(on(), settings, undefined, former.main)
    await handedTo(old, oldPort, here.dormouse)
  })

  /** The next one joins, and then the one that leads stops; resolves once the next leads and its webhook is asked. */
  async function handedTo(next: Dormouse, port: number, leader: Dormouse): Promise<void> {
    if (!next.isRunning) await next.start()
    const since = next.log.length
    here.balancer.to([port])
    await leader.terminate()
    await eventually(
      'the next one to lead',
      () => next.log.slice(since).some(({ msg }) => msg === 'this replica leads'),
      { timeout: 30_000 },
    )
    await here.inForce()
  }

  const records = async (by: Dormouse) =>
    Object.fromEntries(
      await Promise.all(
        SHAPES.map(async ([name, kind]) => {
          const answer = await by.api.workload(kind, here.namespace, name).attempt('GET', '')
          expect(answer.status, `${name}: ${answer.text}`).to.equal(200)
          return [name, lasting(answer.body.data)] as const
        }),
      ),
    )
  const marks = async () =>
    Object.fromEntries(
      await Promise.all(
        SHAPES.map(async ([name, kind]) => {
          const { replicas, label, state } = marksOf(await here.get(kind, name))
          return [
            name,
            {
              replicas,
              label,
              asleep: state?.asleep,
              pin: state?.pin,
              override: state?.override,
              intent: state?.intent,
              kept: state?.snoozed?.replicas,
            },
          ] as const
        }),
      ),
    )

  it('forward: all that the former one wrote is read, kept, and acted on', async () => {
    const by = old ?? expect.fail('the former release does not run')
    for (const [name, kind, schedule, ...requests] of SHAPES) {
      await here.cluster.create(here.namespace, [manifest(kind, name, { replicas: COUNT })])
      await here.settled(kind, name)
      const workload = by.api.workload(kind, here.namespace, name)
      await workload.enable(schedule === undefined ? undefined : { schedule })
      for (const request of requests) {
        const [method = '', action = ''] = request.split(' ')
        const { status, text } = await workload.attempt(method as 'POST', action)
        expect(status, `${name} ${request}: ${text}`).to.equal(200)
      }
      await here.settled(kind, name)
    }
    await eventually('all operations to have ended', async () => {
      const all = await Promise.all(
        SHAPES.map(([name, kind]) => by.api.workload(kind, here.namespace, name).status()),
      )
      return all.every((each) => !each.operation_in_progress)
    })
    const [before, written] = [await records(by), await marks()]
    await here.dormouse.start()
    expect(await records(here.dormouse), 'read by both').to.deep.equal(before)
    await handedTo(here.dormouse, here.port, by)
    await eventually('the new leader to rest', async () =>
      (await here.dormouse.metrics()).some(
        ({ name, value }) => name === 'dormouse_queue_depth' && value === 0,
      ),
    )
    expect(await records(here.dormouse)).to.deep.equal(before)
    expect(await marks()).to.deep.equal(written)
  })

  it('and back: all that this one wrote is read by the former one, kept, and acted on', async () => {
    const by = old ?? expect.fail('the former release does not run')
    const ask = (kind: Kind, name: string, request: string) =>
      here.kubectl('annotate', kind, name, '--overwrite', `${REQUEST_ANNOTATION}=${request}`)
    await ask('deployments', 'asleep', 'wake 4h')
    await ask('deployments', 'awake', 'snooze 4h')
    await ask('deployments', 'pinned-asleep', 'unpin')
    await ask('deployments', 'held', 'pin')
    await ask('statefulsets', 'stateful', 'override 2h')
    await ask('daemonsets', 'agent', 'wake')
    await ask('cronjobs', 'report', 'wake 1h')
    await here.workload('deployments', 'disabled').enable({ schedule: asleepNow() })
    await here.kubectl('scale', 'deployment', 'snoozed-for', '--replicas=1')
    for (const [name, kind] of SHAPES) await here.settled(kind, name)
    await eventually('all operations to have ended', async () => {
      const all = await Promise.all(SHAPES.map(([name, kind]) => here.workload(kind, name).status()))
      return (
        all.every((each) => !each.operation_in_progress) &&
        all.every((each) => each.name !== 'report' || !each.is_snoozed)
      )
    })
    const [before, written] = [await records(here.dormouse), await marks()]
    await by.start()
    await handedTo(by, oldPort, here.dormouse)
    expect(await records(by)).to.deep.equal(before)
    expect(await marks()).to.deep.equal(written)
    // It goes on without losing counts, except one still kept after a manual wake to fewer.
    for (const name of ['asleep', 'awake', 'pinned-asleep', 'disabled']) {
      await by.api.workload('deployments', here.namespace, name).wake('?force=true')
      expect((await here.get('deployments', name)).spec.replicas, name).to.equal(COUNT)
    }
  })
})

import { planStep } from '../../../src/domain/deciding/operation.ts'
import { Inheritance } from '../../../src/domain/policy/inheritance.ts'
import { ScheduleCompiler } from '../../../src/domain/schedule/schedule.ts'
import { encodeState, Unreadable } from '../../../src/domain/workload/state-codec.ts'
import { without, type State } from '../../../src/domain/workload/state.ts'
import { isRunning, podsFollowed, type BuiltInKind } from '../../../src/domain/workload/workload.ts'
import { readWorkload } from '../../../src/domain/workload/reading.ts'
import { Refusal } from '../../../src/service/process/errors.ts'
import { aNamespace } from '../../domain/policy/inheriting.ts'
import { settled } from '../../support/fake-time.ts'
import { at, calendarsOf, HOUR, MINUTE } from '../../support/rules.ts'
import { BY_KIND, type AWorkload } from '../../support/workloads.ts'
import type { Event, Happening } from './any-events.ts'
import { aRig } from './rig.ts'

const CALENDARS = { de: { '2026-03-04': '', '2026-03-05': '16:00-17:30', '2027-03-04': '' }, none: {} }

/** A namespace and its controller, to which anything happens; writes are not limited, so that no loop is hidden. */
export class EventfulShop {
  readonly #rig = aRig(at('Wed 16:58'), { writesPerWorkload: 1_000_000, concurrency: 3 })
  readonly #all: readonly AWorkload[]
  readonly #following: readonly AWorkload[]
  #namespace: ReturnType<typeof aNamespace>
  #release = () => {}
  #isOut = false
  #isLate = false

  constructor({ workloads, namespace }: Happening) {
    const { rules, cluster } = this.#rig
    const compiler = new ScheduleCompiler(100, calendarsOf(CALENDARS))
    rules.compile = (text, zone, calendar) => compiler.compile(text, zone, calendar)
    const inheritance = new Inheritance([])
    this.#namespace = aNamespace({ annotations: namespace })
    rules.inherited = (workload) =>
      this.#namespace.deleting ? undefined : inheritance.of(this.#namespace).by(workload)
    this.#all = workloads.map(({ kind, replicas, settings }, place) => {
      const made = BY_KIND[kind](`shop/w${place}`).withReplicas(countOf(kind, replicas))
      return Object.keys(settings).length === 0 ? made : made.annotated(settings)
    })
    this.#following = this.#all.filter((_, place) => workloads[place]?.follows)
    for (const workload of this.#all) cluster.put(workload)
  }

  get workloads(): number {
    return this.#all.length
  }

  get writes(): number {
    return this.#rig.cluster.sent
  }

  /** Whether writes are refused, and so tried again and again. */
  get refuses(): boolean {
    return this.#rig.cluster.answer !== undefined
  }

  start(): Promise<void> {
    return this.#rig.start()
  }

  stop(): Promise<void> {
    return this.#rig.controller.stop()
  }

  async pass(milliseconds: number): Promise<void> {
    const { cluster, time } = this.#rig
    await time.pass(milliseconds)
    for (let round = 0; round < 2; round++) {
      for (const each of this.#following) if (!podsFollowed(cluster.live(each))) cluster.podsFollow(each)
      await settled()
    }
  }

  /** Writes are answered, and watches tell what there is. */
  async calm(): Promise<void> {
    const { cluster } = this.#rig
    this.#letGo()
    if (this.#isLate) cluster.watch.mend()
    if (this.#isOut) cluster.returns()
    cluster.up()
    await settled()
  }

  /** What the domain would write now, in words. */
  due(): string[] {
    const { cluster, time, rules } = this.#rig
    return this.#all.flatMap((each) => {
      const { decision, change } = planStep(cluster.live(each), time.clock(), rules)
      return change ? [`${each.kind} ${each.name}: ${decision.action}, ${decision.reason.text}`] : []
    })
  }

  async happens(event: Event): Promise<void> {
    const { cluster, time, controller } = this.#rig
    const who = this.#all[event.who % this.#all.length]!
    const live = cluster.live(who)
    switch (event.type) {
      case 'pass':
        return this.pass(event.by)
      case 'jump':
        return time.jump(event.by)
      case 'blip':
        return this.#blip(who, event)
      case 'follow':
        return cluster.podsFollow(who)
      case 'touch':
        return cluster.put(live.labelled({ ...live.labels, touched: String(this.writes) }))
      case 'annotate':
        return cluster.put(live.annotated(event.settings))
      case 'namespace':
        this.#namespace = aNamespace({ annotations: event.settings, deleting: event.deleting })
        return cluster.inputsChanged(cluster.list('shop'))
      case 'scale':
        return cluster.put(scaled(live, event))
      case 'answers':
        cluster.answer = event.code && (() => new Refusal(event.code!, 'no'))
        return
      case 'outage':
        if (event.on !== this.#isOut) event.on ? cluster.goes() : cluster.returns()
        this.#isOut = event.on
        return
      case 'lag':
        if (event.on !== this.#isLate) event.on ? cluster.watch.cut() : cluster.watch.mend()
        this.#isLate = event.on
        return
      case 'hold':
        this.#letGo()
        if (event.on) this.#release = cluster.hold()
        return
      case 'restart':
        this.#letGo()
        await controller.stop()
        return controller.start()
      case 'request': {
        const asked = this.#asked(live, event)
        if (asked) cluster.put(asked)
      }
    }
  }

  async #blip(who: AWorkload, event: Extract<Event, { type: 'blip' }>): Promise<void> {
    const { cluster, time } = this.#rig
    this.#letGo()
    if (event.holds) this.#release = cluster.hold()
    time.jump(event.by)
    if (event.touches) await this.happens({ ...event, type: 'touch' })
    await time.pass(event.lasts)
    if (event.follows) cluster.podsFollow(who)
    await settled()
    time.jump(-event.by)
    this.#letGo()
  }

  #letGo(): void {
    this.#release()
    this.#release = () => {}
    this.#rig.cluster.delay = () => Promise.resolve()
  }

  /** As the API of another replica writes it. */
  #asked(live: AWorkload, { what, for: limit }: Extract<Event, { type: 'request' }>): AWorkload | undefined {
    const { time, rules } = this.#rig
    const now = time.clock()
    const read = readWorkload(live, rules)
    if (read instanceof Unreadable) return undefined
    const { asleep, pin, override } = read.state
    const by = {
      at: now,
      trigger: 'api' as const,
      by: 'k8s:alice',
      ...(limit === undefined ? {} : { for: limit }),
    }
    switch (what) {
      case 'snooze':
        return asleep ? undefined : live.snoozed(by)
      case 'wake':
        return asleep ? live.woken({ ...by, hold: 12 * HOUR }) : undefined
      case 'pin':
        return !pin && isRunning(live) !== asleep ? live.pinned(now) : undefined
      case 'unpin':
        return pin && cleared(live, read.state, 'pin')
      case 'override':
        return live.overridden(limit === undefined ? null : now + limit)
      case 'resume':
        return override && cleared(live, read.state, 'override')
      case 'backoff':
        return live.inBackoff(now + HOUR)
      case 'refused':
        return live.inBackoff(now + 10 * MINUTE, 'failure')
    }
  }
}

function countOf(kind: BuiltInKind, replicas: number): number {
  return kind === 'cronjobs' ? Math.min(1, replicas) : replicas
}

function scaled(live: AWorkload, { to, how }: Extract<Event, { type: 'scale' }>): AWorkload {
  if (live.kind === 'daemonsets') return live.withoutItsKey()
  const replicas = countOf(live.kind as BuiltInKind, to)
  if (how === 'edit') return live.editedTo(replicas)
  return live.scaledByHand(replicas, how === 'hand' ? 'kubectl' : 'kube-controller-manager')
}

function cleared(live: AWorkload, state: State, name: 'pin' | 'override'): AWorkload {
  const { kind } = live
  return live.annotated(encodeState({ ...without(state, name), kind, counter: state.counter + 1 }))
}

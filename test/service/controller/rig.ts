import { SCALED_OBJECTS } from '../../../src/domain/autoscaling/scaled-object.ts'
import type { Instant, Later } from '../../../src/process/clock.ts'
import { Controller } from '../../../src/service/controller/controller.ts'
import type { Namespaces, Pace } from '../../../src/kubernetes/ports.ts'
import type { ControllerPorts } from '../../../src/service/controller/ports.ts'
import { followInputs } from '../../../src/wiring/inputs.ts'
import { Evaluations } from '../../../src/service/evaluating/evaluations.ts'
import { OrderWaits } from '../../../src/service/evaluating/order-waits.ts'
import type { Workload, WorkloadKey } from '../../../src/domain/workload/workload.ts'
import { planStep } from '../../../src/domain/deciding/operation.ts'
import type { Rules } from '../../../src/domain/deciding/rules.ts'
import { createLogger } from '../../../src/process/logger.ts'
import { at, rulesWith } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { FakeKeda } from '../../support/fake-keda.ts'
import { FakeCluster } from '../../support/fake-cluster.ts'
import { FakeTime, settled } from '../../support/fake-time.ts'
import { WriteGate } from '../../../src/kubernetes/write-gate.ts'
import { Told } from './told.ts'

/** There is always room for a write. */
export const UNPACED: Pace = { isSlow: () => false, hasRoom: () => true, onRoom: () => {} }

/** Awake by its hours since Monday's edge: `shop/web`, 3 replicas. */
export const web = aDeployment()
  .withReplicas(3)
  .enabled()
  .scheduled('8:00-18:00,Mon-Fri')
  .woken({ at: at('Mon 8:00'), trigger: 'schedule' })

export interface Options {
  readonly concurrency?: number
  readonly writesPerWorkload?: number
  readonly plan?: typeof planStep
  /** The objects beside workloads; ScaledObjects unless specified otherwise. */
  readonly keda?: FakeKeda
}

/** A controller over a time that is not real. `planned` counts plans, and `armed` its own timeouts. */
export function aControllerOver(
  time: FakeTime,
  ports: Pick<ControllerPorts, 'workloads' | 'namespaces' | 'writer' | 'pace' | 'pausing'> & {
    readonly workloads: { inputsChanged(keys: Iterable<WorkloadKey>): void }
  },
  { concurrency = 4, writesPerWorkload = 20, plan = planStep }: Options,
) {
  const rules: { -readonly [K in keyof Rules]: Rules[K] } = rulesWith()
  const told = new Told()
  const logged: Record<string, unknown>[] = []
  const logger = createLogger('info', {
    write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>),
  })
  const { clock, monotonic } = time
  const armed = new Set<() => void>()
  const later: Later = (callback, milliseconds) => {
    armed.add(callback)
    const disarm = time.later(() => {
      armed.delete(callback)
      callback()
    }, milliseconds)
    return () => {
      armed.delete(callback)
      disarm()
    }
  }
  let plans = 0
  const counting: typeof planStep = (...planned) => {
    plans++
    return plan(...planned)
  }
  const { workloads } = ports
  const due = (keys: Iterable<WorkloadKey>) => workloads.inputsChanged(keys)
  const evaluations = new Evaluations({ workloads, rules, clock, later: time.later, plan: counting, due })
  workloads.onChange((before, after) => {
    try {
      evaluations.changed(before, after)
    } catch {
      // The informer logs errors of listeners.
    }
  })
  const controller = new Controller(
    { ...ports, evaluations, recorder: told, observer: told, clock, monotonic, logger, later },
    rules,
    {
      concurrency,
      writesPerWorkload,
      excludeNamespaces: new Set(['kube-system']),
    },
  )
  return { rules, evaluations, told, logged, controller, planned: () => plans, armed: () => armed.size }
}

/** A controller over a cluster and a time that are not real. */
export function aRig(now: Instant, options: Options = {}) {
  const time = new FakeTime(now)
  const cluster = new FakeCluster(time)
  const namespaces: Namespaces = {
    list: () => cluster.namespaces,
    onChange: (listener) => cluster.onNamespaceChange(listener),
  }
  const ports = { workloads: cluster, namespaces, writer: cluster, pace: UNPACED }
  const { keda = new FakeKeda() } = options
  const pausing = { companions: keda, pauser: keda }
  const rig = aControllerOver(time, { ...ports, pausing }, options)
  rig.rules.scaledObjects = (workload) => keda.beside(workload).filter(({ row }) => row === SCALED_OBJECTS)
  const calendarListeners: ((names: ReadonlySet<string>) => void)[] = []
  const calendars = {
    onChange: (listener: (typeof calendarListeners)[0]) => void calendarListeners.push(listener),
  }
  const retold = () => {
    for (const namespace of cluster.namespaces) cluster.namespaceChanged(namespace, namespace)
  }
  followInputs({
    informer: cluster,
    namespaces: { ...namespaces, inputsChanged: retold },
    calendars,
    release: { onChange: () => {} },
    companions: keda,
    rules: rig.rules,
    teamLabel: null,
  })
  const calendarsChanged = (...names: string[]) => {
    for (const listener of calendarListeners) listener(new Set(names))
  }
  const { evaluations } = rig
  const { clock } = time
  const released = (keys: readonly WorkloadKey[]) => cluster.inputsChanged(keys)
  const waits = new OrderWaits({ workloads: cluster, evaluations, clock, released }, 120_000)
  rig.rules.waitOf = (...decided) => waits.of(...decided)
  cluster.onChange((before, after) => waits.changed(before, after))
  const start = async () => {
    await rig.controller.start()
    await settled()
  }
  /** `snooze shop/web`, in the order in which they went through. */
  const moves = () =>
    cluster.patches
      .filter(({ change }) => change.replicas !== undefined || change.snoozeKey !== undefined)
      .map(({ key, change }) => {
        const asleep = change.replicas === 0 || typeof change.snoozeKey === 'string'
        return `${asleep ? 'snooze' : 'wake'} ${key.slice(key.indexOf('/') + 1)}`
      })
  return { time, cluster, keda, ...rig, start, moves, calendarsChanged, waits }
}

/** The same, started over these workloads. */
export async function aStarted(now: Instant, ...workloads: Workload[]) {
  const rig = aRig(now)
  for (const workload of workloads) rig.cluster.put(workload)
  await rig.start()
  return rig
}

/** A controller whose writes go through the real gate, over a cluster whose requests and answers may take time. */
export function aLaggingRig(now: Instant, options: Options = {}) {
  const time = new FakeTime(now)
  const { clock, later, monotonic } = time
  const gate = new WriteGate({ now: monotonic })
  const cluster = new FakeCluster({ clock, later, gate })
  const ports = { workloads: cluster, writer: cluster, pace: gate }
  return { time, cluster, ...aControllerOver(time, ports, options) }
}

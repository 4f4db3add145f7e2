import type { Instant } from '../../src/clock.ts'
import { Controller } from '../../src/controller/controller.ts'
import type { Rules } from '../../src/domain/rules.ts'
import { createLogger } from '../../src/logger.ts'
import { rulesWith } from '../support/rules.ts'
import { UNPACED } from './a-queue.ts'
import { FakeCluster } from '../support/fake-cluster.ts'
import { FakeTime, settled } from '../support/fake-time.ts'
import { Told } from './told.ts'

interface Options {
  readonly concurrency?: number
  readonly writesPerWorkload?: number
}

/** A controller over a cluster and a time that are not real. */
export function aRig(now: Instant, options: Options = {}) {
  const { concurrency = 4, writesPerWorkload = 20 } = options
  const rules: { -readonly [K in keyof Rules]: Rules[K] } = rulesWith()
  const time = new FakeTime(now)
  const cluster = new FakeCluster()
  const told = new Told()
  const logged: Record<string, unknown>[] = []
  const logger = createLogger('info', {
    write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>),
  })
  const { clock, monotonic, later } = time
  let plans = 0
  const scalings = {
    scaledBy: () => {
      plans++
      return undefined
    },
  }
  const controller = new Controller(
    {
      workloads: cluster,
      writer: cluster,
      pace: UNPACED,
      scalings,
      recorder: told,
      observer: told,
      clock,
      monotonic,
      logger,
      later,
    },
    rules,
    { concurrency, writesPerWorkload, excludeNamespaces: new Set(['kube-system']) },
  )
  const start = async () => {
    await controller.start()
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
  /** How many times a workload was planned; each plan asks once who scaled it. */
  const planned = () => plans
  return { rules, time, cluster, told, logged, controller, start, moves, planned }
}

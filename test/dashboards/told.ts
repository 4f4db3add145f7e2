import { Metrics } from '../../src/service/metrics/metrics.ts'
import { ProcessMetrics } from '../../src/service/metrics/process-metrics.ts'
import { NOW } from '../service/metrics/workload.ts'
import { evaluationsOf } from '../support/evaluations.ts'
import { RULES } from '../support/rules.ts'

/** Every metric of an instance that leads, with its type. */
export async function typesOfMetrics(): Promise<Map<string, string>> {
  const metrics = new Metrics(new ProcessMetrics(), {
    evaluations: evaluationsOf(RULES, () => NOW),
    rules: RULES,
    clock: () => NOW,
    perWorkload: true,
    prices: { currency: 'EUR', cpu: 1, memory: 1 },
  })
  metrics.registry.followNode()
  metrics.lead(true)
  const types = (await metrics.registry.exposition()).matchAll(/^# TYPE (\S+) (\S+)/gm)
  return new Map(Array.from(types, ([, name = '', type = '']) => [name, type]))
}

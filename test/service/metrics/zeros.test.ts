import { expect } from 'chai'
import fc from 'fast-check'
import { FINAL_RESULTS } from '../../../src/domain/workload/state.ts'
import { OPERATION_TYPES, triggersOf } from '../../../src/domain/workload/trigger.ts'
import { KINDS } from '../../../src/domain/workload/workload.ts'
import { readWorkload } from '../../../src/domain/workload/reading.ts'
import { Unreadable } from '../../../src/domain/workload/state-codec.ts'
import { planStep } from '../../../src/domain/deciding/operation.ts'
import { keyringOf, rulesBy } from '../../support/signed.ts'
import { Metrics } from '../../../src/service/metrics/metrics.ts'
import { ProcessMetrics } from '../../../src/service/metrics/process-metrics.ts'
import { updated } from '../../domain/admission/updates.ts'
import { ModelCluster } from '../../domain/model.ts'
import { People, upTo } from '../../domain/people.ts'
import { parseMetrics } from '../../support/metrics-text.ts'
import { decoded } from '../../support/readable.ts'
import { at, RULES } from '../../support/rules.ts'
import { aDeployment } from '../../support/workloads.ts'
import { evaluationsOf } from '../../support/evaluations.ts'

const OPERATIONS = 'dormouse_operations_total'
/** For a StatefulSet: no schedule puts it to sleep, and if found running it is left so. */
const LOSES_VOLUMES = { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } }

function aLeader(): Metrics {
  const metrics = new Metrics(new ProcessMetrics(), {
    evaluations: evaluationsOf(RULES, () => 0),
    rules: RULES,
    clock: () => 0,
    perWorkload: false,
  })
  metrics.lead(true)
  return metrics
}

/** The series of a metric, as texts that can be compared. */
async function seriesOf(metrics: Metrics, metric: string): Promise<string[]> {
  const samples = parseMetrics(await metrics.registry.exposition()).filter(({ name }) => name === metric)
  return samples.map(({ labels }) => JSON.stringify(labels))
}

/** The counters whose labels have a closed set of values, each with all the increments that there are. */
const CLOSED: Record<string, (metrics: Metrics) => void> = {
  [OPERATIONS]({ controller }) {
    for (const kind of KINDS)
      for (const type of OPERATION_TYPES)
        for (const trigger of triggersOf(type))
          for (const result of FINAL_RESULTS) controller.operation(type, trigger, kind, result)
  },
  dormouse_operation_duration_seconds_count({ controller }) {
    for (const kind of KINDS) for (const type of OPERATION_TYPES) controller.operationDuration(type, kind, 1)
  },
  dormouse_writes_withheld_total({ controller }) {
    for (const kind of KINDS) controller.writeWithheld(kind)
  },
  dormouse_handler_failures_total({ controller, registry }) {
    controller.decidingFailed()
    registry.kubernetes.listenerFailed()
  },
  dormouse_events_dropped_total: ({ registry }) => registry.kubernetes.eventDropped(),
}

const SIGNING = rulesBy(keyringOf())

describe('counters that begin at 0', () => {
  for (const [metric, happen] of Object.entries(CLOSED)) {
    it(`have a 0 for each series that is ever incremented, and no other: ${metric}`, async () => {
      const metrics = aLeader()
      const zeros = await seriesOf(metrics, metric)
      happen(metrics)
      expect(zeros).to.have.length.above(0)
      expect(await seriesOf(metrics, metric)).to.have.members(zeros)
      const counted = parseMetrics(await metrics.registry.exposition()).filter(({ name }) => name === metric)
      expect(counted.filter(({ value }) => value === 0)).to.deep.equal([])
    })
  }

  it('are of the types and triggers that operations have, whatever people and schedules do', async () => {
    const metrics = aLeader()
    const zeros = parseMetrics(await metrics.registry.exposition()).filter(({ name }) => name === OPERATIONS)
    const counted = new Set(zeros.map(({ labels }) => `${labels['type']} by ${labels['trigger']}`))
    const seen = new Set<string>()
    const everything = fc.tuple(fc.constantFrom(...KINDS), upTo(25), fc.boolean())
    const property = fc.property(everything, ([kind, events, risky]) => {
      const cluster = new ModelCluster(kind, at('Mon 7:30'), RULES)
      cluster.annotate('enabled', 'true')
      cluster.annotate('schedule', '8:00-18:00,Mon-Fri')
      if (risky) cluster.edit(({ spec }) => Object.assign(spec, LOSES_VOLUMES))
      cluster.settle()
      const people = new People(cluster)
      for (const event of events) {
        people.do(event)
        const reading = readWorkload(cluster.workload, RULES)
        if (reading instanceof Unreadable) continue
        for (const { type, trigger } of reading.state.history) seen.add(`${type} by ${trigger}`)
      }
      // Nothing of this was signed: the next leader has the keys.
      const [first] = planStep(cluster.workload, cluster.now, SIGNING).target?.state.history ?? []
      if (first) seen.add(`${first.type} by ${first.trigger}`)
    })
    fc.assert(property, { numRuns: 1500, seed: 3 })
    // Only the webhook sees a deploy.
    const sleeper = aDeployment()
      .enabled()
      .annotated({ deployWakes: 'true' })
      .snoozed({ at: at('Mon 7:00') })
    const { result } = updated(sleeper, sleeper.withReplicas(2), {
      otherChanges: true,
      changesTemplate: true,
    })
    for (const { type, trigger } of decoded(result.annotations).history) seen.add(`${type} by ${trigger}`)
    expect([...seen], 'what EVENT of test/domain/people.ts brings about').to.have.members([...counted])
  }).timeout(180_000)
})

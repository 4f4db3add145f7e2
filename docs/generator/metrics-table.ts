import { Registry, type Metric } from 'prom-client'
import { Metrics } from '../../src/service/metrics/metrics.ts'
import { ProcessMetrics } from '../../src/service/metrics/process-metrics.ts'
import { WakerMetrics } from '../../src/wiring/waker-metrics.ts'
import { code, table } from './page.ts'

/** Every metric of Dormouse's own, with its labels, and the replicas that export it. */
export async function metricsTable(): Promise<string> {
  const { metrics, waker, registered } = watched()
  const ofEvery = namesIn(await metrics.registry.exposition())
  metrics.lead(true)
  const ofServers = namesIn(await metrics.registry.exposition())
  const ofWakers = namesIn(await waker.exposition()).filter((name) => !ofServers.includes(name))
  const all = [...ofServers, ...ofWakers]
  const rows = all.map((name) => {
    const { help, labelNames, type } = registered.find((metric) => metric.name === name) ?? {}
    const labels = (labelNames ?? []).map(code).join(' ')
    const exporter = ofEvery.includes(name) ? '' : ofWakers.includes(name) ? '_waker_' : '_leader_'
    return [code(name), String(type), labels, exporter, String(help)]
  })
  return table(['Metric', 'Type', 'Labels', '', 'Meaning'], rows)
}

interface Registered {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly labelNames: readonly string[]
}

type Register = (this: Registry, metric: Metric) => void

/** prom-client lists labels only for counted series, so metrics are recorded as they register. */
function watched() {
  const registered: Registered[] = []
  const register: Register = Reflect.get(Registry.prototype, 'registerMetric')
  Registry.prototype.registerMetric = function (metric: Metric) {
    registered.push(metric as unknown as Registered)
    register.call(this, metric)
  }
  try {
    const rules = {
      policy: POLICY,
      compile: () => never(),
      inherited: () => undefined,
      inheritsSame: () => true,
    }
    const metrics = new Metrics(new ProcessMetrics(), {
      evaluations: { of: never, reading: never },
      rules,
      clock: () => 0,
      perWorkload: true,
      prices: { currency: 'EUR', cpu: 1, memory: 1 },
    })
    const waker = new ProcessMetrics()
    const ofWaker = new WakerMetrics(waker.own, () => 0)
    return { metrics, waker, ofWaker, registered }
  } finally {
    Registry.prototype.registerMetric = register
  }
}

const POLICY = {
  timezone: 'UTC',
  operationTimeout: 0,
  newWorkloadGrace: 0,
  wakeHold: null,
  backoff: { maxOperations: 1, window: 0, base: 0, max: 0 },
}

function never(): never {
  throw new TypeError('there is no workload to compile a schedule of')
}

function namesIn(exposition: string): string[] {
  return Array.from(exposition.matchAll(/^# TYPE (\S+)/gm), ([, name = '']) => name)
}

import { MetricsServer, type Readiness } from '../../service/metrics/metrics-server.ts'
import type { Process } from './process.ts'

/** The server of metrics, health and readiness; each process says by `ready` whether it can do its work. */
export function healthServer({ config, registry, logger }: Process, ready: () => Readiness): MetricsServer {
  const { api, metrics } = config
  return new MetricsServer({ host: api.host, port: metrics.port, metrics: registry, ready, logger })
}

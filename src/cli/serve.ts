import { flushCompileCache } from 'node:module'
import type { Command } from 'commander'
import { ZONE_DATA } from '../process/zone-data.ts'
import { UsageError } from '../process/errors.ts'
import { runUntilStopped } from '../process/lifecycle.ts'
import { createLogger } from '../process/logger.ts'
import { KUBECONFIG } from './on-cluster.ts'
import type { CliPorts } from './program.ts'
import { configOf, namingPorts, portSettings, runOptions, type RunOptions } from './run-options.ts'

/** `dormouse serve`: runs over a cluster until a signal ends it. */
export function registerServe(program: Command, ports: CliPorts): void {
  const { stdout, clock, ownNamespace, logDestination } = ports
  const command = program
    .command('serve')
    .description('Run over a cluster: the in-cluster account, or a kubeconfig')
    .option(...KUBECONFIG)
  runOptions(command).action(async (options: RunOptions & { kubeconfig?: string }) => {
    const config = await configOf(options, ports)
    const { kubeconfig } = options
    // Imported late: commands that need no cluster start in a third of the time without it.
    const { Service } = await import('../wiring/service.ts')
    const own = kubeconfig === undefined ? ownNamespace : undefined
    const { enabled, url, certificates } = config.webhook
    const https = own !== undefined || url !== null || certificates.mode !== 'self-signed'
    const logger = createLogger(config.log.level, logDestination)
    logger.info({ version: program.version(), node: process.version, zoneData: ZONE_DATA }, 'starting')
    const service = await Service.create({
      config,
      kubeconfig: { file: kubeconfig, environment: ports.environment },
      ownNamespace: own,
      version: program.version(),
      https,
      clock,
      logger,
    })
    // After the service was made of the kubeconfig: its faults are reported first.
    if (!https && config.api.insecurePort === null) throw new UsageError(NO_PORT)
    if (!enabled) logger.warn(SWITCHED_OFF)
    else if (own === undefined && url === null) logger.warn(NO_URL)
    const running = runUntilStopped([service], ports.stopSignal, () => {
      const { addresses, bound } = service
      logger.info(bound, 'ready')
      if (options.json) stdout.write(`${JSON.stringify(addresses)}\n`)
      // For the next start, should this process be killed. Does nothing unless NODE_COMPILE_CACHE names a folder.
      flushCompileCache()
    })
    await namingPorts(running, portSettings(config))
    logger.info('stopped')
  })
}

const NO_URL =
  'pins and overrides are not enforced: kubectl scale passes, and only pins are put right afterwards. ' +
  'Set webhook.url to where the API server reaches this process'

const SWITCHED_OFF =
  'pins and overrides are not enforced, since webhook.enabled is false: kubectl scale passes, and only pins are put ' +
  'right afterwards'

const NO_PORT =
  'outside a cluster there is nothing to listen on yet. For plain HTTP set a port by --api-port, ' +
  'DORMOUSE_API_INSECURE_PORT or api.insecurePort; for HTTPS and the webhook set webhook.url to where the API server ' +
  'reaches this process'

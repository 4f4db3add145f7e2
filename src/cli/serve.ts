import type { Command } from 'commander'
import { createLogger } from '../logger.ts'
import { UsageError, type CliPorts } from './program.ts'
import { runUntilStopped } from './run.ts'
import { configOf, runOptions, type RunOptions } from './run-options.ts'
import { Service } from './service.ts'

/** `dormouse serve`: runs over a cluster until a signal ends it. */
export function registerServe(program: Command, ports: CliPorts): void {
  const { stdout, clock, ownNamespace, logDestination } = ports
  const command = program
    .command('serve')
    .description('Run over a cluster: the in-cluster account, or a kubeconfig')
    .option('--kubeconfig <file>', 'default: KUBECONFIG, ~/.kube/config, then the in-cluster account')
  runOptions(command).action(async (options: RunOptions & { kubeconfig?: string }) => {
    const config = await configOf(options, ports)
    if (config.api.insecurePort === null) throw new UsageError(NO_PORT)
    const logger = createLogger(config.log.level, logDestination)
    const service = await Service.create({
      config,
      kubeconfig: options.kubeconfig,
      ownNamespace: options.kubeconfig === undefined ? ownNamespace : undefined,
      metricsHost: config.api.host,
      clock,
      logger,
    })
    await runUntilStopped([service], ports.stopSignal, () => {
      const { api, metrics } = service.addresses
      logger.info({ api, metrics }, 'ready')
      if (options.json) stdout.write(`${JSON.stringify({ api, metrics })}\n`)
    })
    logger.info('stopped')
  })
}

const NO_PORT =
  'api.insecurePort is not set. HTTPS comes with the webhook; until then give a port for plain HTTP, ' +
  'behind a mesh or an ingress that ends TLS: --api-port, DORMOUSE_API_INSECURE_PORT or the configuration'

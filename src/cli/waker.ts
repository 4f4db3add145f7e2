import type { Command } from 'commander'
import { runUntilStopped } from '../process/lifecycle.ts'
import { createLogger } from '../process/logger.ts'
import { KUBECONFIG } from './on-cluster.ts'
import type { CliPorts } from './program.ts'
import { configOf, namingPorts } from './run-options.ts'
import { port } from './options.ts'

interface WakerCommandOptions {
  readonly config?: string
  readonly kubeconfig?: string
  readonly metricsPort?: number
  readonly json?: true
}

/** `dormouse waker`: answers for Services that sleep until a signal ends it. */
export function registerWaker(program: Command, ports: CliPorts): void {
  const { stdout, clock, ownNamespace, logDestination, environment } = ports
  program
    .command('waker')
    .description('Answer connections to Services that sleep, and wake them: for many, beside serve')
    .option('--config <file>', 'YAML configuration')
    .option(...KUBECONFIG)
    .option('--metrics-port <port>', 'port of metrics and health; 0: a free one', port)
    .option('--json', 'print one line of JSON once ready, for scripts')
    .action(async ({ kubeconfig, json, ...options }: WakerCommandOptions) => {
      const config = await configOf(options, ports)
      // Imported late: commands that need no cluster start in a third of the time without it.
      const { WakerProcess } = await import('../wiring/waker.ts')
      const addresses = addressesIn(environment)
      const logger = createLogger(config.log.level, logDestination)
      logger.info({ version: program.version(), node: process.version, addresses }, 'starting')
      const waker = await WakerProcess.create({
        config,
        kubeconfig: { file: kubeconfig, environment },
        ownNamespace: kubeconfig === undefined ? ownNamespace : undefined,
        addresses,
        clock,
        logger,
      })
      if (addresses.length === 0) logger.warn(NO_ADDRESSES)
      const running = runUntilStopped([waker], ports.stopSignal, () => {
        logger.info({ ...waker.addresses, ports: config.waker.ports }, 'listening')
        if (json) stdout.write(`${JSON.stringify(waker.addresses)}\n`)
      })
      await namingPorts(running, [{ port: config.metrics.port, setBy: '--metrics-port (metrics.port)' }])
      logger.info('stopped')
    })
}

/** The addresses of this pod, as the downward API tells them. */
function addressesIn({ POD_IP: one = '', POD_IPS: all = one }: CliPorts['environment']): string[] {
  return [...new Set([one, ...all.split(',')])].map((each) => each.trim()).filter((each) => each !== '')
}

const NO_ADDRESSES =
  'POD_IP is not set, so it is not known which slices name this waker: it will not wait for them when it stops'

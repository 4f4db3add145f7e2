import type { Command } from 'commander'
import { iso } from '../domain/text.ts'
import { createLogger, plainLines } from '../process/logger.ts'
import type { CliPorts } from './program.ts'
import { configOf } from './run-options.ts'

interface Options {
  readonly kubeconfig?: string
  readonly config?: string
}

/** `dormouse renew-key`: a new key signs the states of workloads. */
export function registerRenewKey(program: Command, ports: CliPorts): void {
  const { stdout, stderr, clock, stopSignal: stop } = ports
  program
    .command('renew-key')
    .description(
      'Add the next key by which states are signed; the leader signs all anew, and removes the former key',
    )
    .option('--kubeconfig <file>', 'default: KUBECONFIG, ~/.kube/config, then the in-cluster account')
    .option('--config <file>', 'YAML configuration')
    .action(async (options: Options) => {
      const { kubeconfig } = options
      const config = await configOf(options, ports)
      const { KeyRenewal } = await import('../wiring/key-renewal.ts')
      const renewal = new KeyRenewal({
        config,
        kubeconfig: { file: kubeconfig, environment: ports.environment },
        ownNamespace: kubeconfig === undefined ? ports.ownNamespace : undefined,
        clock,
        logger: createLogger('warn', plainLines(stderr)),
        stop,
      })
      try {
        stderr.write(`cluster ${renewal.cluster.name}\n`)
        const from = await renewal.renew()
        stdout.write(
          `The next key signs from ${iso(from)} on. The leader then signs each state again, and removes the former ` +
            'key once no workload names it: its log says so\n',
        )
      } finally {
        await renewal.cluster.close()
      }
    })
}

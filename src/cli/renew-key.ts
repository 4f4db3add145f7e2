import type { Command } from 'commander'
import { iso } from '../domain/text.ts'
import { actOn, KUBECONFIG, onCluster } from './on-cluster.ts'
import type { CliPorts } from './program.ts'
import { configOf } from './run-options.ts'

interface Options {
  readonly kubeconfig?: string
  readonly config?: string
}

/** `dormouse renew-key`: a new key signs the states of workloads. */
export function registerRenewKey(program: Command, ports: CliPorts): void {
  program
    .command('renew-key')
    .description(
      'Add the next key by which states are signed; the leader signs all anew, and removes the former key',
    )
    .option(...KUBECONFIG)
    .option('--config <file>', 'YAML configuration')
    .action(async (options: Options) => {
      const config = await configOf(options, ports)
      const { KeyRenewal } = await import('../wiring/key-renewal.ts')
      const renewal = new KeyRenewal(onCluster(config, options, ports))
      const from = await actOn(renewal.cluster, ports, () => renewal.renew())
      ports.stdout.write(
        `The next key signs from ${iso(from)} on. The leader then signs each state again, and removes the former ` +
          'key once no workload names it: its log says so\n',
      )
    })
}

import type { Config } from '../service/config/config.ts'
import { createLogger, plainLines } from '../process/logger.ts'
import type { CommandCluster, CommandOptions } from '../wiring/command-cluster.ts'
import type { CliPorts } from './program.ts'

/** The arguments of commander's `option`. */
export const KUBECONFIG = [
  '--kubeconfig <file>',
  'default: KUBECONFIG, ~/.kube/config, then the in-cluster account',
] as const

/** Options of a command that works on the cluster of the kubeconfig, and logs warnings for a person. */
export function onCluster(
  config: Config,
  { kubeconfig, context }: { readonly kubeconfig?: string; readonly context?: string },
  { clock, environment, ownNamespace, stderr, stopSignal: stop }: CliPorts,
): CommandOptions {
  return {
    config,
    kubeconfig: { file: kubeconfig, context, environment },
    ownNamespace: kubeconfig === undefined && context === undefined ? ownNamespace : undefined,
    clock,
    logger: createLogger('warn', plainLines(stderr)),
    stop,
  }
}

/** Says which cluster it is, acts on it, and closes it in any case. */
export async function actOn<T>(
  cluster: CommandCluster,
  { stderr }: Pick<CliPorts, 'stderr'>,
  act: () => Promise<T>,
): Promise<T> {
  try {
    stderr.write(`cluster ${cluster.name}\n`)
    return await act()
  } finally {
    await cluster.close()
  }
}

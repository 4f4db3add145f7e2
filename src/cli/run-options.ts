import type { Command } from 'commander'
import { loadConfig, type Config, type Setting } from '../service/config/config.ts'
import { readText } from '../process/named-file.ts'
import { port } from './options.ts'
import type { CliPorts } from './program.ts'

/** The options that `serve` and `sandbox` share. */
export interface RunOptions {
  readonly config?: string
  readonly json?: true
  readonly apiPort?: number
  readonly metricsPort?: number
  readonly webhookPort?: number
}

export function runOptions(command: Command): Command {
  return command
    .option('--config <file>', 'YAML configuration')
    .option('--api-port <port>', 'port of the API over plain HTTP (api.insecurePort); 0: a free one', port)
    .option('--metrics-port <port>', 'port of metrics and health; 0: a free one', port)
    .option('--webhook-port <port>', 'port of the webhook; 0: a free one', port)
    .option('--json', 'print one line of JSON once ready, for scripts')
}

/**
 * The configuration of file, environment and options together; `presets` replace defaults.
 * @throws InvalidConfig with every fault, UsageError when the file cannot be read
 */
export async function configOf(
  options: RunOptions,
  { environment }: Pick<CliPorts, 'environment'>,
  presets: readonly Setting[] = [],
): Promise<Config> {
  const settings: Setting[] = []
  const add = (path: string[], value: number | undefined, source: string) => {
    if (value !== undefined) settings.push({ path, value, source })
  }
  add(['api', 'insecurePort'], options.apiPort, '--api-port')
  add(['metrics', 'port'], options.metricsPort, '--metrics-port')
  add(['webhook', 'port'], options.webhookPort, '--webhook-port')
  return loadConfig({
    text: options.config === undefined ? undefined : await readText('--config', options.config),
    ...(options.config === undefined ? {} : { file: options.config }),
    environment,
    options: settings,
    presets,
  })
}

/** A port that the program listens on, and where a person sets it. */
interface PortSetting {
  readonly port: number | null
  /** `--api-port (api.insecurePort)`. */
  readonly setBy: string
}

export function portSettings({ api, webhook, metrics }: Config): PortSetting[] {
  return [
    { port: api.insecurePort, setBy: '--api-port (api.insecurePort)' },
    { port: api.port, setBy: 'api.port in the configuration' },
    { port: webhook.port, setBy: '--webhook-port (webhook.port)' },
    { port: metrics.port, setBy: '--metrics-port (metrics.port)' },
  ]
}

/**
 * Waits for `running`; `advice` is a command line that takes free ports at once.
 * @throws Error that names the setting of the port that cannot be listened on; any other failure as it is
 */
export async function namingPorts(
  running: Promise<void>,
  settings: readonly PortSetting[],
  advice?: string,
): Promise<void> {
  try {
    await running
  } catch (error) {
    const problem = listenProblem(error)
    if (problem === undefined) throw error
    const { address = '', port } = error as { address?: string; port?: number }
    const host = address.includes(':') ? `[${address}]` : address
    const setBy = settings.filter((each) => each.port === port).map((each) => each.setBy)
    const by = setBy.length > 0 ? ` by ${setBy.join(' or ')}` : ''
    const free = advice === undefined ? '' : `; free ones for all at once: ${advice}`
    const message = `${host}:${port} ${problem}: give another${by}; 0: a free one${free}`
    throw new Error(message, { cause: error })
  }
}

function listenProblem(error: unknown): string | undefined {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (syscall !== 'listen') return undefined
  if (code === 'EADDRINUSE') return 'is in use'
  return code === 'EACCES' ? 'is a port that this user may not listen on' : undefined
}

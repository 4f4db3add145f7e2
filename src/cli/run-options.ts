import { InvalidArgumentError, type Command } from 'commander'
import { loadConfig, type Config, type Setting } from '../config.ts'
import { readText } from '../service/files.ts'
import type { CliPorts } from './program.ts'

/** What `serve` and `sandbox` have in common. */
export interface RunOptions {
  readonly config?: string
  readonly json?: true
  readonly apiPort?: number
  readonly metricsPort?: number
  readonly webhookPort?: number
}

/** Adds the options that `serve` and `sandbox` share. */
export function runOptions(command: Command): Command {
  return command
    .option('--config <file>', 'YAML configuration')
    .option('--api-port <port>', 'port of the API over plain HTTP (api.insecurePort); 0: a free one', port)
    .option('--metrics-port <port>', 'port of metrics and health; 0: a free one', port)
    .option('--webhook-port <port>', 'port of the webhook; 0: a free one', port)
    .option('--json', 'print one line of JSON once ready, for scripts')
}

/**
 * The configuration of file, environment and options together; `presets` stand in for the defaults.
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

export function port(text: string): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN
  if (value <= 65_535) return value
  throw new InvalidArgumentError('Expected a port from 0 to 65535.')
}

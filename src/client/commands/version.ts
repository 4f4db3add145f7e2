import type { Command } from 'commander'
import { UsageError } from '../../process/errors.ts'
import { clusterOptions, connected, outputOption, withExamples, type OutputOptions } from '../options.ts'
import { serialized } from '../output.ts'
import type { Connection } from '../ports.ts'
import { printNotes } from '../style.ts'
import type { Terminal } from '../terminal.ts'

interface Options extends Connection, OutputOptions {
  readonly client?: true
}

/** Versions for programs; null: it does not tell. Without `service` and `place` for `--client`. */
interface Versions {
  readonly client: string | null
  readonly service?: string | null
  /** The place of the service: `cluster dev`. */
  readonly place?: string
}

/** `version`: of this program, and of the service as it publishes it. */
export function registerVersion(program: Command, terminal: Terminal): void {
  const command = program
    .command('version')
    .description('Show the versions of this program and of the service in the cluster')
    .option('--client', 'of this program alone')
  withExamples(command, terminal, '', '--client', '-o json')
  clusterOptions(outputOption(command)).action(async (options: Options) => {
    const client = program.version() ?? null
    const { output } = options
    if (output === 'wide' || output === 'name')
      throw new UsageError(`version: -o ${output} says nothing of versions: write -o json or -o yaml`)
    const print = async (versions: Versions) =>
      terminal.stdout.write(output === undefined ? textOf(versions) : await serialized(output, versions))
    if (options.client) return void (await print({ client }))
    await connected(terminal, options, async (dormouse) => {
      const service = (await dormouse.serviceVersion()) ?? null
      await print({ client, service, place: dormouse.place })
      printNotes(terminal, dormouse)
    })
  })
}

function textOf({ client, service, place }: Versions): string {
  const own = `client   ${client ?? 'unknown'}\n`
  return place === undefined ? own : `${own}service  ${service ?? 'unknown'} (${place})\n`
}

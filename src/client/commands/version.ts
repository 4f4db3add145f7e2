import type { Command } from 'commander'
import { clusterOptions, connected, withExamples } from '../options.ts'
import type { Connection } from '../ports.ts'
import type { Terminal } from '../terminal.ts'

/** `version`: of this program, and of the service as it publishes it. */
export function registerVersion(program: Command, terminal: Terminal): void {
  const command = program
    .command('version')
    .description('Show the versions of this program and of the service in the cluster')
    .option('--client', 'of this program alone')
  withExamples(command, terminal, '', '--client')
  clusterOptions(command).action(async ({ client, ...connection }: Connection & { client?: true }) => {
    terminal.stdout.write(`client   ${program.version() ?? 'unknown'}\n`)
    if (client) return
    await connected(terminal, connection, async (dormouse) => {
      const version = await dormouse.serviceVersion()
      terminal.stdout.write(`service  ${version ?? 'unknown'} (${dormouse.place})\n`)
      for (const note of dormouse.unknowns) terminal.stderr.write(`note: ${note}\n`)
    })
  })
}

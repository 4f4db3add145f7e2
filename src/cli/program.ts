import { Command, CommanderError } from 'commander'
import type { DestinationStream } from 'pino'
import type { Clock } from '../clock.ts'
import { InvalidConfig } from '../config.ts'
import { UsageError } from '../errors.ts'

/** What commands get of the world; main.ts alone has the real one. */
export interface CliPorts {
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
  readonly clock: Clock
  /** The machine's own, an IANA name. */
  readonly timezone: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Aborted when the process is asked to end. */
  readonly stopSignal: AbortSignal
  /** The namespace that we run in; undefined: outside a cluster. */
  readonly ownNamespace: string | undefined
  readonly logDestination: DestinationStream
}

/**
 * The program without commands; each file of this folder registers one, so that it inherits the settings:
 * `registerToken(program, ports)`.
 */
export function createProgram(
  version: string,
  { stdout, stderr }: Pick<CliPorts, 'stdout' | 'stderr'>,
): Command {
  return new Command('dormouse')
    .description('Puts Kubernetes workloads to sleep and wakes them')
    .version(version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .showHelpAfterError('(add --help to see how it is used)')
}

/**
 * Runs the command that the arguments (without `node` and the script) ask for.
 * @returns the exit code: 0; 2 for misuse and a faulty configuration; 1 for everything else that fails
 */
export async function run(program: Command, args: readonly string[], { stderr }: Pick<CliPorts, 'stderr'>) {
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // commander has written its message itself
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const message = error instanceof Error ? error.message : String(error)
    // what it quotes must not steer the terminal
    stderr.write(`error: ${message.replaceAll(/[^\P{Cc}\n]/gu, ' ')}\n`)
    return error instanceof UsageError || error instanceof InvalidConfig ? 2 : 1
  }
}

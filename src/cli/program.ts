import { Command, CommanderError } from 'commander'
import type { DestinationStream } from 'pino'
import type { Clock } from '../process/clock.ts'
import { InvalidConfig } from '../service/config/config.ts'
import { printable } from '../process/printable.ts'
import { messageOf, UsageError } from '../process/errors.ts'

/** The parts of the outside world that commands use; main.ts passes the real ones, tests their own. */
export interface CliPorts {
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
  /** The next line that a person types; undefined: there is no terminal to ask at. */
  readonly ask?: ((question: string) => Promise<string>) | undefined
  readonly clock: Clock
  /** The machine's time zone, an IANA name. */
  readonly timezone: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Aborted when the process is asked to stop. */
  readonly stopSignal: AbortSignal
  /** The namespace of the pod that we run in; undefined: outside a cluster. */
  readonly ownNamespace: string | undefined
  readonly logDestination: DestinationStream
}

/**
 * The program without its commands, each of which is registered afterwards and inherits these settings:
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
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .showHelpAfterError('(add --help to see how it is used)')
}

/**
 * Runs the command that the arguments name (without `node` and the script).
 * @returns the exit code: 0; 2 when the command line or the configuration is wrong; 1 for any other failure
 */
export async function run(program: Command, args: readonly string[], { stderr }: Pick<CliPorts, 'stderr'>) {
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    // Commander has already written its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    // A quoted text must not send control characters to the terminal.
    stderr.write(`error: ${messageOf(error).split('\n').map(printable).join('\n')}\n`)
    return error instanceof UsageError || error instanceof InvalidConfig ? 2 : 1
  }
}

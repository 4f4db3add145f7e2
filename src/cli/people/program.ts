import { CommanderError } from 'commander'
import { messageOf, UsageError } from '../../process/errors.ts'
import { programFor } from './catalogue.ts'
import { AlreadyReported } from '../../client/commands/already-reported.ts'
import { safeOutput } from '../../client/safe-output.ts'
import type { Terminal } from '../../client/terminal.ts'
import { placeOfVerb, verbFirst } from './verb-first.ts'

/**
 * Runs the command of the arguments (without `node` and the script).
 * @returns the exit code: 0; 2 when the command line is wrong; 1 for any other failure
 */
export async function runClient(
  given: readonly string[],
  version: string,
  outside: Terminal,
): Promise<number> {
  const terminal = { ...outside, stdout: safeOutput(outside.stdout), stderr: safeOutput(outside.stderr) }
  try {
    if (given[0] === '__complete') {
      const { complete } = await import('./complete.ts')
      await complete(given.slice(1), terminal)
      return 0
    }
    const args = await normalized(given, terminal)
    const program = await programFor(args, version, terminal)
    if (args.length === 0) {
      program.outputHelp()
      return 0
    }
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    if (error instanceof AlreadyReported) return 1
    if (terminal.stopSignal.aborted) return 130
    terminal.stderr.write(`error: ${messageOf(error)}\n`)
    return isUsage(error) ? 2 : 1
  }
}

/** The configuration that `check` reads is as much typed as the command line. By its name, since few commands load its module. */
function isUsage(error: unknown): boolean {
  return error instanceof UsageError || (error instanceof Error && error.name === 'InvalidConfig')
}

/** The command first, and `--dry-run` as kubectl takes it: `server` is the only dry run there is. @throws UsageError */
async function normalized(args: readonly string[], terminal: Terminal): Promise<string[]> {
  const [help, of] = args
  if (help === 'help' && of !== undefined) return [of, '--help']
  const ordered = await verbFirst(args, terminal)
  if (args.length > 0 && placeOfVerb(ordered) === args.length)
    throw new UsageError(`say what to do there: ${terminal.program} --help lists the commands`)
  return ordered.flatMap((arg) => {
    if (!arg.startsWith('--dry-run=')) return [arg]
    const how = arg.slice('--dry-run='.length)
    if (how === 'none') return []
    if (how === 'server') return ['--dry-run']
    throw new UsageError(
      `--dry-run=${how}: the cluster says what would happen, so write --dry-run or --dry-run=server`,
    )
  })
}

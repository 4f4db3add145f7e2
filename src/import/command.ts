import { Option, type Command } from 'commander'
import type { Comparison } from './plan/comparison.ts'
import type { InForce } from './plan/in-force.ts'
import type { ImportedObject, Step } from './plan/imported-object.ts'
import { UsageError } from '../process/errors.ts'
import { carryOut } from './carrying-out.ts'
import { checkPolicies, refuseBeside } from './in-the-way.ts'
import { planned, type Import } from './planned.ts'
import { Findings } from './findings.ts'
import { serialized } from '../client/output.ts'
import {
  comparisonLine,
  comparisonsText,
  configurationText,
  countsIn,
  countsOf,
  countsText,
  failureLine,
  lineOf,
  outcomesText,
  type Count,
} from './text.ts'
import { toolsAmong, TOOLS, type Tool } from './tool.ts'
import type { ClusterObjects, Connection } from '../client/ports.ts'
import { checkImpersonation, clusterOptions, refuseSeveral, withExamples } from '../client/options.ts'
import type { Terminal } from '../client/terminal.ts'
import { AlreadyReported } from '../client/commands/already-reported.ts'
import { leftByDownscaler, leftByKubeGreen, namespaceNamed, ofKind, pathOf, workloads } from './resources.ts'

interface Options extends Connection {
  readonly from: Tool
  readonly dryRun?: true
  readonly partial?: true
  readonly verify?: true
  readonly output?: 'json' | 'yaml'
}

/** Moves a cluster over from another tool, and wakes nothing. */
export function registerImport(program: Command, terminal: Terminal): void {
  const command = program
    .command('import')
    .description(
      'Take over what another tool manages in this cluster, asleep as it is. Look first: --dry-run prints each object and ' +
        'what becomes of it. Then stop the other tool, and import without --dry-run',
    )
    .addOption(new Option('--from <tool>', 'the other tool').choices([...TOOLS]).makeOptionMandatory())
    .option('--dry-run', 'print what would be done, and change nothing')
    .option('--partial', 'go on although something is refused, and leave that alone')
    .option('--verify', 'compare each count with what was recorded of it, and change nothing')
    .addOption(new Option('-o, --output <format>', 'one document at the end').choices(['json', 'yaml']))
  withExamples(command, terminal, '--from downscaler --dry-run', '--from kube-green --partial')
  clusterOptions(command).action(async (options: Options) => {
    refuseSeveral(options)
    checkImpersonation(options)
    const cluster = await terminal.openCluster(options)
    terminal.stderr.write(`reading ${cluster.place}\n`)
    try {
      await (options.output === undefined
        ? run(cluster, options, terminal, new Findings())
        : runForPrograms(options.output, cluster, options, terminal))
    } finally {
      await cluster.close()
    }
  })
}

/** Says to people what it always says, and prints one document, whatever it ends with. */
async function runForPrograms(
  format: 'json' | 'yaml',
  cluster: ClusterObjects,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const findings = new Findings()
  const { from, dryRun = false, partial = false, verify = false } = options
  const print = async (error?: unknown) =>
    terminal.stdout.write(
      await serialized(format, findings.document({ from, dryRun, partial, verify }, error)),
    )
  const quiet: Terminal = {
    ...terminal,
    stdout: { write: () => true },
    stderr: {
      write: (text) => {
        findings.messages.push(...text.trimEnd().split('\n'))
        return terminal.stderr.write(text)
      },
    },
  }
  try {
    await run(cluster, options, quiet, findings)
  } catch (error) {
    await print(error)
    throw error
  }
  await print()
}

async function run(
  cluster: ClusterObjects,
  options: Options,
  terminal: Terminal,
  findings: Findings,
): Promise<void> {
  const { stdout, stderr, clock, program } = terminal
  const { dryRun = false, partial = false, verify = false, from } = options
  const objects = await (from === 'kube-green' ? leftByKubeGreen(cluster) : leftByDownscaler(cluster))
  // The other tool may run anywhere.
  const everywhere = from === 'kube-green' ? await ofKind(cluster, 'Deployment') : objects
  const running = toolsAmong(everywhere)
  if (from === 'kube-green' && objects.length === 0 && !verify)
    throw new UsageError('there is no SleepInfo in this cluster')
  const plan = await planned(cluster, from, objects, running, clock())
  const { steps, configuration } = plan
  if (verify) {
    const present = from === 'kube-green' ? await workloads(cluster) : objects
    return verified(cluster, present, plan, terminal, findings)
  }
  Object.assign(findings, { steps, configuration })
  for (const step of steps) stdout.write(lineOf(step))
  if (configuration) stdout.write(await configurationText(configuration))
  stderr.write(`${countsOf(steps)}\n`)

  const refused = steps.filter(({ verdict }) => verdict === 'refused').length
  if (!dryRun) refuseBeside(running, from, program)
  const isInForce = await checkPolicies(cluster, plan, dryRun, terminal)
  if (refused > 0 && !partial) {
    stderr.write(
      `nothing was changed: ${refused} of these are refused. Do them by hand, or leave them out by --partial\n`,
    )
    throw new AlreadyReported(`${refused} refused`)
  }
  if (!isInForce) {
    // The webhook would deny what only that policy allows.
    stderr.write('nothing was changed: this is a dry run\n')
    return
  }
  const isDone = await carriedOut(cluster, plan, dryRun, terminal, findings)
  if (!isDone) throw new AlreadyReported('not all was done')
}

/** Whether nothing failed, and every count is kept. The last line sums up. */
async function carriedOut(
  cluster: ClusterObjects,
  { steps, force: [now, afterwards], isKnown }: Import,
  dryRun: boolean,
  { stdout, stderr, stopSignal }: Terminal,
  findings: Findings,
): Promise<boolean> {
  const { outcomes } = findings
  const different: Comparison[] = []
  const wereDone = () => stderr.write(`${outcomesText(steps, outcomes)}\n`)
  try {
    for await (const outcome of carryOut(cluster, steps, dryRun, stopSignal)) {
      outcomes.push(outcome)
      if (outcome.why !== undefined) stderr.write(failureLine(outcome))
    }
    if (!dryRun) {
      const inForce = isKnown ? now : afterwards
      different.push(...(await comparedAgain(cluster, steps, inForce, { stdout, stderr }, findings)))
    }
  } catch (error) {
    if (stopSignal.aborted && !dryRun)
      stderr.write('stopped: what is done is done, the rest is as it was; repeat it to go on\n')
    if (!dryRun) wereDone()
    throw error
  }
  if (dryRun) stderr.write('nothing was changed: this is a dry run\n')
  else wereDone()
  return different.length === 0 && outcomes.every(({ became }) => became !== 'failed')
}

/** Reads the sleepers of a plan again, and shows them all; returns those whose count is another. */
async function comparedAgain(
  cluster: ClusterObjects,
  steps: readonly Step[],
  inForce: InForce,
  { stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'>,
  findings: Findings,
): Promise<Comparison[]> {
  const { compared, recordedIn } = await import('./plan/comparison.ts')
  const recorded = recordedIn(steps)
  if (recorded.length === 0) return []
  const all: Comparison[] = []
  for (const each of recorded) {
    const now = await cluster.get<ImportedObject>(pathOf(each.object))
    // Workloads deleted meanwhile are left out.
    if (now) all.push(compared({ ...now, kind: each.object.kind }, each.recorded))
  }
  findings.counts = await countsNow(cluster, all, inForce)
  stdout.write(await countsText(findings.counts, stdout.isTTY ? stdout.columns : undefined))
  const different = all.filter(({ isKept }) => !isKept)
  for (const each of different) stderr.write(comparisonLine(each))
  stderr.write(`${comparisonsText(all)}\n`)
  return different
}

/** Under the settings in force and the Namespaces as they are by now. */
async function countsNow(
  cluster: ClusterObjects,
  all: readonly Comparison[],
  inForce: InForce,
): Promise<Count[]> {
  const names = new Set(all.flatMap(({ object }) => object.metadata.namespace ?? []))
  const namespaces = await Promise.all([...names].map((name) => namespaceNamed(cluster, name)))
  return countsIn(all, inForce.over(namespaces.flat()))
}

/** Compares what the tool and Dormouse have recorded with what there is, and changes nothing. */
async function verified(
  cluster: ClusterObjects,
  objects: readonly ImportedObject[],
  { steps, force: [inForce] }: Import,
  { stdout, stderr }: Terminal,
  findings: Findings,
): Promise<void> {
  const { compared, stillRecorded } = await import('./plan/comparison.ts')
  const { recorded, unknown } = stillRecorded(steps, objects)
  const all = recorded.map((each) => compared(each.object, each.recorded))
  findings.counts = await countsNow(cluster, all, inForce)
  for (const each of all) stdout.write(comparisonLine(each))
  if (unknown > 0)
    stderr.write(
      `${unknown} more sleep by Dormouse without a record of an import, or were asked for something since: ` +
        'nothing is left to compare them with\n',
    )
  stderr.write(`${comparisonsText(all)}\n`)
  if (all.some(({ isKept }) => !isKept)) throw new AlreadyReported('counts differ')
}

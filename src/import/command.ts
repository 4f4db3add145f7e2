import { Option, type Command } from 'commander'
import type { Comparison, Recorded } from './plan/comparison.ts'
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
  countsOf,
  countsText,
  failureLine,
  lineOf,
  outcomesText,
} from './text.ts'
import { isOfVisits, toolsAmong, TOOLS, type Tool } from './tool.ts'
import type { ClusterObjects, Connection } from '../client/ports.ts'
import { samePlace } from '../client/style.ts'
import { checkImpersonation, clusterOptions, refuseSeveral, withExamples } from '../client/options.ts'
import type { Terminal } from '../client/terminal.ts'
import { AlreadyReported } from '../client/commands/already-reported.ts'
import {
  leftByDownscaler,
  leftByKubeGreen,
  leftByVisits,
  namespaceNamed,
  ofKind,
  pathOf,
  workloads,
} from './resources.ts'

interface Options extends Connection {
  readonly from: Tool
  readonly dryRun?: true
  readonly partial?: true
  readonly verify?: true
  readonly output?: 'json' | 'yaml'
}

/** Registers `import`, which takes a cluster over from another tool and wakes nothing. */
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
        ? new ImportRun(cluster, options, terminal, new Findings()).run()
        : runForPrograms(options.output, cluster, options, terminal))
    } finally {
      await cluster.close()
    }
  })
}

/** Writes the messages to stderr as for people, and one document to stdout, also after an error. */
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
    await new ImportRun(cluster, options, quiet, findings).run()
  } catch (error) {
    await print(error)
    throw error
  }
  await print()
}

function leftBy(from: Tool, cluster: ClusterObjects): Promise<ImportedObject[]> {
  if (from === 'kube-green') return leftByKubeGreen(cluster)
  return isOfVisits(from) ? leftByVisits(cluster) : leftByDownscaler(cluster)
}

class ImportRun {
  readonly #cluster: ClusterObjects
  readonly #options: Options
  readonly #terminal: Terminal
  readonly #findings: Findings

  constructor(cluster: ClusterObjects, options: Options, terminal: Terminal, findings: Findings) {
    this.#cluster = cluster
    this.#options = options
    this.#terminal = terminal
    this.#findings = findings
  }

  async run(): Promise<void> {
    const { stdout, clock, program } = this.#terminal
    const { dryRun = false, partial = false, verify = false, from } = this.#options
    const cluster = this.#cluster
    const isKubeGreen = from === 'kube-green'
    const objects = await leftBy(from, cluster)
    // The other tool may run anywhere.
    const running = toolsAmong(isKubeGreen ? await ofKind(cluster, 'Deployment') : objects)
    if (isKubeGreen && objects.length === 0 && !verify)
      throw new UsageError('there is no SleepInfo in this cluster')
    const place = samePlace(this.#options)
    const plan = await planned(cluster, from, objects, running, clock(), place)
    const { steps, configuration } = plan
    if (verify) return this.#verify(isKubeGreen ? await workloads(cluster) : objects, plan)
    Object.assign(this.#findings, { steps, configuration })
    for (const step of steps) stdout.write(lineOf(step))
    if (configuration) stdout.write(await configurationText(configuration))
    this.#say(countsOf(steps))

    const refused = steps.filter(({ verdict }) => verdict === 'refused').length
    if (!dryRun) refuseBeside(running, from, program, place)
    const isInForce = await checkPolicies(cluster, plan, dryRun, this.#terminal, place)
    if (refused > 0 && !partial) {
      this.#say(
        `nothing was changed: ${refused} of these are refused. Do them by hand, or leave them out by --partial`,
      )
      throw new AlreadyReported(`${refused} refused`)
    }
    // The webhook would deny a write that needs a policy that is not in force.
    if (!isInForce) return this.#say('nothing was changed: this is a dry run')
    if (!(await this.#carryOut(plan, dryRun))) throw new AlreadyReported('not all was done')
  }

  /** Returns whether nothing failed, and every count is kept. The last line sums up. */
  async #carryOut({ steps, force: [now, afterwards], isKnown }: Import, dryRun: boolean): Promise<boolean> {
    const { outcomes } = this.#findings
    const { stderr, stopSignal } = this.#terminal
    let areKept = true
    const sumUp = () => this.#say(outcomesText(steps, outcomes))
    try {
      for await (const outcome of carryOut(this.#cluster, steps, dryRun, stopSignal)) {
        outcomes.push(outcome)
        if (outcome.why !== undefined) stderr.write(failureLine(outcome))
      }
      if (!dryRun) areKept = await this.#compareAgain(steps, isKnown ? now : afterwards)
    } catch (error) {
      if (stopSignal.aborted && !dryRun)
        this.#say('stopped: what is done is done, the rest is as it was; repeat it to go on')
      if (!dryRun) sumUp()
      throw error
    }
    if (dryRun) this.#say('nothing was changed: this is a dry run')
    else sumUp()
    return areKept && outcomes.every(({ became }) => became !== 'failed')
  }

  /** Reads the sleepers of a plan again, and shows them all. Returns whether every count is kept. */
  async #compareAgain(steps: readonly Step[], inForce: InForce): Promise<boolean> {
    const { recordedIn } = await import('./plan/comparison.ts')
    const { stdout, stderr } = this.#terminal
    const sleepers = recordedIn(steps)
    if (sleepers.length === 0) return true
    const present: Recorded[] = []
    for (const { object, recorded } of sleepers) {
      const now = await this.#cluster.get<ImportedObject>(pathOf(object))
      // Workloads deleted meanwhile are left out.
      if (now) present.push({ object: { ...now, kind: object.kind }, recorded })
    }
    const all = await this.#compare(present, inForce)
    stdout.write(await countsText(all, stdout.isTTY ? stdout.columns : undefined))
    const different = all.filter(({ isKept }) => !isKept)
    for (const each of different) stderr.write(comparisonLine(each))
    this.#say(comparisonsText(all))
    return different.length === 0
  }

  /** Compares what the tool and Dormouse have recorded with what there is, and changes nothing. */
  async #verify(objects: readonly ImportedObject[], { steps, force: [inForce] }: Import): Promise<void> {
    const { stillRecorded } = await import('./plan/comparison.ts')
    const { recorded, unknown } = stillRecorded(steps, objects)
    const all = await this.#compare(recorded, inForce)
    for (const each of all) this.#terminal.stdout.write(comparisonLine(each))
    if (unknown > 0)
      this.#say(
        `${unknown} more sleep by Dormouse without a record of an import, or were asked for something since: ` +
          'nothing is left to compare them with',
      )
    this.#say(comparisonsText(all))
    if (all.some(({ isKept }) => !isKept)) throw new AlreadyReported('counts differ')
  }

  /** Compares under the settings in force, and Namespaces as they are now. */
  async #compare(all: readonly Recorded[], inForce: InForce): Promise<readonly Comparison[]> {
    const { compared } = await import('./plan/comparison.ts')
    const names = new Set(all.flatMap(({ object }) => object.metadata.namespace ?? []))
    const namespaces = await Promise.all([...names].map((name) => namespaceNamed(this.#cluster, name)))
    const force = inForce.over(namespaces.flat())
    this.#findings.counts = all.map((each) => compared(each, force))
    return this.#findings.counts
  }

  #say(text: string): void {
    this.#terminal.stderr.write(`${text}\n`)
  }
}

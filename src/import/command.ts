import { Option, type Command } from 'commander'
import type { Comparison } from './plan/comparison.ts'
import type { ImportedConfiguration } from './plan/configuration.ts'
import type { InForce } from './plan/in-force.ts'
import { nameOf, type ImportedObject, type Step } from './plan/imported-object.ts'
import { settingsInForce } from './settings-in-force.ts'
import { commandLine } from './plan/shell-words.ts'
import { UsageError } from '../service/process/errors.ts'
import { ANNOTATION, ASLEEP_LABEL } from '../domain/annotations.ts'
import { carryOut, firstUnmanaged, type Outcome } from './carrying-out.ts'
import {
  comparisonLine,
  comparisonsText,
  configurationText,
  countsText,
  countsOf,
  failureLine,
  lineOf,
  outcomesText,
} from './text.ts'
import { downscalerAmong, toolsAmong, TOOLS, type Running, type Tool } from './tool.ts'
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
}

interface Import {
  readonly steps: readonly Step[]
  /** The settings in force, and those that the steps are planned for. */
  readonly force: readonly [now: InForce, planned: InForce]
  /** Whether those in force are published, and the person may read them. */
  readonly isKnown: boolean
  readonly configuration?: ImportedConfiguration
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
  withExamples(command, terminal, '--from downscaler --dry-run', '--from kube-green --partial')
  clusterOptions(command).action(async (options: Options) => {
    refuseSeveral(options)
    checkImpersonation(options)
    const cluster = await terminal.openCluster(options)
    try {
      await run(cluster, options, terminal)
    } finally {
      await cluster.close()
    }
  })
}

async function run(cluster: ClusterObjects, options: Options, terminal: Terminal): Promise<void> {
  const { stdout, stderr, clock, program } = terminal
  const { dryRun = false, partial = false, verify = false, from } = options
  stderr.write(`reading ${cluster.place}\n`)
  const objects = await (from === 'kube-green' ? leftByKubeGreen(cluster) : leftByDownscaler(cluster))
  // The other tool may run anywhere.
  const everywhere = from === 'kube-green' ? await ofKind(cluster, 'Deployment') : objects
  const running = toolsAmong(everywhere)
  if (from === 'kube-green' && objects.length === 0 && !verify)
    throw new UsageError('there is no SleepInfo in this cluster')
  const plan = await planned(cluster, from, objects, running, clock())
  const { steps, configuration } = plan
  if (verify) return verified(from === 'kube-green' ? await workloads(cluster) : objects, steps, terminal)
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
  const isDone = await carriedOut(cluster, plan, dryRun, terminal)
  if (!isDone) throw new AlreadyReported('not all was done')
}

/** Whether nothing failed, and every count is kept. The last line sums up. */
async function carriedOut(
  cluster: ClusterObjects,
  { steps, force: [now, afterwards], isKnown }: Import,
  dryRun: boolean,
  { stdout, stderr, stopSignal }: Terminal,
): Promise<boolean> {
  const outcomes: Outcome[] = []
  const different: Comparison[] = []
  const wereDone = () => stderr.write(`${outcomesText(steps, outcomes)}\n`)
  try {
    for await (const outcome of carryOut(cluster, steps, dryRun, stopSignal)) {
      outcomes.push(outcome)
      if (outcome.why !== undefined) stderr.write(failureLine(outcome))
    }
    if (!dryRun)
      different.push(...(await comparedAgain(cluster, steps, isKnown ? now : afterwards, { stdout, stderr })))
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
  const names = new Set(all.flatMap(({ object }) => object.metadata.namespace ?? []))
  const namespaces = await Promise.all([...names].map((name) => namespaceNamed(cluster, name)))
  stdout.write(
    await countsText(all, inForce.over(namespaces.flat()), stdout.isTTY ? stdout.columns : undefined),
  )
  const different = all.filter(({ isKept }) => !isKept)
  for (const each of different) stderr.write(comparisonLine(each))
  stderr.write(`${comparisonsText(all)}\n`)
  return different
}

/** Compares what the tool and Dormouse have recorded with what there is, and changes nothing. */
async function verified(
  objects: readonly ImportedObject[],
  steps: readonly Step[],
  { stdout, stderr }: Terminal,
): Promise<void> {
  const { compared, stillRecorded } = await import('./plan/comparison.ts')
  const { recorded, unknown } = stillRecorded(steps, objects)
  const all = recorded.map((each) => compared(each.object, each.recorded))
  for (const each of all) stdout.write(comparisonLine(each))
  if (unknown > 0)
    stderr.write(
      `${unknown} more sleep by Dormouse without a record of an import, or were asked for something since: ` +
        'nothing is left to compare them with\n',
    )
  stderr.write(`${comparisonsText(all)}\n`)
  if (all.some(({ isKept }) => !isKept)) throw new AlreadyReported('counts differ')
}

/**
 * Whether the policies in force are those that the steps need. Where nobody may know them, dry runs say whether each
 * sleeper is managed.
 * @throws UsageError if not, but for a dry run: nothing may be changed
 */
async function checkPolicies(
  cluster: ClusterObjects,
  { steps, configuration, force, isKnown }: Import,
  dryRun: boolean,
  { stderr, stopSignal }: Terminal,
): Promise<boolean> {
  if (!configuration || configuration.policies.length === 0) return true
  const { lacking, leftOutFirst } = await import('./plan/in-force.ts')
  for (const { kind, metadata } of dryRun || isKnown ? leftOutFirst(steps, force) : []) {
    const target = ['annotate', kind.toLowerCase(), metadata.name, '-n', metadata.namespace ?? '']
    const leaveOut = commandLine('kubectl', ...target, `${ANNOTATION.enabled}=false`)
    stderr.write(`before you upgrade, since the policy imported above would put it to sleep: ${leaveOut}\n`)
  }
  const found: ImportedObject[] = []
  if (isKnown) found.push(...lacking(steps, force))
  else {
    stderr.write(
      'note: which policies are in force is not known: the service does not publish them, or you may not read them\n',
    )
    const unmanaged = await firstUnmanaged(cluster, steps, stopSignal)
    if (unmanaged) found.push(unmanaged)
  }
  const [first, ...others] = found
  if (!first) return true
  const those = `${nameOf(first)}${others.length > 0 ? ` and ${others.length} more need it` : ' needs it'}`
  const why = `the policy imported above is not in force yet: put it into config, upgrade, and repeat; ${those}`
  if (!dryRun) throw new UsageError(`nothing was changed: ${why}`)
  stderr.write(`note: ${why}\n`)
  return false
}

async function planned(
  cluster: ClusterObjects,
  from: Tool,
  objects: readonly ImportedObject[],
  running: readonly Running[],
  now: number,
): Promise<Import> {
  const [{ InForce }, known] = await Promise.all([import('./plan/in-force.ts'), settingsInForce(cluster)])
  const namespaces = objects.filter(({ kind }) => kind === 'Namespace')
  const inForce = new InForce(known, namespaces)
  if (from === 'kube-green') {
    const { byNamespace, planOfKubeGreen } = await import('./plan/kube-green-plan.ts')
    const steps = byNamespace(objects).flatMap((each) => planOfKubeGreen(each, now, inForce))
    return { steps, force: [inForce, inForce], isKnown: known !== undefined }
  }
  const [{ planOfDownscaler }, { configurationOf }] = await Promise.all([
    import('./plan/downscaler-plan.ts'),
    import('./plan/configuration.ts'),
  ])
  const left = {
    ...(await downscalerAmong(running, from, cluster)),
    namespaces,
    objects: objects.filter(({ kind }) => kind !== 'Namespace'),
  }
  const configuration = configurationOf(left, now)
  const force = inForce.with(configuration)
  return {
    steps: planOfDownscaler(left, now, force),
    configuration,
    force: [inForce, force],
    isKnown: known !== undefined,
  }
}

/** Two that put to sleep and wake would undo each other, and the other one would write over the counts. */
function refuseBeside(running: readonly Running[], from: Tool, program: string): void {
  const beside = running.find(
    ({ tool, deployment }) =>
      (from === 'downscaler' ? tool !== 'kube-green' : tool === from) && isStarted(deployment),
  )
  if (!beside) return
  const { namespace, name, labels } = beside.deployment.metadata
  const remove = commandLine('kubectl', 'delete', 'deployment', name, '-n', namespace ?? '')
  if (labels?.[ASLEEP_LABEL] !== undefined)
    throw new UsageError(
      `Dormouse has put ${beside.tool} to sleep and would wake it: remove it by ${remove}, then repeat ${program} import`,
    )
  const stop = commandLine('kubectl', 'scale', 'deployment', name, '-n', namespace ?? '', '--replicas', '0')
  throw new UsageError(`${beside.tool} still runs: stop it by ${stop}, then repeat ${program} import`)
}

/** Also a workload whose pods are about to be ready, or still are, and one that sleeps until its hours. */
function isStarted({ metadata, spec, status }: ImportedObject): boolean {
  return (
    metadata.labels?.[ASLEEP_LABEL] !== undefined || spec?.replicas !== 0 || (status?.readyReplicas ?? 0) > 0
  )
}

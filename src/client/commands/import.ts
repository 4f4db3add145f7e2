import { Option, type Command } from 'commander'
import type { ImportedConfiguration } from '../../domain/import/configuration.ts'
import { nameOf, type ImportedObject, type Step } from '../../domain/import/imported-object.ts'
import { UsageError } from '../../errors.ts'
import { carryOut } from '../import/carrying-out.ts'
import { leftByDownscaler, leftByKubeGreen, ofKind } from '../import/gathering.ts'
import { configurationText, countsOf, lineOf } from '../import/text.ts'
import { downscalerAmong, toolsAmong, TOOLS, type Running, type Tool } from '../import/tool.ts'
import type { ClusterObjects, Connection } from '../ports.ts'
import { checkImpersonation, clusterOptions, withExamples } from '../options.ts'
import type { Terminal } from '../terminal.ts'
import { AlreadyTold } from './already-told.ts'

interface Options extends Connection {
  readonly from: Tool
  readonly dryRun?: true
  readonly partial?: true
}

interface Import {
  readonly steps: readonly Step[]
  readonly configuration?: ImportedConfiguration
}

/** Section 15 of the design: moves a cluster over from another tool, and wakes nothing. */
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
  withExamples(command, terminal, '--from downscaler --dry-run', '--from kube-green --partial')
  clusterOptions(command).action(async (options: Options) => {
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
  const { dryRun = false, partial = false, from } = options
  stderr.write(`reading ${cluster.place}\n`)
  const objects = await (from === 'kube-green' ? leftByKubeGreen(cluster) : leftByDownscaler(cluster))
  // The other tool may run anywhere.
  const everywhere = from === 'kube-green' ? await ofKind(cluster, 'Deployment') : objects
  const running = toolsAmong(everywhere)
  const { steps, configuration } = await planned(cluster, from, objects, running, clock())
  for (const step of steps) stdout.write(lineOf(step))
  if (configuration) stdout.write(await configurationText(configuration))
  stderr.write(`${countsOf(steps)}\n`)

  const refused = steps.filter(({ verdict }) => verdict === 'refused').length
  if (!dryRun) refuseBeside(running, from, program)
  if (refused > 0 && !partial) {
    stderr.write(
      `nothing was changed: ${refused} of these are refused. Do them by hand, or leave them out by --partial\n`,
    )
    throw new AlreadyTold(`${refused} refused`)
  }
  const failed = await carriedOut(cluster, steps, dryRun, terminal)
  stderr.write(dryRun ? 'nothing was changed: this is a dry run\n' : 'done\n')
  if (failed > 0) throw new AlreadyTold(`${failed} failed`)
}

async function carriedOut(
  cluster: ClusterObjects,
  steps: readonly Step[],
  dryRun: boolean,
  { stderr, stopSignal }: Terminal,
): Promise<number> {
  let failed = 0
  try {
    for await (const { step, failed: why } of carryOut(cluster, steps, dryRun, stopSignal)) {
      if (why === undefined) continue
      failed += 1
      stderr.write(`error: ${nameOf(step.object)}: ${why}\n`)
    }
  } finally {
    if (stopSignal.aborted && !dryRun)
      stderr.write('stopped: what is done is done, the rest is as it was; repeat it to go on\n')
  }
  return failed
}

async function planned(
  cluster: ClusterObjects,
  from: Tool,
  objects: readonly ImportedObject[],
  running: readonly Running[],
  now: number,
): Promise<Import> {
  if (from === 'kube-green') {
    const { byNamespace, planOfKubeGreen } = await import('../../domain/import/kube-green-plan.ts')
    if (objects.length === 0) throw new UsageError('there is no SleepInfo in this cluster')
    return { steps: byNamespace(objects).flatMap(planOfKubeGreen) }
  }
  const [{ planOfDownscaler }, { configurationOf }] = await Promise.all([
    import('../../domain/import/downscaler-plan.ts'),
    import('../../domain/import/configuration.ts'),
  ])
  const left = {
    ...(await downscalerAmong(running, from, cluster)),
    namespaces: objects.filter(({ kind }) => kind === 'Namespace'),
    objects: objects.filter(({ kind }) => kind !== 'Namespace'),
  }
  return { steps: planOfDownscaler(left, now), configuration: configurationOf(left, now) }
}

/** Two that put to sleep and wake would undo each other, and the other one would write over the counts. */
function refuseBeside(running: readonly Running[], from: Tool, program: string): void {
  const beside = running.find(
    ({ tool, deployment }) =>
      (from === 'downscaler' ? tool !== 'kube-green' : tool === from) && isStarted(deployment),
  )
  if (!beside) return
  const { namespace, name } = beside.deployment.metadata
  throw new UsageError(
    `${beside.tool} still runs: stop it by kubectl scale deployment ${name} -n ${namespace} --replicas 0, then repeat ${program} import`,
  )
}

/** Also one whose pods are about to be ready, or still are. */
function isStarted({ spec, status }: ImportedObject): boolean {
  return spec?.replicas !== 0 || (status?.readyReplicas ?? 0) > 0
}

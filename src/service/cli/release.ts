import { InvalidArgumentError, type Command } from 'commander'
import { keyOfScaledObject, type ScaledObject } from '../../domain/autoscaling/scaled-object.ts'
import { counted } from '../../domain/text.ts'
import { hasSleepMark } from '../../domain/workload/reading.ts'
import { keyOf, type Workload } from '../../domain/workload/workload.ts'
import { messageOf, UsageError } from '../process/errors.ts'
import { createLogger, plainLines } from '../process/logger.ts'
import type { ObjectName, Starter } from '../wiring/release.ts'
import type { CliPorts } from './program.ts'
import { configOf } from './run-options.ts'

interface Options {
  readonly all?: true
  readonly dryRun?: true
  readonly yes?: true
  readonly onlyInUninstall?: ObjectName
  readonly kubeconfig?: string
  readonly config?: string
}

const WAKE_EXCLUDED =
  'take that out of excludeNamespaces and run this again, or scale it by hand and remove its label dormouse.dev/asleep'

const BY_HAND =
  'To release everything without Helm, or by Argo CD: render the Job with release.unconditional=true (docs/gitops.md)'

/** `dormouse release --all`: takes Dormouse off the cluster. */
export function registerRelease(program: Command, ports: CliPorts): void {
  const { stdout, stderr, stopSignal: stop, clock } = ports
  const print = (workload: Workload) => stdout.write(`${keyOf(workload)}\n`)
  const printPaused = (scaledObject: ScaledObject) => stdout.write(`${nameOf(scaledObject)}\n`)
  const printSum = (count: number, done: string) => stdout.write(`${counted(count, 'workload')} ${done}\n`)
  program
    .command('release')
    .description(
      'Wake everything that Dormouse put to sleep, remove its annotations and its webhooks; ' +
        'a running service stands by meanwhile',
    )
    .option('--all', 'required: acts on every namespace; asks first')
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', 'print what would be done, and change nothing')
    .option(
      '--only-in-uninstall <namespace/job>',
      'for the Job that runs this: change nothing unless Helm started it to uninstall the chart',
      objectName,
    )
    .option('--kubeconfig <file>', 'default: KUBECONFIG, ~/.kube/config, then the in-cluster account')
    .option('--config <file>', 'YAML configuration')
    .action(async ({ all, dryRun, yes, onlyInUninstall: job, kubeconfig, config: file }: Options) => {
      if (!all)
        throw new UsageError(
          'release needs --all: it wakes every workload and removes Dormouse from all of them',
        )
      const config = await configOf(file === undefined ? {} : { config: file }, ports)
      const logger = createLogger('warn', plainLines(stderr))
      const ownNamespace = kubeconfig === undefined ? ports.ownNamespace : undefined
      const { Release } = await import('../wiring/release.ts')
      const source = { file: kubeconfig, environment: ports.environment }
      const release = new Release({ config, kubeconfig: source, ownNamespace, clock, logger, stop })
      try {
        stderr.write(`cluster ${release.cluster.name}\n`)
        if (job && !isUninstall(job, await release.starter(job), ports)) return
        await release.cluster.list()
        if (dryRun) {
          const { workloads, paused } = release.plan()
          for (const workload of workloads) print(workload)
          for (const each of paused) printPaused(each)
          printSum(workloads.length, 'would be released')
        } else {
          if (!yes) await confirm(release.plan().workloads, release.cluster.name, ports)
          await release.carryOut({
            leaseTaken: (from, milliseconds) => stdout.write(`${leaseTaken(from, milliseconds)}\n`),
            released: print,
            failed: (workload, error) => stderr.write(`${keyOf(workload)}: ${messageOf(error)}\n`),
            unpaused: printPaused,
            stillPaused: (object, error) => stderr.write(`${nameOf(object)}: ${messageOf(error)}\n`),
            finished: (released) => printSum(released, 'released'),
          })
        }
        const { excluded, pausedExcluded, unmanageable } = release.plan()
        for (const why of unmanageable) stderr.write(`not looked at: ${why}\n`)
        for (const each of pausedExcluded)
          stderr.write(`left paused, in an excluded namespace: ${nameOf(each)}\n`)
        reportExcluded(excluded, stderr)
        if (unmanageable.length > 0)
          throw new Error(
            'what sleeps of kinds that cannot be managed stays asleep: mend `kinds`, and run this again',
          )
      } finally {
        await release.cluster.close()
      }
    })
}

function objectName(text: string): ObjectName {
  const [, namespace, name] = /^([^/]+)\/([^/]+)$/.exec(text) ?? []
  if (namespace === undefined || name === undefined) throw new InvalidArgumentError('expected NAMESPACE/JOB')
  return { namespace, name }
}

/**
 * Says why not, and how to release by hand.
 * @throws Error where that is unclear: then the Job fails, and whoever uninstalls hears of it before anything is removed
 */
function isUninstall(
  { namespace, name }: ObjectName,
  starter: Starter,
  { stdout }: Pick<CliPorts, 'stdout'>,
): boolean {
  if (starter.kind === 'uninstall') return true
  const what = `nothing was changed: Job ${namespace}/${name} acts in an uninstall by Helm, and ${starter.why}`
  if (starter.kind === 'unclear') throw new Error(`${what}. ${BY_HAND}`)
  stdout.write(`${what}. Delete the Job, or leave it. ${BY_HAND}\n`)
  return false
}

/** @throws UsageError without a terminal; Error if the person declines */
async function confirm(
  workloads: readonly Workload[],
  cluster: string,
  { ask }: Pick<CliPorts, 'ask'>,
): Promise<void> {
  const asleep = workloads.filter(hasSleepMark).length
  const question = `Release ${counted(workloads.length, 'workload')} (${asleep} asleep) in all namespaces, cluster ${cluster}?`
  if (!ask) throw new UsageError(`${question} There is no terminal to ask at: add --yes if that is meant`)
  const answer = await ask(`${question} [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('nothing was changed')
}

function nameOf(scaledObject: ScaledObject): string {
  return `scaledobjects/${keyOfScaledObject(scaledObject)}`
}

function leaseTaken(from: string, milliseconds: number): string {
  return `The Lease was taken from the leader ${from}: waiting ${Math.ceil(milliseconds / 1000)} s until it has stopped`
}

/** @throws Error when something sleeps in an excluded namespace: nobody else would wake it */
function reportExcluded(workloads: readonly Workload[], stderr: CliPorts['stderr']): void {
  for (const workload of workloads) {
    const how = hasSleepMark(workload) ? 'asleep' : 'as it is'
    stderr.write(`left ${how}, in an excluded namespace: ${keyOf(workload)}\n`)
  }
  const asleep = workloads.filter(hasSleepMark).length
  if (asleep === 0) return
  const who = asleep === 1 ? '1 workload sleeps' : `${asleep} workloads sleep`
  throw new Error(`${who} in an excluded namespace: ${WAKE_EXCLUDED}`)
}

import { InvalidArgumentError, type Command } from 'commander'
import type { Companion } from '../domain/companions/companion.ts'
import { resourceOf } from '../domain/kinds.ts'
import { counted } from '../domain/text.ts'
import { printable } from '../process/printable.ts'
import { hasSleepMark } from '../domain/workload/reading.ts'
import { keyOf, type Workload } from '../domain/workload/workload.ts'
import { messageOf, UsageError } from '../process/errors.ts'
import type { ObjectName, Release, Released, Service, Starter } from '../wiring/release.ts'
import { actOn, KUBECONFIG, onCluster } from './on-cluster.ts'
import type { CliPorts } from './program.ts'
import { configOf } from './run-options.ts'

interface Options {
  readonly all?: true
  readonly undo?: true
  readonly dryRun?: true
  readonly yes?: true
  readonly onlyInUninstall?: ObjectName
  readonly kubeconfig?: string
  readonly config?: string
}

const WAKE_EXCLUDED =
  'take that out of excludeNamespaces and run this again, or scale it by hand and remove its label dormouse.dev/asleep'

const UNTIL_UNDONE = 'stands by until `dormouse release --undo`: nothing is automatic'

const STANDS_BY: Readonly<Record<Service, string>> = {
  running: `The service still runs and ${UNTIL_UNDONE}`,
  silent:
    'The service has not answered: if it is of an earlier release and still runs, it leads again in an hour. Stop it first',
  none: `No running service was seen; one that is started ${UNTIL_UNDONE}`,
}

const BY_HAND =
  'To release everything without Helm, or by Argo CD: render the Job with release.unconditional=true (docs/gitops.md)'

/** `dormouse release --all`: takes Dormouse off the cluster. */
export function registerRelease(program: Command, ports: CliPorts): void {
  const { stdout, stderr } = ports
  const print = (workload: Workload) => stdout.write(`${keyOf(workload)}\n`)
  const printPaused = (companion: Companion) => stdout.write(`${nameOf(companion)}\n`)
  const printSum = (count: number, done: string) => stdout.write(`${counted(count, 'workload')} ${done}\n`)
  program
    .command('release')
    .description(
      'Wake everything that Dormouse put to sleep, remove its annotations and its webhooks; ' +
        'a running service stands by until `release --undo`',
    )
    .option('--all', 'act on every namespace; asks first')
    .option('--undo', 'let the service lead again after `release --all`')
    .option('-y, --yes', 'do not ask')
    .option('--dry-run', 'print what would be done, and change nothing')
    .option(
      '--only-in-uninstall <namespace/job>',
      'for the Job that runs this: change nothing unless Helm started it to uninstall the chart',
      objectName,
    )
    .option(...KUBECONFIG)
    .option('--config <file>', 'YAML configuration')
    .action(async (options: Options) => {
      const { all, undo, dryRun, yes, onlyInUninstall: job } = options
      if (all && undo) throw new UsageError('--all and --undo are opposites: give one of them')
      if (!all && !undo)
        throw new UsageError(
          'release needs --all: it wakes every workload and removes Dormouse from all of them',
        )
      const config = await configOf(options, ports)
      const { Release } = await import('../wiring/release.ts')
      const release = new Release(onCluster(config, options, ports))
      await actOn(release.cluster, ports, async () => {
        if (undo) {
          stdout.write(`${undone(await release.undo())}\n`)
          return
        }
        if (job && !isUninstall(job, await release.starter(job), ports)) return
        await release.cluster.list()
        if (dryRun) {
          const { workloads, paused } = release.plan()
          for (const workload of workloads) print(workload)
          for (const each of paused) printPaused(each)
          printSum(workloads.length, 'would be released')
        } else {
          if (!yes) await confirm(release, ports)
          await release.carryOut({
            leaseTaken: (from, milliseconds) => stdout.write(`${leaseTaken(from, milliseconds)}\n`),
            released: print,
            failed: (workload, error) => stderr.write(`${keyOf(workload)}: ${messageOf(error)}\n`),
            unpaused: printPaused,
            stillPaused: (object, error) => stderr.write(`${nameOf(object)}: ${messageOf(error)}\n`),
            finished: (released) => printSum(released, 'released'),
            standsBy: (service) => stdout.write(`${STANDS_BY[service]}\n`),
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
      })
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
async function confirm(release: Release, { ask }: Pick<CliPorts, 'ask'>): Promise<void> {
  const { workloads } = release.plan()
  const asleep = workloads.filter(hasSleepMark).length
  const holder = await release.holder()
  const service =
    holder === undefined ? '' : ` The service (${printable(holder)} leads) then ${UNTIL_UNDONE}.`
  const what = `Release ${counted(workloads.length, 'workload')} (${asleep} asleep) in all namespaces`
  const question = `${what}, cluster ${release.cluster.name}?${service}`
  if (!ask) throw new UsageError(`${question} There is no terminal to ask at: add --yes if that is meant`)
  const answer = await ask(`${question} [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new Error('nothing was changed')
}

function nameOf({ row, namespace, name }: Companion): string {
  return `${resourceOf(row.resource).resource}/${namespace}/${name}`
}

function undone(released: Released | undefined): string {
  if (!released) return 'nothing was changed: this cluster is not released'
  const { by, since } = released
  return (
    `No longer released (by ${printable(by)}${since === undefined ? '' : ` since ${since}`}): a running service leads ` +
    'again within seconds, and what policies and Namespaces manage sleeps by its hours. In a cluster `helm upgrade` ' +
    'brings the webhook configuration back'
  )
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

import type { Command } from 'commander'
import { excludedNamespaces } from '../config.ts'
import { releaseChange } from '../domain/release.ts'
import { counted } from '../domain/text.ts'
import { hasSleepMark, keyOf, type Workload } from '../domain/workload.ts'
import { createLogger } from '../logger.ts'
import { plainLines } from './plain-log.ts'
import { UsageError } from '../errors.ts'
import type { CliPorts } from './program.ts'
import { rulesOf } from '../service/rules.ts'
import { configOf } from './run-options.ts'

interface ReleaseOptions {
  readonly all?: true
  readonly dryRun?: true
  readonly kubeconfig?: string
  readonly config?: string
}

/** Milliseconds; why it takes long is in the log meanwhile. */
const LISTING = 120_000

/** Milliseconds: a service that still runs does not act again before it is taken away, too. */
const KEPT = 60_000

const AWAKEN =
  'take that out of excludeNamespaces and run this again, or scale it by hand and remove its label dormouse.dev/asleep'

const SILENT = { request() {}, watchRestarted() {}, eventDropped() {}, listenerFailed() {} }

/**
 * `dormouse release --all`: deletes the webhook configuration, wakes what Dormouse put to sleep, and takes
 * its marks off everything. It leads meanwhile, so that no running service works against it.
 */
export function registerRelease(program: Command, ports: CliPorts): void {
  const { stdout, stderr, stopSignal, clock } = ports
  program
    .command('release')
    .description(
      'Wake everything that Dormouse put to sleep, remove its annotations and its webhooks; ' +
        'a running service stands by meanwhile',
    )
    .option('--all', 'required: acts on every namespace')
    .option('--dry-run', 'say what would be done, and change nothing')
    .option('--kubeconfig <file>', 'default: KUBECONFIG, ~/.kube/config, then the in-cluster account')
    .option('--config <file>', 'YAML configuration')
    .action(async (options: ReleaseOptions) => {
      if (!options.all) throw new UsageError('release takes --all: it wakes and forgets every workload')
      const config = await configOf(options.config === undefined ? {} : { config: options.config }, ports)
      const logger = createLogger('warn', plainLines(stderr))
      const rules = rulesOf(config)
      const { kubeconfig } = options
      const { connectionTo } = await import('../service/connection.ts')
      const { deleteWebhookConfiguration } = await import('../kubernetes/registration/configuration.ts')
      const { leaseOf } = await import('../service/lease.ts')
      const { reached, refused, whereOf } = await import('../service/reach.ts')
      const { whileLeading } = await import('../leadership/while-leading.ts')
      const connection = connectionTo({ config, kubeconfig, observer: SILENT, clock, logger })
      const { client, informer, patcher, transport } = connection
      const ownNamespace = kubeconfig === undefined ? ports.ownNamespace : undefined
      const excluded = new Set(excludedNamespaces(config, ownNamespace))
      const endInformer = () => void informer.stop()
      stopSignal.addEventListener('abort', endInformer, { once: true })
      try {
        stderr.write(`cluster ${whereOf(connection.credentials)}\n`)
        await reached(connection, { stop: stopSignal })
        await listed()
        if (options.dryRun) {
          summary(marked().map(say).length, 'would be released')
          return leaveExcluded()
        }
        const lease = leaseOf({ config, connection, ownNamespace })
        await whileLeading({ ...lease, clock, logger }, releaseAll, {
          stop: stopSignal,
          leaseTaken: (from, milliseconds) =>
            stdout.write(
              `The Lease was taken from ${from}, which leads: in ${Math.ceil(milliseconds / 1000)} s it has stopped\n`,
            ),
          keep: KEPT,
        })
        if (stopSignal.aborted) throw new Error('stopped before everything was released: run this again')
        leaveExcluded()
      } finally {
        stopSignal.removeEventListener('abort', endInformer)
        await informer.stop()
        await transport.close()
      }

      async function listed(): Promise<void> {
        let isLate = false
        const late = setTimeout(() => {
          isLate = true
          endInformer()
        }, LISTING)
        try {
          await Promise.race([refused(connection), Promise.all([informer.start(), informer.complete()])])
        } catch (error) {
          if (stopSignal.aborted) throw new Error('stopped before anything was changed', { cause: error })
          if (!isLate) throw error
          const said = `the workloads could not all be listed within ${LISTING / 1000} s`
          throw new Error(`${said}: the warnings above say why; nothing was changed`, { cause: error })
        } finally {
          clearTimeout(late)
        }
      }

      function marked(): Workload[] {
        return withMarks().filter(({ namespace }) => !excluded.has(namespace))
      }

      function withMarks(): Workload[] {
        return [...informer.list()].filter((workload) => releaseChange(workload, rules))
      }

      /** The account's policy would not let it touch them: whoever excluded a sleeper's namespace has to know. */
      function leaveExcluded(): void {
        const left = withMarks().filter(({ namespace }) => excluded.has(namespace))
        for (const workload of left) {
          const how = hasSleepMark(workload) ? 'asleep' : 'as it is'
          stderr.write(`left ${how}, in an excluded namespace: ${keyOf(workload)}\n`)
        }
        const asleep = left.filter(hasSleepMark).length
        if (asleep === 0) return
        const who = asleep === 1 ? '1 workload sleeps' : `${asleep} workloads sleep`
        throw new Error(`${who} in an excluded namespace: ${AWAKEN}`)
      }

      async function releaseAll(lost: AbortSignal): Promise<void> {
        const { enabled } = config.webhook
        const undeleted =
          enabled && (await deleteWebhookConfiguration(client).catch((error: unknown) => ({ error })))
        const workloads = marked()
        const failed = await inTurn(workloads, lost)
        if (lost.aborted) return
        summary(workloads.length - failed, 'released')
        if (undeleted) throw undeleted.error
        if (failed > 0)
          throw new Error(`${counted(failed, 'workload')} could not be released: run this again`)
      }

      async function release(workload: Workload, lost: AbortSignal): Promise<void> {
        const plan = (seen: Workload) => ({ change: releaseChange(seen, rules) })
        const stopping = { signal: lost, cut: lost }
        const { workload: released } = await patcher.write(workload, plan, { priority: 'wake', ...stopping })
        // The write that wakes makes us the count's owner; the next one gives it back.
        if (releaseChange(released, rules))
          await patcher.write(workload, plan, { priority: 'completion', from: released, ...stopping })
        say(workload)
      }

      function say(workload: Workload): void {
        stdout.write(`${keyOf(workload)}\n`)
      }

      function summary(count: number, done: string): void {
        stdout.write(`${counted(count, 'workload')} ${done}\n`)
      }

      /** A few at a time; one that fails is said and stops no other. How many failed. */
      async function inTurn(workloads: Workload[], lost: AbortSignal): Promise<number> {
        let failed = 0
        const rest = workloads.values()
        const worker = async () => {
          for (const workload of rest) {
            if (lost.aborted) return
            await release(workload, lost).catch((error: unknown) => {
              if (lost.aborted) return
              failed += 1
              stderr.write(`${keyOf(workload)}: ${error instanceof Error ? error.message : String(error)}\n`)
            })
          }
        }
        await Promise.all(Array.from({ length: 8 }, worker))
        return failed
      }
    })
}

import type { Command } from 'commander'
import { policyOf } from '../config.ts'
import { releaseChange } from '../domain/release.ts'
import { ScheduleCompiler } from '../domain/schedule/schedule.ts'
import { counted } from '../domain/text.ts'
import { keyOf, type Workload } from '../domain/workload.ts'
import { KubernetesClient } from '../kubernetes/client.ts'
import { Credentials } from '../kubernetes/credentials.ts'
import { HttpTransport } from '../kubernetes/http.ts'
import { WorkloadInformer } from '../kubernetes/informer.ts'
import { WorkloadPatcher } from '../kubernetes/patcher.ts'
import { WriteGate } from '../kubernetes/write-gate.ts'
import { createLogger } from '../logger.ts'
import { UsageError, type CliPorts } from './program.ts'
import { configOf } from './run-options.ts'

interface ReleaseOptions {
  readonly all?: true
  readonly dryRun?: true
  readonly kubeconfig?: string
  readonly config?: string
}

const SILENT = { request() {}, watchRestarted() {}, eventDropped() {}, listenerFailed() {} }

/** `dormouse release --all`: wakes what Dormouse put to sleep, and takes its marks off everything. */
export function registerRelease(program: Command, ports: CliPorts): void {
  const { stdout, stopSignal, logDestination } = ports
  program
    .command('release')
    .description(
      'Wake everything that Dormouse put to sleep and remove its annotations; stop the service first',
    )
    .option('--all', 'every namespace: has to be said')
    .option('--dry-run', 'say what would be done, and change nothing')
    .option('--kubeconfig <file>', 'default: KUBECONFIG, ~/.kube/config, then the in-cluster account')
    .option('--config <file>', 'YAML configuration')
    .action(async (options: ReleaseOptions) => {
      if (!options.all) throw new UsageError('release takes --all: it wakes and forgets every workload')
      const config = await configOf(options.config === undefined ? {} : { config: options.config }, ports)
      const logger = createLogger('warn', logDestination)
      const compiler = new ScheduleCompiler()
      const rules = {
        policy: policyOf(config),
        compile: (text: string, zone: string) => compiler.compile(text, zone),
      }
      const transport = new HttpTransport(
        new Credentials({ source: { file: options.kubeconfig }, log: logger }),
      )
      const client = new KubernetesClient({ transport, observer: SILENT })
      const informer = new WorkloadInformer({ lister: client, observer: SILENT, log: logger })
      const gate = new WriteGate({ writesPerSecond: config.controller.writesPerSecond })
      const patcher = new WorkloadPatcher({ calls: client, copy: informer, gate })
      stopSignal.addEventListener('abort', () => void informer.stop(), { once: true })
      try {
        await informer.start()
        const marked = [...informer.list()].filter((workload) => releaseChange(workload, rules))
        const failed = await inTurn(marked, release)
        const done = options.dryRun ? 'would be released' : 'released'
        stdout.write(`${counted(marked.length - failed, 'workload')} ${done}\n`)
        if (failed > 0)
          throw new Error(`${counted(failed, 'workload')} could not be released: run this again`)
      } finally {
        await informer.stop()
        await transport.close()
      }

      async function release(workload: Workload): Promise<void> {
        if (options.dryRun) return void stdout.write(`${keyOf(workload)}\n`)
        const plan = (seen: Workload) => ({ change: releaseChange(seen, rules) })
        const { workload: released } = await patcher.write(workload, plan, { priority: 'wake' })
        // The write that wakes makes us the count's owner; the next one gives it back.
        if (releaseChange(released, rules))
          await patcher.write(workload, plan, { priority: 'completion', from: released })
        stdout.write(`${keyOf(workload)}\n`)
      }

      /** A few at a time; one that fails is said and stops no other. How many failed. */
      async function inTurn(
        workloads: Workload[],
        work: (workload: Workload) => Promise<void>,
      ): Promise<number> {
        let failed = 0
        const rest = workloads.values()
        const worker = async () => {
          for (const workload of rest) {
            if (stopSignal.aborted) return
            await work(workload).catch((error: unknown) => {
              failed += 1
              ports.stderr.write(
                `${keyOf(workload)}: ${error instanceof Error ? error.message : String(error)}\n`,
              )
            })
          }
        }
        await Promise.all(Array.from({ length: 8 }, worker))
        return failed
      }
    })
}

import type { Command } from 'commander'
import type { Setting } from '../service/config/config.ts'
import { isTimezone } from '../domain/schedule/syntax.ts'
import { runUntilStopped } from '../process/lifecycle.ts'
import { createLogger } from '../process/logger.ts'
import { port } from './options.ts'
import type { CliPorts } from './program.ts'
import { configOf, namingPorts, portSettings, runOptions, type RunOptions } from './run-options.ts'
import { hasDocs, pasteable } from './sandbox-text.ts'

/** Loopback only, and quiet: the terminal belongs to the person. */
const PRESETS: readonly Setting[] = [
  { path: ['cluster'], value: 'sandbox', source: 'the sandbox' },
  { path: ['api', 'host'], value: '127.0.0.1', source: 'the sandbox' },
  { path: ['api', 'insecurePort'], value: 8181, source: 'the sandbox' },
  { path: ['api', 'port'], value: 0, source: 'the sandbox' },
  { path: ['webhook', 'port'], value: 0, source: 'the sandbox' },
  { path: ['log', 'level'], value: 'warn', source: 'the sandbox' },
]
const KUBE_PORT = 8081
const FREE_PORTS = '--kube-port 0 --api-port 0 --metrics-port 0'

/** Also how this program is started: the paths of Node and of main.ts, and what a person types for the sandbox. */
export interface SandboxPorts extends CliPorts {
  readonly startedBy: { readonly node: string; readonly file: string; readonly command: string }
}

/** `dormouse sandbox`: a cluster in memory with a small shop in it, and Dormouse over it. */
export function registerSandbox(program: Command, ports: SandboxPorts): void {
  const { stdout, stderr, clock, logDestination } = ports
  const timezone = isTimezone(ports.timezone) ? ports.timezone : 'UTC'
  const command = program
    .command('sandbox')
    .description('Try Dormouse without a cluster: an API server in memory, on loopback')
    .option('--kube-port <port>', 'port of the Kubernetes API; 0: a free one', port, KUBE_PORT)
  runOptions(command).action(async (options: RunOptions & { kubePort: number }) => {
    const begun = performance.now()
    if (!options.json) stderr.write('starting …\n')
    const { kubePort, json } = options
    const config = await configOf(options, ports, PRESETS)
    const { Sandbox } = await import('../wiring/sandbox.ts')
    const logger = createLogger(config.log.level, logDestination)
    const sandbox = new Sandbox({
      config,
      kubePort,
      timezone,
      program: ports.startedBy,
      version: program.version(),
      clock,
      logger,
    })
    const running = runUntilStopped([sandbox], ports.stopSignal, () => {
      const { access, cluster } = sandbox
      const { nap, context } = cluster
      if (!nap) return
      const times = { nap, context, timezone, readyAt: clock(), startedIn: performance.now() - begun }
      const about = { ...times, hasDocs: hasDocs(ports.startedBy.file) }
      stdout.write(json ? `${JSON.stringify(access)}\n` : pasteable(access, about))
    })
    const settings = [{ port: kubePort, setBy: '--kube-port' }, ...portSettings(config)]
    await namingPorts(running, settings, `${ports.startedBy.command} ${FREE_PORTS}`)
    if (!json) stdout.write('stopped; nothing is left\n')
  })
}

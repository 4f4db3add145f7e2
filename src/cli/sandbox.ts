import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Setting } from '../config.ts'
import { isTimezone } from '../domain/schedule/syntax.ts'
import { createLogger } from '../logger.ts'
import type { Runnable } from '../runnable.ts'
import { MAX_TTL, newKeyPair, signToken } from '../api/auth/local-token.ts'
import { listening, portsOf } from './listening.ts'
import type { CliPorts } from './program.ts'
import { runUntilStopped } from '../lifecycle.ts'
import { configOf, port, runOptions, type RunOptions } from './run-options.ts'
import { pasteable } from './sandbox-text.ts'
import type { Service } from '../service/service.ts'

/** Loopback only, and quiet: the terminal belongs to the person. */
const PRESETS: readonly Setting[] = [
  { path: ['api', 'host'], value: '127.0.0.1', source: 'the sandbox' },
  { path: ['api', 'insecurePort'], value: 8181, source: 'the sandbox' },
  { path: ['api', 'port'], value: 0, source: 'the sandbox' },
  { path: ['webhook', 'port'], value: 0, source: 'the sandbox' },
  { path: ['log', 'level'], value: 'warn', source: 'the sandbox' },
]
const KUBE_PORT = 8081
const FREE_PORTS = 'npm start -- --kube-port 0 --api-port 0 --metrics-port 0'
const ISSUER = 'dormouse-sandbox'
const AUDIENCE = 'dormouse'
const NEW_TOKEN = 'get a new token, or paste the export lines of the sandbox again'

/** `dormouse sandbox`: a cluster in memory with a small shop in it, and Dormouse over it. */
export function registerSandbox(program: Command, ports: CliPorts): void {
  const { stdout, clock, logDestination } = ports
  const timezone = isTimezone(ports.timezone) ? ports.timezone : 'UTC'
  const command = program
    .command('sandbox')
    .description('Try Dormouse without a cluster: an API server in memory, on loopback')
    .option('--kube-port <port>', 'port of the Kubernetes API; 0: a free one', port, KUBE_PORT)
  runOptions(command).action(async (options: RunOptions & { kubePort: number }) => {
    const begun = performance.now()
    const config = await configOf(options, ports, PRESETS)
    const { SandboxCluster } = await import('../sandbox/sandbox.ts')
    const { Service } = await import('../service/service.ts')
    const logger = createLogger(config.log.level, logDestination)
    const cluster = new SandboxCluster({ port: options.kubePort, clock, logger, seed: true })
    const keys = newKeyPair('EdDSA')
    const token = await signToken(
      {
        privateKey: keys.privateKey,
        issuer: ISSUER,
        audience: AUDIENCE,
        subject: 'you',
        scopes: ['dormouse:read', 'dormouse:write'],
        namespaces: ['*'],
        ttl: MAX_TTL,
      },
      clock(),
    )
    const directory = await mkdtemp(join(tmpdir(), 'dormouse-sandbox-'))
    const kubeconfig = join(directory, 'kubeconfig')
    let service: Service | undefined
    const dormouse: Runnable = {
      name: 'dormouse',
      async start() {
        await writeFile(kubeconfig, cluster.kubeconfig(), { mode: 0o600 })
        const local = { issuer: ISSUER, audience: AUDIENCE, publicKey: keys.publicKey, advice: NEW_TOKEN }
        const metricsHost = config.api.host
        service = await Service.create({
          config,
          kubeconfig,
          ownNamespace: undefined,
          enforce: true,
          atLoopback: true,
          local,
          metricsHost,
          clock,
          logger,
        })
        await service.start()
      },
      async stop() {
        await service?.stop()
      },
    }
    try {
      const kube = { port: options.kubePort, setBy: '--kube-port' }
      const running = runUntilStopped([cluster, dormouse], ports.stopSignal, () => {
        const { naps, context } = cluster
        if (!service || !naps) return
        const found = { ...service.addresses, token, kubeconfig }
        const times = { naps, context, timezone, readyAt: clock(), startedIn: performance.now() - begun }
        stdout.write(options.json ? `${JSON.stringify(found)}\n` : pasteable(found, times))
      })
      await listening([kube, ...portsOf(config)], running, FREE_PORTS)
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
    if (!options.json) stdout.write('stopped; nothing is left\n')
  })
}

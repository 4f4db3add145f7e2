#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { destination } from 'pino'
import { registerExplain } from './cli/explain.ts'
import { registerKeyPair } from './cli/key-pair.ts'
import { createProgram, run, type CliPorts } from './cli/program.ts'
import { registerRelease } from './cli/release.ts'
import { registerSandbox } from './cli/sandbox.ts'
import { registerServe } from './cli/serve.ts'
import { registerToken } from './cli/token.ts'
import { systemClock } from './clock.ts'

const ACCOUNT_NAMESPACE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}
const ports: CliPorts = {
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  environment: process.env,
  stopSignal: stopSignal(),
  ownNamespace: ownNamespace(),
  // Lines that come while one is written go together in the next write; what is left is written at the exit.
  logDestination: destination({ fd: 2, sync: false }),
}
const program = createProgram(version, ports)
for (const register of [
  registerServe,
  registerSandbox,
  registerToken,
  registerKeyPair,
  registerExplain,
  registerRelease,
]) {
  register(program, ports)
}
process.exitCode = await run(program, process.argv.slice(2), ports)

/** Aborted by the first SIGTERM or SIGINT; the second one ends the process at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(1)
      controller.abort()
    })
  }
  return controller.signal
}

/** The namespace of the in-cluster account; undefined outside a cluster. */
function ownNamespace(): string | undefined {
  if (process.env.KUBERNETES_SERVICE_HOST === undefined) return undefined
  try {
    return readFileSync(ACCOUNT_NAMESPACE, 'utf8').trim()
  } catch {
    return undefined
  }
}

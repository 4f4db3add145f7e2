#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { destination } from 'pino'
import { registerCheck } from './cli/check.ts'
import { registerExplain } from './cli/explain.ts'
import { registerKeyPair } from './cli/key-pair.ts'
import { createProgram, run, type CliPorts } from './cli/program.ts'
import { registerRelease } from './cli/release.ts'
import { registerSandbox } from './cli/sandbox.ts'
import { registerServe } from './cli/serve.ts'
import { registerToken } from './cli/token.ts'
import { systemClock } from './clock.ts'
import { LineBatches } from './line-batches.ts'

const ACCOUNT_NAMESPACE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}
const log = logBatches()
const ports: CliPorts = {
  stdout: process.stdout,
  stderr: { write: afterTheLog },
  clock: systemClock,
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  environment: process.env,
  stopSignal: stopSignal(),
  ownNamespace: ownNamespace(),
  logDestination: log,
}
const program = createProgram(version, ports)
for (const register of [
  registerServe,
  registerSandbox,
  registerToken,
  registerKeyPair,
  registerExplain,
  registerCheck,
  registerRelease,
]) {
  register(program, ports)
}
process.exitCode = await run(program, process.argv.slice(2), ports)

/** Standard error, in batches; what is left is written at the exit. */
function logBatches(): LineBatches {
  const batches = new LineBatches(destination({ fd: 2, sync: true }))
  process.on('exit', () => batches.flush())
  return batches
}

/** A message for people is the last line, as what was logged before it explains it. */
function afterTheLog(text: string): void {
  log.flush()
  process.stderr.write(text)
}

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

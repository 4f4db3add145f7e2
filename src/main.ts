#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { destination } from 'pino'
import { registerCheck } from './service/cli/check.ts'
import { registerExplain } from './service/cli/explain.ts'
import { registerKeyPair } from './service/cli/key-pair.ts'
import { createProgram, run } from './service/cli/program.ts'
import { registerRelease } from './service/cli/release.ts'
import { registerSandbox, type SandboxPorts } from './service/cli/sandbox.ts'
import { registerServe } from './service/cli/serve.ts'
import { registerToken } from './service/cli/token.ts'
import { describedVerbs } from './client/catalogue.ts'
import { safeOutput } from './client/safe-output.ts'
import { placeOfVerb } from './client/verb-first.ts'
import { systemClock } from './service/process/clock.ts'
import { LineBatches } from './service/process/line-batches.ts'

const ACCOUNT_NAMESPACE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}
const log = logBatches()
const ports: SandboxPorts = {
  stdout: safeOutput(process.stdout),
  stderr: { write: afterTheLog },
  clock: systemClock,
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  environment: process.env,
  startedBy: { node: process.execPath, file: fileURLToPath(import.meta.url) },
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
const args = process.argv.slice(2)
const described = describedVerbs().filter(([name]) => !program.commands.some((each) => each.name() === name))
for (const [name, description] of described) program.command(name).description(description)
process.exitCode = isForPeople(args) ? await runForPeople() : await runForOperators()

/** Whether the arguments name a command of `kubectl dormouse`, or where it is to act before any command. */
function isForPeople(words: readonly string[]): boolean {
  const [first = '', second = ''] = words
  if (first.startsWith('-')) return isForPeopleSomewhere(words)
  const [verb] = first === 'help' ? [second] : [first]
  return first === '__complete' || described.some(([name]) => name === verb)
}

/** `-n shop list`; the service's own commands take no options before them. */
function isForPeopleSomewhere(words: readonly string[]): boolean {
  const place = placeOfVerb(words)
  if (place === undefined) return words.some((word) => described.some(([name]) => name === word))
  const own = program.commands.find((each) => each.name() === words[place])
  return own === undefined || described.some(([name]) => name === own.name())
}

async function runForOperators(): Promise<number> {
  // `| head` has read enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  return run(program, args, ports)
}

/** Loaded on demand: the service needs none of it. */
async function runForPeople(): Promise<number> {
  const [{ runClient }, { processTerminal }] = await Promise.all([
    import('./client/program.ts'),
    import('./client/process-terminal.ts'),
  ])
  const unread = new AbortController()
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') unread.abort()
    else process.exit(1)
  })
  process.stderr.on('error', () => undefined)
  const stop = AbortSignal.any([ports.stopSignal, unread.signal])
  return runClient(args, version, processTerminal(process, typedName(), stop))
}

/** The program's name as the person typed it, for messages. */
function typedName(): string {
  if (process.env['npm_lifecycle_event'] === 'dormouse') return 'npm run -s dormouse --'
  return basename(process.argv[1] ?? '').startsWith('kubectl-') ? 'kubectl dormouse' : 'dormouse'
}

/** Standard error, in batches, flushed at the exit. */
function logBatches(): LineBatches {
  const batches = new LineBatches(destination({ fd: 2, sync: true }))
  process.on('exit', () => batches.flush())
  return batches
}

/** A message for people is the last line, since the log before it explains it. */
function afterTheLog(text: string): void {
  log.flush()
  safeOutput(process.stderr).write(text)
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

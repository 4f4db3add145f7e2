#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { destination } from 'pino'
import { registerCheck } from './cli/check.ts'
import { registerExplain } from './cli/explain.ts'
import { registerKeyPair } from './cli/key-pair.ts'
import { createProgram, run } from './cli/program.ts'
import { registerRelease } from './cli/release.ts'
import { registerRenewKey } from './cli/renew-key.ts'
import { registerSandbox, type SandboxPorts } from './cli/sandbox.ts'
import { registerServe } from './cli/serve.ts'
import { registerToken } from './cli/token.ts'
import { registerWaker } from './cli/waker.ts'
import { ALIASES, describeVerbs, helpCommand } from './cli/people/catalogue.ts'
import { askAt, processTerminal } from './client/process-terminal.ts'
import { safeOutput } from './client/safe-output.ts'
import { placeOfVerb } from './cli/people/verb-first.ts'
import { systemClock } from './process/clock.ts'
import { LineBatches } from './process/line-batches.ts'

const PLUGIN = 'kubectl dormouse'
const ACCOUNT_NAMESPACE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string
}
const log = logBatches()
const stop = stopSignal()
const ports: SandboxPorts = {
  stdout: safeOutput(process.stdout),
  stderr: { write: afterTheLog },
  clock: systemClock,
  timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  environment: process.env,
  startedBy: { node: process.execPath, file: fileURLToPath(import.meta.url), command: sandboxCommand() },
  ask: askAt(process, stop),
  stopSignal: stop,
  ownNamespace: ownNamespace(),
  logDestination: log,
}
const program = createProgram(version, ports)
// `check` knows the namespace of a pod, so here it is the service's own; `explain` is the same in both.
describeVerbs(program, ['check', 'explain'])
const forPeople = new Set(program.commands.map((command) => command.name()))
program.commandsGroup('Run the service:')
for (const register of [
  registerCheck,
  registerServe,
  registerWaker,
  registerSandbox,
  registerToken,
  registerKeyPair,
  registerExplain,
  registerRelease,
  registerRenewKey,
]) {
  register(program, ports)
}
program.addHelpCommand(helpCommand('Run the service:'))
const args = process.argv.slice(2)
process.exitCode = isForPeople(args) ? await runForPeople() : await runForOperators()

/** Whether the arguments name a command of `kubectl dormouse`, or where it is to act before any command. */
function isForPeople(words: readonly string[]): boolean {
  const [first = '', second = ''] = words
  const isHelp =
    ['', '-h', '--help', '-V', '--version'].includes(first) || (first === 'help' && second === '')
  if (isHelp) return typedName() === PLUGIN
  if (first.startsWith('-')) return isForPeopleSomewhere(words)
  const verb = first === 'help' ? second : first
  const isUnknown = ownOf(verb) === undefined && (typedName() === PLUGIN || Object.hasOwn(ALIASES, verb))
  return first === '__complete' || forPeople.has(verb) || isUnknown
}

/** The service's own command of this name. */
function ownOf(verb: string | undefined) {
  return program.commands.find((each) => each.name() === verb)
}

/** `-n shop list`; the service's own commands take no options before them. */
function isForPeopleSomewhere(words: readonly string[]): boolean {
  const place = placeOfVerb(words)
  if (place === undefined) return words.some((word) => forPeople.has(word))
  const own = ownOf(words[place])
  return own === undefined || forPeople.has(own.name())
}

async function runForOperators(): Promise<number> {
  // `| head` has read enough.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  return run(program, args, ports)
}

/** Loaded on demand: the service needs none of it. */
async function runForPeople(): Promise<number> {
  const { runClient } = await import('./cli/people/program.ts')
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
  return basename(process.argv[1] ?? '').startsWith('kubectl-') ? PLUGIN : 'dormouse'
}

/** The words by which a person starts the sandbox. */
function sandboxCommand(): string {
  const { npm_lifecycle_event: script, npm_command: command } = process.env
  if (script === 'start') return 'npm start --'
  return `${command === 'exec' ? 'npx kubectl-dormouse' : typedName()} sandbox`
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

#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { runClient } from './program.ts'
import { processTerminal } from '../../client/process-terminal.ts'

/** kubectl runs the same program by this name to complete `kubectl dormouse`. */
const COMPLETES = 'kubectl_complete-dormouse'

/** Set by the bundler, whose files lie elsewhere. */
declare const DORMOUSE_VERSION: string | undefined

const stop = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(130)
    stop.abort()
  })
// `| head` has read enough: finish running calls, and start no others.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') stop.abort()
  else process.exit(1)
})
// Nobody has to read standard error.
process.stderr.on('error', () => undefined)
void main(basename(process.argv[1] ?? '').replace(/\.(?:c?js|exe|ts)$/, ''), process.argv.slice(2))

async function main(name: string, given: readonly string[]): Promise<void> {
  const program = name.startsWith('kubectl') ? 'kubectl dormouse' : 'dormouse'
  const terminal = processTerminal(process, program, stop.signal)
  const args = name === COMPLETES ? ['__complete', ...given] : given
  process.exitCode = await runClient(args, clientVersion(), terminal)
}

/** The version of the package that this is part of. */
function clientVersion(): string {
  if (typeof DORMOUSE_VERSION === 'string') return DORMOUSE_VERSION
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

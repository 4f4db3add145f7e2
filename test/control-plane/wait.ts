import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningProgram } from './process.ts'

/** Milliseconds: on a machine that is busy with builds an API server takes a minute to start. */
const PATIENCE = 120_000

/**
 * Asks `question` until it answers something other than undefined or false, and returns that. Throws, with
 * the last lines that `program` wrote, when the program ends meanwhile or after `timeout` milliseconds.
 */
export async function whenReady<T>(
  program: RunningProgram,
  waitedFor: string,
  question: () => Promise<T | undefined | false>,
  timeout = PATIENCE,
): Promise<T> {
  const giveUp = performance.now() + timeout
  while (program.ended() === undefined && performance.now() < giveUp) {
    const answer = await question()
    if (answer !== undefined && answer !== false) return answer
    await sleep(50)
  }
  const log = await readFile(program.logFile, 'utf8').catch(() => '')
  const lines = log.trimEnd().split('\n').slice(-20).join('\n')
  const state = program.ended() ?? `still runs after ${timeout / 1000} s`
  throw new Error(`${program.name} ${state}, while waiting for ${waitedFor}; its last lines:\n${lines}`)
}

import { setTimeout as pause } from 'node:timers/promises'
import type { Sleep } from '../../domain/schedule/schedule.ts'
import type { WorkloadKey } from '../../domain/workload/workload.ts'
import { nameOf } from '../../domain/workload/workload.ts'
import { followerOf, missingPods, progressText as progressOf } from '../../words/pods.ts'
import { withPodTrouble } from '../missing-pods.ts'
import type { Dormouse, Found } from '../ports.ts'
import type { Terminal } from '../terminal.ts'
import { age } from '../times.ts'

const LOOK_AGAIN = 1000
/** Milliseconds between two lines of progress where no terminal is. */
const PACE = 10_000
const MOST_NAMED = 5

/** `wanted`: the expected state; undefined: any. */
interface Expected {
  readonly key: WorkloadKey
  readonly wanted: Sleep | undefined
}

/**
 * Waits until all have the expected state and their pods have followed; prints the progress on standard error.
 * @throws Error when the time is up
 */
export async function waitForPods(
  terminal: Pick<Terminal, 'stderr' | 'stopSignal'>,
  dormouse: Pick<Dormouse, 'get' | 'podTrouble'>,
  awaited: readonly Expected[],
  timeout: number,
): Promise<readonly Found[]> {
  const deadline = performance.now() + timeout
  const progress = new Progress(terminal)
  try {
    for (;;) {
      const found = await Promise.all(awaited.map(({ key }) => dormouse.get(key)))
      const late = found.filter((each, place) => !isSettled(each, awaited[place]?.wanted))
      if (late.length === 0) return found
      const isOne = found.length === 1
      const texts = late.map((each) => progressText(each, !isOne))
      const text = isOne
        ? texts.join('')
        : `${found.length - late.length} of ${found.length} ${goalOf(found)}`
      if (performance.now() >= deadline) {
        progress.end()
        const why = await lateTexts(dormouse, late, !isOne)
        throw new Error(`not ready after ${age(timeout)}: ${isOne ? few(why) : `${text}; ${few(why)}`}`)
      }
      progress.tell(text)
      await pause(LOOK_AGAIN, undefined, { signal: terminal.stopSignal })
    }
  } finally {
    progress.end()
  }
}

function isSettled({ record }: Found, wanted: Sleep | undefined): boolean {
  if (wanted !== undefined && record.is_snoozed !== (wanted === 'asleep')) return false
  if (record.operation_in_progress) return false
  const { ready_replicas: ready, current_replicas: current } = record
  return record.is_snoozed ? ready <= current : ready >= current
}

function progressText({ kind, record }: Found, isNamed: boolean): string {
  const { namespace, name, ready_replicas: ready, current_replicas: current } = record
  const who = isNamed ? `${nameOf({ kind, namespace, name })}: ` : ''
  if (followerOf(record) !== 'pods')
    return `${who}${progressOf(record) ?? (record.is_snoozed ? 'asleep' : 'ready')}`
  if (record.is_snoozed) return `${who}${ready} still running`
  return `${who}${ready} of ${current} ready`
}

/** The progress of each late workload, and why its pods are missing for the few that the message names. */
async function lateTexts(
  dormouse: Pick<Dormouse, 'podTrouble'>,
  late: readonly Found[],
  isNamed: boolean,
): Promise<string[]> {
  const named = late
    .slice(0, MOST_NAMED)
    .map((each) => withPodTrouble(dormouse, each).then(({ record }) => missingPods(record)))
  const why = await Promise.all(named)
  return late.map((each, place) => [progressText(each, isNamed), why[place] ?? []].flat().join(': '))
}

/** Among several that are late, as many as are read. */
function few(texts: readonly string[]): string {
  const more = texts.length - MOST_NAMED
  return more > 0 ? `${texts.slice(0, MOST_NAMED).join(', ')} and ${more} more` : texts.join(', ')
}

/** The end of a wait: `19 of 19 ready`. */
export function settledText(found: readonly Found[]): string {
  const [only, ...others] = found
  return only && others.length === 0
    ? progressText(only, false)
    : `${found.length} of ${found.length} ${goalOf(found)}`
}

function goalOf(found: readonly Found[]): string {
  const asleep = found.filter(({ record }) => record.is_snoozed).length
  if (asleep === 0) return 'ready'
  return asleep === found.length ? 'asleep' : 'settled'
}

/** One line that is written over on a terminal; elsewhere a line for a change, each ten seconds at most. */
export class Progress {
  readonly #stderr: Terminal['stderr']
  #last = ''
  #writtenAt = Number.NEGATIVE_INFINITY

  constructor({ stderr }: Pick<Terminal, 'stderr'>) {
    this.#stderr = stderr
  }

  tell(text: string): void {
    if (this.#stderr.isTTY) return this.passing(text)
    const now = performance.now()
    if (text === this.#last || now - this.#writtenAt < PACE) return
    this.#last = text
    this.#writtenAt = now
    this.#stderr.write(`${text}\n`)
  }

  /** The same, on a terminal alone. */
  passing(text: string): void {
    if (!this.#stderr.isTTY || text === this.#last) return
    this.#last = text
    this.#stderr.write(`\r\u001B[K${text.slice(0, 100)}`)
  }

  end(): void {
    if (this.#stderr.isTTY && this.#last !== '') this.#stderr.write('\r\u001B[K')
    this.#last = ''
  }
}

import { setTimeout as pause } from 'node:timers/promises'
import type { Sleep } from '../../domain/schedule/schedule.ts'
import type { WorkloadKey } from '../../domain/workload/workload.ts'
import { nameOf } from '../../domain/workload/workload.ts'
import type { Dormouse, Found } from '../ports.ts'
import type { Terminal } from '../terminal.ts'
import { age } from '../times.ts'

const LOOK_AGAIN = 1000

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
  dormouse: Pick<Dormouse, 'get'>,
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
      const texts = late.map((each, _, { length }) => progressText(each, length > 1))
      if (performance.now() >= deadline) {
        progress.end()
        throw new Error(`not ready after ${age(timeout)}: ${texts.join(', ')}`)
      }
      progress.tell(texts.join(', '))
      await pause(LOOK_AGAIN, undefined, { signal: terminal.stopSignal })
    }
  } finally {
    progress.end()
  }
}

function isSettled({ record }: Found, wanted: Sleep | undefined): boolean {
  if (wanted !== undefined && record.is_snoozed !== (wanted === 'asleep')) return false
  if (record.operation_in_progress) return false
  return record.is_snoozed ? record.ready_replicas === 0 : record.ready_replicas >= record.current_replicas
}

function progressText({ kind, record }: Found, isNamed: boolean): string {
  const { namespace, name, ready_replicas: ready, current_replicas: current } = record
  const who = isNamed ? `${nameOf({ kind, namespace, name })}: ` : ''
  if (record.is_snoozed) return `${who}${ready} still running`
  return `${who}${ready} of ${current} ready`
}

/** One line that is written over on a terminal; elsewhere a line for each change. */
class Progress {
  readonly #stderr: Terminal['stderr']
  #last = ''

  constructor({ stderr }: Pick<Terminal, 'stderr'>) {
    this.#stderr = stderr
  }

  tell(text: string): void {
    if (text === this.#last) return
    this.#last = text
    this.#stderr.write(this.#stderr.isTTY ? `\r\u001B[K${text.slice(0, 100)}` : `${text}\n`)
  }

  end(): void {
    if (this.#stderr.isTTY && this.#last !== '') this.#stderr.write('\r\u001B[K')
    this.#last = ''
  }
}

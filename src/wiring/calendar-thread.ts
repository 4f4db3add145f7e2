import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { readEvents } from '../service/calendars/ics.ts'
import type { EventFilter, Expander, ReadEvents } from '../service/calendars/ports.ts'

/** In MiB; the largest file that is read needs a third of it. */
const MEMORY = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 }
/** Milliseconds; the largest file takes 8 s on a busy machine. */
const LONGEST = 30_000

interface Task {
  readonly calendar: {
    readonly text: string
    readonly filter: EventFilter
    readonly from: number
    readonly to: number
  }
}
type Answer = { readonly read: ReadEvents } | { readonly fault: string }

/**
 * Reads each iCalendar file in a thread of its own, so that a large file does not block the event loop and an endless
 * rule can be stopped. This file is also the code of the thread.
 */
export function calendarThreads(longest = LONGEST): Expander {
  return {
    expand: (text, filter, from, to, signal) =>
      expand({ calendar: { text, filter, from, to } }, longest, signal),
  }
}

async function expand(task: Task, longest: number, signal: AbortSignal): Promise<ReadEvents> {
  signal.throwIfAborted()
  const thread = new Worker(new URL(import.meta.url), { workerData: task, resourceLimits: MEMORY })
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const timer = setTimeout(() => reject(new Error(tooLong(longest))), longest)
  const end = () => reject(signal.reason as Error)
  signal.addEventListener('abort', end, { once: true })
  thread.once('message', resolve)
  thread.once('error', () => reject(new Error('it needs too much memory: keep its all-day events alone')))
  thread.once('exit', () => reject(new Error('it could not be read: the thread that reads it ended')))
  try {
    const answer = await promise
    if ('fault' in answer) throw new Error(answer.fault)
    return answer.read
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
    await thread.terminate()
  }
}

function tooLong(longest: number): string {
  return (
    `its events take more than ${longest / 1000} s to read: ` +
    'look for an RRULE that matches no date, or keep its all-day events alone'
  )
}

if (!isMainThread && parentPort && (workerData as Partial<Task> | null)?.calendar) {
  const port = parentPort
  const { text, ...reading } = (workerData as Task).calendar
  let answer: Answer
  try {
    answer = { read: readEvents(text, reading) }
  } catch (error) {
    answer = { fault: error instanceof Error ? error.message : String(error) }
  }
  port.postMessage(answer)
}

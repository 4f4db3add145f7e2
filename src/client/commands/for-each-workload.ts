import pLimit from 'p-limit'
import { nameOf, type WorkloadKey } from '../../domain/workload/workload.ts'
import { explanationIn } from '../../domain/workload/explanation.ts'
import { messageOf, Refusal } from '../../service/process/errors.ts'
import type { Targets } from '../targets.ts'
import type { Terminal } from '../terminal.ts'
import { advised } from '../text/advice.ts'
import { withLocalTimes } from '../text/local-time.ts'
import type { Style } from '../text/why.ts'
import { AlreadyReported } from './already-reported.ts'

/** How many are in work at once. */
export const ABREAST = 8

export interface Outcomes<Result> {
  /** The results of the calls that succeeded, in the order given. */
  readonly done: readonly Result[]
  /** @throws AlreadyReported where one failed */
  readonly throwIfFailed: () => void
}

/** A refusal with the name of its workload and the command that helps; any other error as it is. */
function refusalAbout(key: WorkloadKey, error: unknown, { advice }: Style): unknown {
  const why = error instanceof Refusal ? explanationIn(error.details) : undefined
  if (!why || !(error instanceof Refusal)) return error
  const { code, details } = error
  return new Refusal(code, `${nameOf(key)}: ${advised(why, key, advice)}`, { details, cause: error })
}

/**
 * Calls `act` for each workload, eight at a time. With several, each failure is a line of its own; a single one's
 * failure is thrown as it is. When stopped, it finishes running calls and prints how many are left.
 */
export async function forEachWorkload<Result>(
  { stderr, stopSignal }: Pick<Terminal, 'stderr' | 'stopSignal'>,
  style: Style,
  { keys, absent }: Targets,
  act: (key: WorkloadKey) => Promise<Result>,
): Promise<Outcomes<Result>> {
  const [only, ...others] = keys
  const [missing, ...more] = absent
  if (only && others.length === 0 && !missing)
    return {
      done: [
        await act(only).catch((error: unknown) => {
          throw refusalAbout(only, error, style)
        }),
      ],
      throwIfFailed() {},
    }
  if (missing && keys.length + more.length === 0) throw missing
  const fail = (message: string) => void stderr.write(`error: ${message}\n`)
  for (const each of absent) fail(withLocalTimes(each.message, style.times))
  let failed = absent.length
  let left = 0
  const results = await pLimit(ABREAST).map(keys, async (key) => {
    try {
      stopSignal.throwIfAborted()
      return await act(key)
    } catch (error) {
      if (stopSignal.aborted && error === stopSignal.reason) left += 1
      else {
        failed += 1
        const message = withLocalTimes(messageOf(refusalAbout(key, error, style)), style.times)
        fail(message.startsWith(nameOf(key)) ? message : `${nameOf(key)}: ${message}`)
      }
      return undefined
    }
  })
  if (left > 0) {
    stderr.write(`stopped: ${left} of ${keys.length} were left as they are\n`)
    stopSignal.throwIfAborted()
  }
  const done = results.filter((result) => result !== undefined)
  return {
    done,
    throwIfFailed() {
      if (failed > 0) throw new AlreadyReported(`${failed} failed`)
    },
  }
}

import pLimit from 'p-limit'
import { nameOf, type WorkloadKey } from '../../domain/workload/workload.ts'
import { explanationIn } from '../../domain/workload/explanation.ts'
import { messageOf, Refusal } from '../../process/errors.ts'
import type { Targets } from '../targets.ts'
import type { Terminal } from '../terminal.ts'
import { advised } from '../text/advice.ts'
import { worded } from '../text/local-time.ts'
import type { Style } from '../text/why.ts'
import { AlreadyReported } from './already-reported.ts'

/** How many are in work at once. */
export const ABREAST = 8
/** Names in a summary; more are counted. */
const MOST_NAMES = 10

/** A workload that failed, and the group of those that failed for the same reason. */
interface Failure {
  readonly name: string
  /** `refused (pinned)`, `failed`. */
  readonly how: string
}

export interface Outcomes<Result> {
  /** The results of the calls that succeeded, in the order given. */
  readonly done: readonly Result[]
  /** `2 refused (pinned): shop/web, shop/api`; none for a single workload. */
  readonly failures: readonly string[]
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
 * Calls `act` for each workload, eight at a time. With several, each failure is a line of its own, or with `grouped` the
 * first for each reason; a single one's failure is thrown as it is. When stopped, it finishes running calls and prints
 * how many are left.
 */
export async function forEachWorkload<Result>(
  { stderr, stopSignal }: Pick<Terminal, 'stderr' | 'stopSignal'>,
  style: Style,
  { keys, absent }: Targets,
  act: (key: WorkloadKey) => Promise<Result>,
  grouped = false,
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
      failures: [],
      throwIfFailed() {},
    }
  if (missing && keys.length + more.length === 0) throw missing
  const told = new Set<string>()
  const tell = (message: string, reason = message) => {
    if (!grouped || !told.has(reason)) stderr.write(`error: ${message}\n`)
    told.add(reason)
  }
  for (const each of absent) tell(worded(each.message, style.times))
  const failed: Failure[] = []
  let left = 0
  const results = await pLimit(ABREAST).map(keys, async (key) => {
    try {
      stopSignal.throwIfAborted()
      return await act(key)
    } catch (error) {
      if (stopSignal.aborted && error === stopSignal.reason) left += 1
      else {
        const name = nameOf(key)
        const message = worded(messageOf(refusalAbout(key, error, style)), style.times)
        const code = reasonCodeOf(error)
        failed.push({ name: `${key.namespace}/${key.name}`, how: code ? `refused (${code})` : 'failed' })
        tell(
          message.startsWith(name) ? message : `${name}: ${message}`,
          code ?? message.replaceAll(key.name, ''),
        )
      }
      return undefined
    }
  })
  if (left > 0) {
    stderr.write(`stopped: ${left} of ${keys.length} were left as they are\n`)
    stopSignal.throwIfAborted()
  }
  const count = failed.length + absent.length
  return {
    done: results.filter((result) => result !== undefined),
    failures: [...groups(failed), ...(absent.length > 0 ? [`${absent.length} not found`] : [])],
    throwIfFailed() {
      if (count > 0) throw new AlreadyReported(`${count} failed`)
    },
  }
}

/** `pinned`, `data at risk`; undefined: it is no refusal that explains itself. */
function reasonCodeOf(error: unknown): string | undefined {
  const why = error instanceof Refusal ? explanationIn(error.details) : undefined
  return why?.reason_code.replaceAll('_', ' ')
}

function groups(failed: readonly Failure[]): string[] {
  return [...Map.groupBy(failed, ({ how }) => how)].map(([how, each]) => {
    const names = each.map(({ name }) => name).toSorted()
    const more = names.length - MOST_NAMES
    const shown = more > 0 ? [...names.slice(0, MOST_NAMES), `${more} more`] : names
    return `${each.length} ${how}: ${shown.join(', ')}`
  })
}

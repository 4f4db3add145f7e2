/** Runs a task when it is its turn, and passes on what becomes of it. */
export type Turn = <T>(task: () => Promise<T>) => Promise<T>

/** At most `limit` tasks at once; the others wait in the order in which they came. */
export function createTurns(limit: number): Turn {
  const waiting: (() => void)[] = []
  let free = limit
  return async (task) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free += 1
    }
  }
}

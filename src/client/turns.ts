import pLimit from 'p-limit'

/** Runs something when its turn has come. */
type Turns = <Result>(run: () => Promise<Result>) => Promise<Result>

/** Milliseconds after which a plugin that still runs lets others run beside it. */
const LONGEST_TURN = 5000

/**
 * Lets credential plugins run one at a time: they ask for a login, or write the same files. One that takes longer goes on,
 * but its turn is over: it may hang.
 */
export function oneAtATime(longestTurn = LONGEST_TURN): Turns {
  const next = pLimit(1)
  return async <Result>(run: () => Promise<Result>) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    void next(async () => {
      const turn = Promise.withResolvers<void>()
      const timer = setTimeout(turn.resolve, longestTurn)
      // The timer keeps no process alive: whoever waits for credentials does.
      timer.unref()
      void run().then(resolve, reject).finally(turn.resolve)
      await turn.promise
      clearTimeout(timer)
    })
    return promise
  }
}

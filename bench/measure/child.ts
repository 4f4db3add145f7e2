import type { ChildProcess, Serializable } from 'node:child_process'
import { once } from 'node:events'

/**
 * The next message of a child process; `message` is sent to it first.
 * @throws Error when it ends instead
 */
export async function answerOf<T>(child: ChildProcess, message?: Serializable): Promise<T> {
  const answered = new AbortController()
  const { signal } = answered
  try {
    const answer = once(child, 'message', { signal }) as Promise<[T]>
    const ended = once(child, 'exit', { signal }).then(([code]) => {
      throw new Error(`${child.spawnargs.at(-1)} ended with ${String(code)}`)
    })
    for (const each of [answer, ended]) each.catch(() => undefined)
    if (message !== undefined) child.send(message)
    const [found] = await Promise.race([answer, ended])
    return found
  } finally {
    // Stops waiting for missing answers.
    answered.abort()
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'

/** So many wait for their answers at most: a slow machine is asked more slowly, not by a crowd that grows. */
const MOST = 100

/** Sends `count` requests at an even rate, whether earlier ones were answered or not; the answers in order. */
export async function sendEvenly<Answer>(
  count: number,
  perSecond: number,
  send: (index: number) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Promise<Answer>[] = []
  const limit = pLimit(MOST)
  const begun = performance.now()
  while (answers.length < count) {
    const due = Math.min(count, ((performance.now() - begun) / 1000) * perSecond)
    while (answers.length < due) answers.push(limit(send, answers.length))
    await sleep(1)
  }
  return await Promise.all(answers)
}

/** Sends from several clients, each one request after another, until `over`; how often each answer came. */
export async function flood(
  clients: number,
  over: AbortSignal,
  send: (client: number) => Promise<string | number>,
): Promise<Record<string, number>> {
  const answers: Record<string, number> = {}
  const client = async (index: number) => {
    while (!over.aborted) {
      const answer = await send(index)
      answers[answer] = (answers[answer] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
  return answers
}

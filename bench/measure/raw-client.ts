import { Pool } from 'undici'
import { quantile } from '../../test/support/figures.ts'
import { sendEvenly } from '../../test/support/load.ts'
import type { Sent, Target, Task, Told } from './raw.ts'

// The program of `RawClient`: undici and nothing else, in a process of its own.

let pool: Pool | undefined
let authorization: Record<string, string> = {}
const watches: Promise<void>[] = []

function connect({ url, ca, token, connections }: Target): void {
  authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const tls = ca === undefined ? { rejectUnauthorized: false } : { ca }
  pool = new Pool(url, { connections: connections ?? 32, pipelining: 1, connect: tls })
}

async function send({ method, path, headers, body, expect }: Sent): Promise<number> {
  if (!pool) throw new TypeError('not connected yet')
  const begun = performance.now()
  const answer = await pool.request({
    method,
    path,
    headers: { ...authorization, ...headers },
    body: body ?? null,
  })
  if (answer.statusCode < 300 && expect === undefined) await answer.body.dump({ limit: 1e9 })
  else if (answer.statusCode < 300) {
    const text = await answer.body.text()
    if (!text.includes(expect ?? '')) throw new Error(`${method} ${path} answered ${text}`)
  } else throw new Error(`${method} ${path} answered ${answer.statusCode}: ${await answer.body.text()}`)
  return performance.now() - begun
}

/** Reads a watch and discards it. */
async function watch(target: Target, path: string): Promise<void> {
  const own = new Pool(target.url, { connect: { ca: target.ca ?? '' } })
  const { body } = await own.request({ method: 'GET', path, headers: authorization })
  watches.push(body.forEach(() => undefined).catch(() => undefined))
}

async function sendAll({
  requests,
  inFlight,
  perSecond,
  times: count = requests.length,
}: Task): Promise<Told> {
  const times: number[] = []
  const failures: string[] = []
  const one = async (index: number) => {
    const request = requests[index % requests.length]
    if (!request) return
    const body = request.body?.replaceAll('#index#', String(index))
    try {
      times.push(await send(body === undefined ? request : { ...request, body }))
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error))
    }
  }
  const before = process.cpuUsage()
  const begun = performance.timeOrigin + performance.now()
  if (perSecond === undefined) {
    let next = 0
    const worker = async () => {
      while (next < count) await one(next++)
    }
    await Promise.all(Array.from({ length: inFlight }, worker))
  } else await sendEvenly(count, perSecond, one)
  const ended = performance.timeOrigin + performance.now()
  const { user, system } = process.cpuUsage(before)
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
  return {
    begun,
    ended,
    p50,
    p99,
    failed: failures.length,
    failure: failures[0],
    cpu: (user + system) / 1000,
  }
}

let target: Target | undefined
process.on('message', (message: Target | Task) => {
  const answer = async (): Promise<Told | undefined> => {
    if ('url' in message) {
      target = message
      connect(message)
      if (message.watch !== undefined) await watch(message, message.watch)
      return undefined
    }
    if (!target) throw new TypeError('not connected yet')
    return sendAll(message)
  }
  answer().then(
    (told) => process.send?.({ told }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())

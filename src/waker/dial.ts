import { connect, type Socket } from 'node:net'
import { retryDelay, type Delay } from '../process/delay.ts'
import { unlessAborted } from '../process/unless-aborted.ts'
import type { ReadyEndpoints, Target } from './ports.ts'

/** Milliseconds: a pod's node may be gone. */
const CONNECT_TIMEOUT = 3000
/** Milliseconds: the first and the longest pause after a pod refused. */
const PAUSES = [50, 1000] as const
/** Milliseconds until TCP looks whether a silent peer is still there. */
export const KEEP_ALIVE = 60_000

/** A connection to a ready pod, as soon as there is one that accepts it. @throws the signal's reason */
export async function dialReady(
  endpoints: ReadyEndpoints,
  port: string,
  delay: Delay,
  signal: AbortSignal,
): Promise<Socket> {
  const start = Math.floor(Math.random() * 1000)
  for (let attempt = 1; ; attempt++) {
    const targets = await ready(endpoints, port, signal)
    const target = targets[(start + attempt) % targets.length]
    const socket = target && (await dial(target, signal))
    if (socket) return socket
    signal.throwIfAborted()
    await delay(retryDelay(attempt, ...PAUSES), signal)
  }
}

async function ready(
  endpoints: ReadyEndpoints,
  port: string,
  signal: AbortSignal,
): Promise<readonly Target[]> {
  const { promise, resolve } = Promise.withResolvers<readonly Target[]>()
  const look = () => {
    const targets = endpoints.of(port)
    if (targets.length > 0) resolve(targets)
  }
  const stop = endpoints.onChange(look)
  look()
  try {
    return await unlessAborted(signal, promise)
  } finally {
    stop()
  }
}

/** undefined: it refuses, or does not answer. */
function dial({ host, port }: Target, signal: AbortSignal): Promise<Socket | undefined> {
  const { promise, resolve } = Promise.withResolvers<Socket | undefined>()
  const socket = connect({
    host,
    port,
    allowHalfOpen: true,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE,
  })
  const end = () => void socket.destroy()
  socket.on('error', end)
  socket.setTimeout(CONNECT_TIMEOUT, end)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  socket.once('close', () => resolve(undefined))
  socket.once('connect', () => {
    socket.setTimeout(0).off('timeout', end)
    resolve(socket)
  })
  return promise.finally(() => signal.removeEventListener('abort', end))
}

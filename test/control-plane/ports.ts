import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports of outgoing connections (Linux: from 32768), which could take one of them later. */
const LOWEST = 15_000
const HIGHEST = 32_000

/** `count` different TCP ports that were free on loopback a moment ago. */
export async function freePorts<const Count extends number>(count: Count): Promise<TupleOf<number, Count>> {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = randomInt(LOWEST, HIGHEST)
    if (!ports.has(port) && (await isFree(port))) ports.add(port)
  }
  return [...ports] as TupleOf<number, Count>
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  await once(server.close(), 'close')
  return true
}

type TupleOf<T, Count extends number, Built extends T[] = []> = Built['length'] extends Count
  ? Built
  : TupleOf<T, Count, [...Built, T]>

import { once } from 'node:events'
import { createServer } from 'node:net'

const [LOWEST, HIGHEST] = [20_000, 30_000]
const MOST_ATTEMPTS = 100

/**
 * A range of `count` ports on loopback that are free at this moment, such as `20312-20319`.
 * @throws Error when it finds none
 */
export async function freePorts(count: number): Promise<string> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const from = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST - count))
    const ports = Array.from({ length: count }, (_, index) => from + index)
    const free = await Promise.all(ports.map(isFree))
    if (free.every(Boolean)) return `${from}-${from + count - 1}`
  }
  throw new Error(`no ${count} ports in a row are free between ${LOWEST} and ${HIGHEST}`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}

import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

/** `count` different TCP ports that were free on loopback a moment ago. */
export async function freePorts<const Count extends number>(count: Count): Promise<TupleOf<number, Count>> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports as TupleOf<number, Count>
}

type TupleOf<T, Count extends number, Built extends T[] = []> = Built['length'] extends Count
  ? Built
  : TupleOf<T, Count, [...Built, T]>

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { startService } from './measured-service.ts'

/**
 * The cost of connections without any request, and whether the program stops in spite of them: `npm run bench --
 * silent-connections`.
 */
const CONNECTIONS = 3000

async function open(url: string): Promise<Socket[]> {
  const { hostname, port } = new URL(url)
  const sockets: Socket[] = []
  while (sockets.length < CONNECTIONS) {
    const some = Array.from({ length: 100 }, () =>
      connect(Number(port), hostname).on('error', () => undefined),
    )
    await Promise.all(some.map((socket) => once(socket, 'connect')))
    sockets.push(...some)
  }
  return sockets
}

const service = await startService(1)
const { program, url } = service
const dispatcher = new Agent({ connections: 1, connect: { rejectUnauthorized: false } })
const answered = async () => {
  const begun = performance.now()
  const { body, statusCode } = await request(`${url}/webhook/scale`, {
    method: 'POST',
    body: '{}',
    dispatcher,
  })
  await body.dump()
  return `${statusCode} after ${(performance.now() - begun).toFixed(0)} ms`
}
const table: Record<string, string | number> = { 'descriptors before': await program.descriptors() }
const sockets = await open(url)
table['descriptors with them'] = await program.descriptors()
table['memory with them'] = `${(await program.memory()).now.toFixed(0)} MB`
table['a new client is answered'] = await answered()
await sleep(15_000)
table['descriptors 15 s later, still with them'] = await program.descriptors()
for (const socket of sockets) socket.destroy()
await sleep(2000)
table['descriptors when they have gone'] = await program.descriptors()
await open(url)
const ended = await program.stop()
table['SIGTERM to the end, with as many open'] =
  ended === undefined ? 'killed after 30 s' : `${ended.toFixed(0)} ms`
process.stdout.write(`Node ${process.version}, ${CONNECTIONS} silent connections\n`)
console.table(table)
await service.stop()
await dispatcher.destroy()
process.exit()

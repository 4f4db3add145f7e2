import { once } from 'node:events'
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import jsonPatch, { type Operation } from 'fast-json-patch'
import { SandboxCluster } from '../../src/sandbox/sandbox.ts'

// An API server in memory with any number of Deployments, where the real one takes too long to fill: lists, watches and
// patches of Deployments are its own, everything else is the sandbox's. It speaks plain HTTP and ends with its parent.

/** The parent's first message. */
export interface StandInTask {
  readonly count: number
  /** A Deployment as a real API server shows it, of namespace and name `#namespace#` and `#name#`. */
  readonly template: string
}

interface Live {
  metadata: { resourceVersion: string; generation: number; annotations?: object; labels?: object }
}

const DEPLOYMENTS = /^\/apis\/apps\/v1\/(?:namespaces\/[^/]+\/)?deployments(?:\/app-(\d+))?$/
/** A watch hears its last bookmark so long before its end, as from a real API server. */
const LAST_BOOKMARK_MS = 2000
/** Changes that a new watch may begin before. */
const CHANGES_KEPT = 20_000

const sandbox = new SandboxCluster({ port: 0, clock: () => Date.now() })
await sandbox.start()
// Nothing is done in a namespace that is not there.
const created = await fetch(new URL('/api/v1/namespaces', sandbox.url), {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ metadata: { name: 'ours' } }),
})
if (!created.ok) throw new Error(`the namespace was not created: ${await created.text()}`)
const objects: string[] = []
const watches = new Set<ServerResponse>()
/** Beyond that of the template. */
let version = 1_000_000
/** The newest changes, oldest first; the last one has the version `version`. */
const changes: string[] = []
const sockets = new Set<Socket>()
let closed = 0

function fill({ count, template }: StandInTask): void {
  for (let index = 0; index < count; index++) {
    const text = template.replaceAll('#name#', `app-${String(index).padStart(6, '0')}`)
    objects.push(text.replaceAll('#uid#', `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`))
  }
}

function list(query: URLSearchParams, response: ServerResponse): void {
  const from = Number(query.get('continue') || 0)
  const to = Math.min(objects.length, from + Number(query.get('limit') || objects.length))
  const metadata = {
    resourceVersion: String(version),
    ...(to < objects.length ? { continue: String(to) } : {}),
  }
  const head = `{"kind":"DeploymentList","apiVersion":"apps/v1","metadata":${JSON.stringify(metadata)}`
  json(response, `${head},"items":[${objects.slice(from, to).join(',')}]}`)
}

function watch(query: URLSearchParams, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.flushHeaders()
  const missed = version - Number(query.get('resourceVersion') || version)
  if (missed > 0) response.write(changes.slice(-missed).join(''))
  watches.add(response)
  const milliseconds = Number(query.get('timeoutSeconds') || 1800) * 1000
  const timers = [
    setTimeout(() => bookmark(response), milliseconds - LAST_BOOKMARK_MS),
    setTimeout(() => response.end(), milliseconds),
  ]
  response.once('close', () => {
    watches.delete(response)
    for (const timer of timers) clearTimeout(timer)
  })
}

function bookmark(response: ServerResponse): void {
  const metadata = { resourceVersion: String(version), creationTimestamp: null }
  const object = { kind: 'Deployment', apiVersion: 'apps/v1', metadata }
  response.write(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`)
}

async function patch(index: number, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
  const operations = JSON.parse(Buffer.concat(chunks).toString()) as Operation[]
  const object = JSON.parse(objects[index] ?? '') as Live
  // Nobody else writes, so the tests hold.
  for (const operation of operations) if (operation.op !== 'test') jsonPatch.applyOperation(object, operation)
  object.metadata.resourceVersion = String(++version)
  object.metadata.generation += 1
  const text = JSON.stringify(object)
  objects[index] = text
  const change = `{"type":"MODIFIED","object":${text}}\n`
  changes.push(change)
  if (changes.length >= 2 * CHANGES_KEPT) changes.splice(0, CHANGES_KEPT)
  for (const each of watches) each.write(change)
  const { metadata } = object
  json(response, JSON.stringify({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata }))
}

function passOn(incoming: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url = '/' } = incoming
  const onward = ask(new URL(url, sandbox.url), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    // A watch is connected before its first event.
    response.flushHeaders()
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  response.on('close', () => onward.destroy())
  incoming.pipe(onward)
}

function json(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(text)
}

const server = createServer((incoming, response) => {
  const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://cluster')
  const [found, index] = DEPLOYMENTS.exec(pathname) ?? []
  if (found === undefined) passOn(incoming, response)
  else if (incoming.method === 'PATCH') void patch(Number(index), incoming, response)
  else if (index !== undefined) json(response, objects[Number(index)] ?? '')
  else if (searchParams.has('watch')) watch(searchParams, response)
  else list(searchParams, response)
})
server.on('connection', (socket: Socket) => {
  sockets.add(socket)
  socket.once('close', () => {
    sockets.delete(socket)
    closed += socket.bytesRead + socket.bytesWritten
  })
})
process.on('disconnect', () => process.exit())
const [task] = (await once(process, 'message')) as [StandInTask]
fill(task)
await once(server.listen(0, '127.0.0.1'), 'listening')
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
process.send?.({ url, kubeconfig: sandbox.kubeconfig().replaceAll(sandbox.url, url) })
// Each further message asks for the bytes so far, in both directions.
process.on('message', () =>
  process.send?.(
    [...sockets].reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, closed),
  ),
)

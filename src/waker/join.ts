import type { Socket } from 'node:net'

/**
 * Joins two connections: each one's bytes, end and failure become the other's, at the pace of the slower one. `first` is
 * what the client had sent before. Resolves once both are closed.
 */
export async function join(client: Socket, pod: Socket, first: Buffer): Promise<void> {
  const closed = Promise.all([closing(client, pod), closing(pod, client)])
  if (first.length > 0) pod.write(first)
  // A half that has ended before is never told again.
  if (client.readableEnded) pod.end()
  else client.pipe(pod)
  pod.pipe(client)
  await closed
}

/** Resolves once it is closed; then closes the other one, which may still have something to send. */
function closing(socket: Socket, other: Socket): Promise<void> {
  return new Promise((resolve) => {
    // Closed before anybody joined it: its events have been.
    if (socket.destroyed) {
      other.destroySoon()
      return resolve()
    }
    socket.once('error', () => other.resetAndDestroy())
    socket.once('close', () => {
      other.destroySoon()
      resolve()
    })
  })
}

import type { Answer } from '../control-plane/client.ts'

/** The answer to a scaling of a pinned workload: `denied by the pin`, else status and message. */
export function scalingAnswer({ status, body }: Answer): string {
  const isDenied = status === 403 && String(body.message).includes('is pinned awake')
  return isDenied ? 'denied by the pin' : `${status} ${body.message}`
}

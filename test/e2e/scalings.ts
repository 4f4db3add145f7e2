import type { Answer } from '../control-plane/client.ts'

/** What a scaling of a pinned workload is answered: `denied by the pin`, else status and message. */
export function scalingAnswer({ status, body }: Answer): string {
  const isDenied = status === 403 && String(body.message).includes('is pinned active')
  return isDenied ? 'denied by the pin' : `${status} ${body.message}`
}

import type { ApiContext } from './context.ts'

/** Aborted once nobody reads the answer any more, be it before this is asked. */
export function whenGone({ res }: ApiContext): AbortSignal {
  const gone = new AbortController()
  if (res.closed) gone.abort()
  res.once('close', () => gone.abort())
  return gone.signal
}

/** The value, or where `signal` is aborted first, its reason thrown: for what takes no signal itself. */
export async function unlessAborted<T>(signal: AbortSignal, value: Promise<T>): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const end = () => reject(signal.reason as Error)
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([ended, value])
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/**
 * The items of all sources, each as it comes, and of none more than are read. Ends once all have ended, and fails as the
 * first that fails; the caller then ends the others, by their signal.
 */
export async function* merged<Item>(sources: readonly AsyncIterable<Item>[]): AsyncGenerator<Item> {
  const offered: { readonly item: Item; readonly taken: () => void }[] = []
  let news = Promise.withResolvers<void>()
  let running = sources.length
  let failure: { readonly error: unknown } | undefined
  let hasLeft = false
  const offer = async (source: AsyncIterable<Item>) => {
    for await (const item of source) {
      if (hasLeft) return
      const { promise, resolve } = Promise.withResolvers<void>()
      offered.push({ item, taken: resolve })
      news.resolve()
      await promise
    }
  }
  for (const source of sources)
    void offer(source)
      .catch((error: unknown) => (failure ??= { error }))
      .finally(() => {
        running -= 1
        news.resolve()
      })
  try {
    for (;;) {
      const next = offered.shift()
      if (next) {
        yield next.item
        next.taken()
      } else if (failure) throw failure.error
      else if (running === 0) return
      else {
        await news.promise
        news = Promise.withResolvers()
      }
    }
  } finally {
    hasLeft = true
    for (const { taken } of offered) taken()
  }
}

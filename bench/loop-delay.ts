import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Milliseconds that the event loop could not do anything else. */
export interface LoopDelay {
  readonly max: number
  readonly p99: number
}

// Loaded before the program: it answers each message with what has been since the last one.
const delay = monitorEventLoopDelay({ resolution: 2 })
delay.enable()
process.on('message', () => {
  const milliseconds = (nanoseconds: number) => nanoseconds / 1e6
  process.send?.({
    max: milliseconds(delay.max),
    p99: milliseconds(delay.percentile(99)),
  } satisfies LoopDelay)
  delay.reset()
})
process.channel?.unref()

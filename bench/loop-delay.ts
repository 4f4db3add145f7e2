import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Milliseconds that the event loop could do nothing else. */
export interface LoopDelay {
  readonly max: number
  readonly p99: number
  /** The longest that it ran itself meanwhile: the rest it waited for a processor that others had. */
  readonly maxRunning: number
}

const TICK = 2
const delay = monitorEventLoopDelay({ resolution: TICK })
let maxRunning = 0
let before = process.threadCpuUsage()

// Loaded before the program: it answers each message with what has been since the last one.
delay.enable()
setInterval(() => {
  const { user, system } = process.threadCpuUsage(before)
  maxRunning = Math.max(maxRunning, (user + system) / 1000)
  before = process.threadCpuUsage()
}, TICK).unref()
process.on('message', () => {
  const milliseconds = (nanoseconds: number) => nanoseconds / 1e6
  const answer: LoopDelay = {
    max: milliseconds(delay.max),
    p99: milliseconds(delay.percentile(99)),
    maxRunning,
  }
  process.send?.(answer)
  delay.reset()
  maxRunning = 0
})
process.channel?.unref()

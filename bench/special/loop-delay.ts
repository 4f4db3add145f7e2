import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Milliseconds for which the event loop was blocked. */
export interface LoopDelay {
  readonly max: number
  readonly p99: number
  /** The longest time on the processor; in the remaining time it waited for one. */
  readonly maxRunning: number
}

const TICK = 2
const delay = monitorEventLoopDelay({ resolution: TICK })
let maxRunning = 0
let before = process.threadCpuUsage()

// Preloaded into the program: answers each message with the measurements since the last one.
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

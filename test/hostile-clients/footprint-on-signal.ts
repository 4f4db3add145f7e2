import { readdirSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Loaded before the program: on SIGUSR2 it collects all garbage and logs the footprint, so that tests compare live
 * memory.
 */
setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

process.on('SIGUSR2', () => {
  collectGarbage()
  const { heapUsed, arrayBuffers, external, rss } = process.memoryUsage()
  const line = {
    level: 'info',
    msg: 'footprint',
    heap: heapUsed + external + arrayBuffers,
    rss,
    // one of them reads the directory
    descriptors: readdirSync('/proc/self/fd').length - 1,
  }
  process.stderr.write(`${JSON.stringify(line)}\n`)
})

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Loaded before the program: on SIGUSR2 it collects all garbage and logs the footprint, so that tests compare live
 * memory.
 */
/** TCP_LISTEN of the kernel. */
const LISTENING = '0A'

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
    descriptors: descriptors(),
  }
  process.stderr.write(`${JSON.stringify(line)}\n`)
})

/** Without the connections that the program opened itself: their pools fill and empty with its calls. */
function descriptors(): number {
  const open = readdirSync('/proc/self/fd').map(target)
  const sockets = ['tcp', 'tcp6'].flatMap((family) =>
    readFileSync(`/proc/self/net/${family}`, 'utf8').trim().split('\n').slice(1).map(readSocket),
  )
  const mine = sockets.filter(({ name }) => open.includes(name))
  const served = new Set(mine.filter(({ state }) => state === LISTENING).map(({ port }) => port))
  const opened = mine.filter(({ port }) => !served.has(port))
  // one of them reads the directory
  return open.length - 1 - opened.length
}

/** `socket:[4711]`. */
function target(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return ''
  }
}

/** A line of `/proc/net/tcp` (proc_net_tcp in the kernel's documentation). */
function readSocket(line: string): { readonly name: string; readonly port: string; readonly state: string } {
  const [, local = '', , state = '', , , , , , inode = ''] = line.trim().split(/ +/)
  return { name: `socket:[${inode}]`, port: local.slice(local.indexOf(':') + 1), state }
}

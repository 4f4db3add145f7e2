import { spawn } from 'node:child_process'

/** Ends what a crashed test run leaves behind. */
export interface Guard {
  watch(pid: number): void
  forget(pid: number): void
  /** Stands down: nothing is left to watch. */
  dismiss(): void
}

// Each line replaces the list before it. The pipe's end is the end of our process, however that came about.
const script = 'd=$1; p=; while read -r line; do p=$line; done; [ -z "$p" ] || kill -9 $p; rm -rf "$d"'

/** A shell that outlives this process just long enough to kill the watched pids and remove `directory`. */
export function startGuard(directory: string): Guard {
  const shell = spawn('sh', ['-c', script, 'guard', directory], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  shell.unref()
  const pids = new Set<number>()
  const tell = () => shell.stdin.write(`${[...pids].join(' ')}\n`)
  return {
    watch(pid) {
      pids.add(pid)
      tell()
    },
    forget(pid) {
      pids.delete(pid)
      tell()
    },
    dismiss() {
      shell.stdin.end()
    },
  }
}

import { spawn } from 'node:child_process'

/** Kills the processes that a crashed test run leaves behind. */
export interface Guard {
  watch(pid: number): void
  forget(pid: number): void
  /** Ends the guard. */
  dismiss(): void
}

// Each line replaces the list before it. The pipe ends with our process, also after a crash.
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

import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { endsWithTests, RunningProgram } from '../support/running-program.ts'
import type { ImageConfig } from './store.ts'

/**
 * Acts as a container runtime: the image's files as a read-only root, /proc, a minimal /dev, the image's user without
 * any way to gain privileges. Arguments: root, size of /dev/shm or 0 for none, uid:gid, working folder, then variables
 * and the command.
 */
const ENTER = `
set -e
root=$1 shm=$2 user=$3 folder=$4
shift 4
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero random urandom; do
  : >"$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
if [ "$shm" != 0 ]; then
  mkdir "$root/dev/shm"
  mount -t tmpfs -o "mode=1777,size=$shm" tmpfs "$root/dev/shm"
fi
mount -o remount,ro "$root/dev"
exec setpriv --no-new-privs chroot --groups= --userspec="$user" "$root" env -i -C "$folder" "$@"
`

export interface RunOptions {
  /** Instead of the image's own command. */
  readonly command?: readonly string[]
  /** Instead of the image's own entry point. */
  readonly entrypoint?: readonly string[]
  /** Whether there is a /dev/shm, as with most runtimes; without it no place is writable. */
  readonly shm?: boolean
}

/** A process with the image's files as its read-only root, in its own PID namespace. */
export class Container {
  readonly #unshare: RunningProgram
  readonly begun = performance.now()

  constructor(root: string, config: ImageConfig, { command, entrypoint, shm = true }: RunOptions = {}) {
    const inside = [...config.Env, ...(entrypoint ?? config.Entrypoint), ...(command ?? config.Cmd)]
    const place = [root, shm ? '64m' : '0', config.User, config.WorkingDir]
    const apart = ['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child']
    const args = [...apart, 'sh', '-c', ENTER, 'sh', ...place, ...inside]
    this.#unshare = new RunningProgram(
      endsWithTests(spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'] })),
    )
  }

  /** All that it has written so far. */
  get output(): string {
    return this.#unshare.output.join('\n')
  }

  /** The exit code, once it has ended by itself. */
  ended(): Promise<number | null> {
    return this.#unshare.ended()
  }

  /** The line of JSON that it prints once it is ready; fails if it ends before. */
  ready<T>(): Promise<T> {
    return this.#unshare.ready<T>()
  }

  /** The pid, outside, of its PID 1. */
  async pid(): Promise<number> {
    const { pid } = this.#unshare
    return Number(await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'))
  }

  /** A file of its /proc folder: `status`, `mountinfo`. */
  async about(file: string): Promise<string> {
    return readFile(`/proc/${await this.pid()}/${file}`, 'utf8')
  }

  /** SIGTERM to its PID 1; resolves with its exit code. */
  async terminate(): Promise<number | null> {
    process.kill(await this.pid(), 'SIGTERM')
    return this.#unshare.ended()
  }

  /** SIGKILL, if it still runs. */
  async kill(): Promise<void> {
    // The image's user has no parent to die with: a change of user takes that away (PR_SET_PDEATHSIG).
    const pid = await this.pid().catch(() => 0)
    if (pid > 0) process.kill(pid, 'SIGKILL')
    await this.#unshare.end('SIGKILL')
  }
}

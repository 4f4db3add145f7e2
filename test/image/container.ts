import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { ImageConfig } from './store.ts'

/**
 * What a container runtime does, by the kernel's own means: the image's files as a read-only root, /proc, a
 * minimal /dev, the image's user and nothing to become more. Arguments: root, size of /dev/shm or 0 for none,
 * uid:gid, working folder, then variables and the command.
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
  /** Whether there is a /dev/shm, as runtimes give; without it there is no place at all to write to. */
  readonly shm?: boolean
}

/** A process with the image's files as its read-only root, and PID 1 to itself. */
export class Container {
  readonly #unshare: ChildProcess
  readonly #said: string[] = []
  readonly #ready = Promise.withResolvers<string>()
  readonly #ended: Promise<number | null>
  readonly begun = performance.now()

  constructor(root: string, config: ImageConfig, { command, entrypoint, shm = true }: RunOptions = {}) {
    const inside = [...config.Env, ...(entrypoint ?? config.Entrypoint), ...(command ?? config.Cmd)]
    const place = [root, shm ? '64m' : '0', config.User, config.WorkingDir]
    const apart = ['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child']
    const args = [...apart, 'sh', '-c', ENTER, 'sh', ...place, ...inside]
    this.#unshare = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'pipe'] })
    // What crashes with us must not be left behind: unshare takes its child along.
    const killIt = () => this.#unshare.kill('SIGKILL')
    process.once('exit', killIt)
    this.#ended = once(this.#unshare, 'close').then(([code]) => {
      process.off('exit', killIt)
      return code as number | null
    })
    for (const stream of [this.#unshare.stdout, this.#unshare.stderr])
      if (stream) createInterface(stream).on('line', (line) => this.#hear(line))
  }

  /** All that it wrote so far. */
  get output(): string {
    return this.#said.join('\n')
  }

  /** The exit code, once it has ended by itself. */
  async ended(): Promise<number | null> {
    return this.#ended
  }

  /** What the line of JSON says that it writes once it is ready; fails when it ends before. */
  async ready<T>(): Promise<T> {
    const tooEarly = this.#ended.then((code) => {
      throw new Error(`the container ended with ${code} before it was ready; it wrote:\n${this.output}`)
    })
    const line = await Promise.race([this.#ready.promise, tooEarly])
    tooEarly.catch(() => {})
    return JSON.parse(line) as T
  }

  /** Its PID 1, as the kernel sees it from outside. */
  async pid(): Promise<number> {
    const { pid } = this.#unshare
    return Number(await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8'))
  }

  /** A file of /proc about it: `status`, `mountinfo`. */
  async about(file: string): Promise<string> {
    return readFile(`/proc/${await this.pid()}/${file}`, 'utf8')
  }

  /** SIGTERM to its PID 1; resolves with its exit code. */
  async terminate(): Promise<number | null> {
    process.kill(await this.pid(), 'SIGTERM')
    return this.#ended
  }

  /** SIGKILL, if it still runs. */
  async kill(): Promise<void> {
    this.#unshare.kill('SIGKILL')
    await this.#ended
  }

  #hear(line: string): void {
    this.#said.push(line)
    if (line.startsWith('{"api"')) this.#ready.resolve(line)
  }
}

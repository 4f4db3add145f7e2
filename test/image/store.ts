import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './programs.ts'

/** An image's configuration, as far as it says how it is run. */
export interface ImageConfig {
  readonly User: string
  readonly WorkingDir: string
  readonly Env: readonly string[]
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly Labels: Readonly<Record<string, string>>
  readonly Healthcheck?: unknown
}

/** Images and containers in a folder of their own, separate from the machine's. */
export class ImageStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Runs buildah over this store; resolves with its output. */
  async buildah(...args: readonly string[]): Promise<string> {
    const temporary = join(this.#folder, 'tmp')
    await mkdir(temporary, { recursive: true })
    // vfs and chroot work everywhere, also within a container, and leave no mounts behind.
    const store = ['--root', join(this.#folder, 'root'), '--runroot', join(this.#folder, 'run')]
    const variables = { BUILDAH_ISOLATION: 'chroot', TMPDIR: temporary }
    return run('buildah', [...store, '--storage-driver', 'vfs', ...args], variables)
  }

  /** An image of one layer: everything in `root`. */
  async commit(root: string, name: string): Promise<void> {
    const container = await this.buildah('from', '--pull=never', 'scratch')
    const mounted = await this.buildah('mount', container)
    await run('cp', ['-a', `${root}/.`, mounted])
    await this.buildah('commit', '--quiet', '--rm', container, name)
  }

  /** Takes an image from an archive. */
  async load(archive: string, name: string): Promise<void> {
    await this.buildah('tag', await this.buildah('pull', '--quiet', `oci-archive:${archive}`), name)
  }

  /** buildah's description of an image, with its history. */
  async inspect(image: string): Promise<{ readonly text: string; readonly config: ImageConfig }> {
    const text = await this.buildah('inspect', '--type', 'image', image)
    return { text, config: (JSON.parse(text) as { OCIv1: { config: ImageConfig } }).OCIv1.config }
  }

  /** Creates a container of the image; returns the folder of its files. */
  async unpack(image: string): Promise<string> {
    return this.buildah('mount', await this.buildah('from', '--pull=never', image))
  }

  /** Removes everything, also after a failure. */
  async remove(): Promise<void> {
    // Otherwise rm would delete the contents of mounts that a killed buildah left.
    const mounts = (await readFile('/proc/self/mountinfo', 'utf8'))
      .split('\n')
      .map((line) => line.split(' ')[4])
    for (const mount of mounts.filter((path) => path?.startsWith(`${this.#folder}/`)).toReversed())
      if (mount) await run('umount', ['--lazy', mount])
    await rm(this.#folder, { recursive: true, force: true })
  }
}

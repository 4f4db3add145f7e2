import { watch, type FSWatcher } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Watches the folders of files, and not the files themselves: Kubernetes swaps a whole folder by a symbolic link. Calls
 * `changed` for whatever happens in one.
 */
export class FolderWatches {
  readonly #folders: ReadonlySet<string>
  readonly #changed: () => void
  readonly #watchers = new Map<string, FSWatcher>()

  constructor(files: readonly string[], changed: () => void) {
    this.#folders = new Set(files.map((file) => dirname(file)))
    this.#changed = changed
  }

  /** Begins to watch each folder that exists and is not watched yet; to be called again, since folders come and go. */
  open(): void {
    for (const folder of this.#folders) {
      if (this.#watchers.has(folder)) continue
      try {
        const watcher = watch(folder, { persistent: false }, this.#changed)
        // The folder was removed.
        watcher.on('error', () => {
          watcher.close()
          this.#watchers.delete(folder)
        })
        this.#watchers.set(folder, watcher)
      } catch {
        // There is no such folder yet.
      }
    }
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close()
  }
}

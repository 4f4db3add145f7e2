import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { withLock } from './build-lock.ts'

/** The path of `key` in the user's cache, which clones share: `XDG_CACHE_HOME`, or `~/.cache`. */
export function sharedCache(key: string, env = process.env): string {
  return join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'dormouse', key)
}

/** The result of `find` at `path`, else that of `make`; other processes of this machine wait for it. */
export async function madeOnce<T>(
  path: string,
  say: (line: string) => void,
  find: () => Promise<T | undefined>,
  make: () => Promise<T>,
): Promise<T> {
  return (await find()) ?? withLock(`${path}.lock`, say, async () => (await find()) ?? make())
}

/** Lets `fill` work in a folder beside `path` and renames it, so that a folder of this name is always complete. */
export async function filled(path: string, fill: (fresh: string) => Promise<void>): Promise<void> {
  const fresh = `${path}.${process.pid}`
  await mkdir(dirname(path), { recursive: true })
  try {
    await fill(fresh)
    await rm(path, { recursive: true, force: true })
    await rename(fresh, path)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

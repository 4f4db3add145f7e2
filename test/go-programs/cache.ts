import { accessSync, constants } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { withLock } from './build-lock.ts'

/** The path of `key` in the folder that clones share: `DORMOUSE_CACHE`, or `dormouse` in the user's cache. */
export function sharedCache(key: string, env = process.env): string {
  const folder = env['DORMOUSE_CACHE'] || join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'dormouse')
  return join(folder, key)
}

/** Whether the file may be used so. */
export function isThere(path: string, mode = constants.R_OK): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}

/** The result of `find` at `path`, else that of `make`; other processes of this machine wait for it. */
export async function madeOnce<T>(
  path: string,
  say: (line: string) => void,
  find: () => T | undefined,
  make: () => Promise<T>,
): Promise<T> {
  return find() ?? withLock(`${path}.lock`, say, async () => find() ?? make())
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

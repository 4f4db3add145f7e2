import { lstat, readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { PROJECT } from '../support/dormouse.ts'
import { run } from './programs.ts'

/** A file or folder of an image; `path` starts with a slash, `mode` is its permissions alone. */
export interface Entry {
  readonly path: string
  readonly size: number
  readonly mode: number
  readonly uid: number
  readonly isFile: boolean
  readonly isLink: boolean
}

/** Everything under `folder` of the image's files in `root`. */
export async function entriesOf(root: string, folder: string): Promise<Entry[]> {
  const entries: Entry[] = []
  for (const found of await readdir(join(root, folder), { recursive: true, withFileTypes: true })) {
    const path = join(found.parentPath, found.name)
    const { size, mode, uid } = await lstat(path)
    const [isFile, isLink] = [found.isFile(), found.isSymbolicLink()]
    entries.push({ path: `/${relative(root, path)}`, size, mode: mode & 0o7777, uid, isFile, isLink })
  }
  return entries
}

/** The files in `folder` that contain `pattern`, an extended regular expression of grep. */
export async function filesWith(pattern: string, folder: string): Promise<string[]> {
  // grep ends with 1 if there is none.
  const found = await run('sh', ['-c', 'grep -rlaEzs -e "$1" "$2" || [ $? -le 2 ]', 'sh', pattern, folder])
  return found === '' ? [] : found.split('\n')
}

/** Paths of the lock file's packages, `node_modules/…`: all, those of production and those of development. */
export async function lockedPackages(): Promise<Record<'all' | 'production' | 'development', string[]>> {
  const lock = JSON.parse(await readFile(join(PROJECT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; optional?: boolean }>
  }
  const packages = Object.entries(lock.packages).filter(([path]) => path !== '')
  const pathsOf = (wanted: typeof packages) => wanted.map(([path]) => path)
  return {
    all: pathsOf(packages),
    production: pathsOf(
      packages.filter(([, { dev, devOptional, optional }]) => !dev && !devOptional && !optional),
    ),
    development: pathsOf(packages.filter(([, { dev }]) => dev)),
  }
}

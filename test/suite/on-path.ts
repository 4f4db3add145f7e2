import { spawnSync } from 'node:child_process'
import { constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { isThere } from '../go-programs/cache.ts'

/** The path of a program that starts and says its version; undefined: there is none. */
export function onPath(program: string, asked: readonly string[], answer = /./): string | undefined {
  const path = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => isThere(file, constants.X_OK))
  if (path === undefined) return undefined
  const { status, stdout } = spawnSync(path, asked, { encoding: 'utf8', timeout: 20_000 })
  return status === 0 && answer.test(stdout) ? path : undefined
}

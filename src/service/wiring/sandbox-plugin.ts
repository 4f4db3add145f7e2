import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

/** How this program is started. */
export interface Program {
  /** The path of Node. */
  readonly node: string
  /** The path of main.ts, or of the bundle. */
  readonly file: string
}

/**
 * Writes `kubectl-dormouse` into a new folder for the PATH, so that `kubectl dormouse` works. Not with `#!/usr/bin/env
 * node`: the Node there may be too old for us.
 */
export async function writePlugin(folder: string, { node, file }: Program): Promise<void> {
  await mkdir(folder)
  // The program prints its name in commands for the person.
  const link = join(folder, `kubectl-dormouse${extname(file)}`)
  await symlink(file, link)
  const script = `#!/bin/sh\nexec ${quoted(node)} ${quoted(link)} "$@"\n`
  await writeFile(join(folder, 'kubectl-dormouse'), script, { mode: 0o755 })
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", `'\\''`)}'`
}

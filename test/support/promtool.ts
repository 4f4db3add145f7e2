import { spawnSync } from 'node:child_process'
import type { Need } from '../suite/need.ts'
import { onPath } from '../suite/on-path.ts'

interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}
/** Runs promtool on `input` or on files relative to `cwd`. */
type Promtool = (args: readonly string[], options?: { readonly input?: string; readonly cwd?: string }) => Ran

export const promtool: Need<Promtool> = {
  phrase: 'with promtool',
  quick: true,
  gotten: 'installed by .ci/install (Debian: prometheus)',
  find: () => (onPath('promtool', ['--version']) === undefined ? undefined : run),
}

const run: Promtool = (args, options = {}) => {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, { ...options, encoding: 'utf8' })
  if (error) throw error
  return { code: status, stdout: stdout.trim(), stderr: stderr.trim() }
}

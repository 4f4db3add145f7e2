import { spawnSync } from 'node:child_process'
import { leaveOut } from './leave-out.ts'

/** Runs promtool on `input` or on files relative to `cwd`; without promtool the test is skipped. */
export function promtool(
  test: Mocha.Context,
  args: readonly string[],
  options: { readonly input?: string; readonly cwd?: string } = {},
): { code: number | null; stdout: string; stderr: string } {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, { ...options, encoding: 'utf8' })
  if (error && 'code' in error && error.code === 'ENOENT')
    leaveOut(test, 'promtool is not on the path (Debian: the package prometheus)')
  if (error) throw error
  return { code: status, stdout: stdout.trim(), stderr: stderr.trim() }
}

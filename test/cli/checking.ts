import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { registerCheck } from '../../src/cli/check.ts'
import type { Forecast } from '../../src/domain/records/forecast.ts'
import { call, type Outcome } from './terminal.ts'

/** Runs `dormouse check` with these arguments, as outside a cluster. */
export function callCheck(...args: string[]): Promise<Outcome> {
  return call(registerCheck, ['check', ...args], Date.now())
}

/** The forecast of `dormouse check` for a cluster under this configuration. @throws Error with its message if it fails */
export async function checkedAgainst(
  kubeconfig: string,
  config: object,
): Promise<
  Forecast & {
    readonly code: number
    readonly unseen: readonly string[]
    readonly unwritable: readonly string[]
  }
> {
  const directory = await mkdtemp(join(tmpdir(), 'dormouse-check-'))
  try {
    const file = join(directory, 'config.yaml')
    // JSON is YAML.
    await writeFile(file, JSON.stringify(config))
    const args = [file, '--against-cluster', '--kubeconfig', kubeconfig, '--output', 'json']
    const { code, out, err } = await callCheck(...args)
    if (out === '') throw new Error(`dormouse check ended with ${code}: ${err}`)
    const { cluster } = JSON.parse(out) as { cluster: Forecast & { unseen: string[]; unwritable: string[] } }
    return { ...cluster, code }
  } finally {
    await rm(directory, { recursive: true })
  }
}

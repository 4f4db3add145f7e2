import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { availableParallelism, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { format } from 'prettier'
import { versions } from '../../test/control-plane/programs.ts'
import type { Row } from './row.ts'

/** How a cost grows with the number of workloads: one point of a line of a chart. */
export interface Point {
  readonly chart: ChartName
  readonly line: string
  readonly workloads: number
  readonly figure: number
}

export const CHART_NAMES = ['memory', 'idle-bytes', 'wave-time', 'edge-lateness'] as const
export type ChartName = (typeof CHART_NAMES)[number]

/** The result of one scenario. */
export interface ScenarioResult {
  /** The day. */
  readonly date: string
  /** Its numbers were small, only to test that it works: its figures mean nothing. */
  readonly quick: boolean
  readonly seconds: number
  /** The load average when it ended; the bench alone makes 2 to 4. */
  readonly load?: number
  readonly machine: Machine
  readonly rows: readonly Row[]
  readonly growth: readonly Point[]
}

/** The machine, without anything that identifies one among its kind. */
interface Machine {
  readonly cores: number
  readonly memory: string
  readonly node: string
  readonly kubernetes: string
  readonly etcd: string
}

export type Results = Readonly<Record<string, ScenarioResult>>

const FILE = fileURLToPath(new URL('../results.json', import.meta.url))

export function readResults(file = FILE): Results {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Results
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}

/** Writes a scenario's result beside the others'. Figures of a quick run never replace those of a full one. */
export async function keepResult(name: string, result: ScenarioResult, file = FILE): Promise<void> {
  const results = readResults(file)
  if (result.quick && results[name]?.quick === false) return
  const text = JSON.stringify({ ...results, [name]: result })
  await writeFile(file, await format(text, { parser: 'json', printWidth: 110 }))
}

export function machine(): Machine {
  return {
    cores: availableParallelism(),
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    node: process.version,
    kubernetes: versions.kubernetes,
    etcd: versions.etcd,
  }
}

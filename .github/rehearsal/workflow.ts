import { runInNewContext } from 'node:vm'
import { parse } from 'yaml'

/** Values as the YAML has them. */
type Values = Readonly<Record<string, unknown>>

export interface Step {
  readonly name?: string
  readonly id?: string
  readonly if?: string
  readonly uses?: string
  readonly run?: string
  readonly shell?: string
  readonly env?: Values
  readonly with?: Values
}

interface Defaults {
  readonly run?: { readonly shell?: string }
}

export interface Job {
  readonly name?: string
  readonly uses?: string
  readonly needs?: string | readonly string[]
  readonly env?: Values
  readonly defaults?: Defaults
  readonly outputs?: Readonly<Record<string, string>>
  readonly permissions?: Readonly<Record<string, string>>
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly unknown[]>> }
  readonly steps?: readonly Step[]
  readonly 'timeout-minutes'?: number
}

export interface Workflow {
  readonly env?: Values
  readonly defaults?: Defaults
  readonly permissions?: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

/** The contexts of expressions: `github`, `needs`, `matrix`, `steps`, and so on. */
export type Contexts = Readonly<Record<string, unknown>>

export function workflowOf(text: string): Workflow {
  return parse(text) as Workflow
}

/** A step's name, or else the first line that it runs. */
export function nameOf({ name, run, uses }: Step): string {
  return name ?? run?.trim().split('\n')[0] ?? uses ?? ''
}

/** The ids of the jobs that a job waits for. */
export function needsOf({ needs = [] }: Job): readonly string[] {
  return typeof needs === 'string' ? [needs] : needs
}

/** The jobs, each after those that it needs. @throws Error where one needs a job that there is not, or itself */
export function inOrder({ jobs }: Workflow): [id: string, job: Job][] {
  const left = new Map(Object.entries(jobs))
  const ordered: [string, Job][] = []
  while (left.size > 0) {
    const next = [...left].find(([, job]) =>
      needsOf(job).every((id) => ordered.some(([done]) => done === id)),
    )
    if (!next) throw new Error(`these jobs wait for ever: ${[...left.keys()].join(', ')}`)
    left.delete(next[0])
    ordered.push(next)
  }
  return ordered
}

/** The rows of a job's matrix, one without a value where it has none. */
export function rowsOf({ strategy }: Job): Values[] {
  if (!strategy) return [{}]
  const { include, ...lists } = strategy.matrix
  if (include) return include as Values[]
  return Object.entries(lists).flatMap(([name, values]) => values.map((value) => ({ [name]: value })))
}

/**
 * How GitHub starts a step's file on Linux and macOS ("Workflow syntax", `steps[*].shell`): what names `bash` gets
 * `pipefail`, what names nothing does not.
 */
export function shellOf(workflow: Workflow, job: Job, step: Step): readonly string[] {
  const named = step.shell ?? job.defaults?.run?.shell ?? workflow.defaults?.run?.shell
  if (named === undefined) return ['-e']
  if (named === 'bash') return ['--noprofile', '--norc', '-eo', 'pipefail']
  throw new Error(`a shell that is not known here: ${named}`)
}

/** A text with each `${{ … }}` replaced. @throws Error where one is nothing, as of a name that there is not */
export function filledIn(text: unknown, contexts: Contexts): string {
  return String(text).replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => {
    const value = valueOf(expression, contexts)
    if (value === undefined || value === null) throw new Error(`nothing is ${expression.trim()}`)
    return typeof value === 'string' ? value : JSON.stringify(value)
  })
}

/** Whether a step with this `if` runs. */
export function holds(condition: string | undefined, contexts: Contexts): boolean {
  return condition === undefined || Boolean(valueOf(condition.replaceAll(/\$\{\{|\}\}/g, ''), contexts))
}

/** Expressions of GitHub are JavaScript where they compare and choose, which is all that we use. */
function valueOf(expression: string, contexts: Contexts): unknown {
  return runInNewContext(expression, { ...contexts })
}

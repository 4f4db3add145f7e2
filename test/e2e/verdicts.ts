import { expect } from 'chai'
import { typeOf, factsOf } from '../../src/domain/kinds.ts'
import { type Kind } from '../../src/domain/workload/workload.ts'
import { inParallel } from '../support/eventually.ts'
import type { Enforced } from '../support/enforced.ts'
import type { KubectlObject, KubectlResult } from '../support/kubectl.ts'
import { countOf, manifest } from '../support/manifests.ts'
import { marksOf } from './agreement.ts'

const COUNT = 3
const POLLED = { timeout: 15_000, pause: 150 }

/** The states of a workload before somebody changes it: the table's columns. */
const STATES = ['awake', 'asleep', 'pinned awake', 'overridden asleep'] as const
type StateName = (typeof STATES)[number]

/** A change of a workload by somebody else; `name` is also its `app` label. */
export type Act = (on: Enforced, kind: Kind, name: string) => Promise<KubectlResult>

/** One cell of a table: the change, the workload's state, and the expected result. */
interface Case {
  readonly does: string
  readonly kind: Kind
  readonly state: StateName
  /** The name of its workload; cases that are denied, and so change nothing, share one for each state. */
  readonly name: string
  readonly expected: string
}

/**
 * Reads a table: a row for each action, a column for each state; a cell is the verdict (`allowed`, `warned`, `denied`)
 * and the workload's new state; without that it is unchanged.
 */
export function casesOf(table: string, kind: Kind): Case[] {
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
  return rows.flatMap(([does = '', ...cells], row) =>
    STATES.map((state, column) => {
      const cell = cells[column]
      if (cell === undefined) throw new TypeError(`the row "${does}" has no column "${state}"`)
      const [verdict = '', ...then] = cell.split(' ')
      const after = then.length > 0 ? then.join(' ') : untouched(state, kind)
      const isFree = verdict === 'denied' && then.length === 0
      const name = isFree ? `denied-${column}` : `case-${row}-${column}`
      return { does, kind, state, name, expected: `${verdict} ${after}` }
    }),
  )
}

/** Creates the workloads of all cases, each in its state; `prepare` runs before it is snoozed, pinned or overridden. */
export async function bring(
  on: Enforced,
  cases: readonly Case[],
  prefix: string,
  prepare: (kind: Kind, name: string) => Promise<void> = async () => {},
): Promise<void> {
  const workloads = byWorkload(cases).map(([first]) => first)
  const objects = workloads.map(({ kind, name }) => manifest(kind, `${prefix}-${name}`, { replicas: COUNT }))
  await on.cluster.create(on.namespace, objects)
  await inParallel(workloads, async ({ kind, name, state }) => {
    await on.settled(kind, `${prefix}-${name}`)
    const workload = on.workload(kind, `${prefix}-${name}`)
    await workload.enable()
    await prepare(kind, `${prefix}-${name}`)
    if (state.endsWith('asleep')) await workload.snooze('?wait=60s')
    if (state.startsWith('pinned')) await workload.pin()
    if (state.startsWith('overridden')) await workload.override('5h')
  })
}

/** Makes all changes, those of one workload in turn, and compares verdicts and final objects with the table. */
export async function judged(
  on: Enforced,
  cases: readonly Case[],
  prefix: string,
  acts: Readonly<Record<string, Act>>,
): Promise<void> {
  const judgedInTurn = async (ofOne: readonly Case[]) => {
    const lines: Line[] = []
    for (const each of ofOne) lines.push(await lineOf(on, each, prefix, acts))
    return lines
  }
  const lines = (await inParallel(byWorkload(cases), judgedInTurn, 4)).flat()
  const said = lines.filter(({ expected, found }) => found !== expected).map(({ said }) => said)
  expect(
    lines.map(({ found }) => found),
    said.join('\n'),
  ).to.deep.equal(lines.map(({ expected }) => expected))
}

function byWorkload(cases: readonly Case[]): [Case, ...Case[]][] {
  return [...Map.groupBy(cases, ({ kind, name }) => `${kind}/${name}`).values()] as [Case, ...Case[]][]
}

/** A case as the table has it and as it went, and what kubectl said. */
interface Line {
  readonly expected: string
  readonly found: string
  readonly said: string
}

async function lineOf(
  on: Enforced,
  { does, kind, state, name, expected }: Case,
  prefix: string,
  acts: Readonly<Record<string, Act>>,
): Promise<Line> {
  const act = acts[does]
  if (!act) throw new TypeError(`there is no act "${does}"`)
  const full = `${prefix}-${name}`
  const result = await act(on, kind, full)
  let found = ''
  const giveUp = performance.now() + POLLED.timeout
  do {
    if (found !== '') await new Promise((resolve) => setTimeout(resolve, POLLED.pause))
    const object = (await on.cluster.admin.expect('GET', on.path(kind, full))) as unknown as KubectlObject
    found = `${verdictOf(result)} ${described(object)}`
    if (!found.startsWith(expected.split(' ')[0] ?? '')) break
  } while (found !== expected && performance.now() < giveUp)
  const head = `${does}, ${factsOf(kind).name} ${state}: `
  return {
    expected: head + expected,
    found: head + found,
    said: `${head}${result.stderr || result.stdout}`,
  }
}

/** Without kubectl's own warning about objects that it did not create. */
export function warningsOf({ stderr }: KubectlResult): string[] {
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('Warning: ') && !line.includes('last-applied-configuration'))
}

function verdictOf(result: KubectlResult): string {
  if (result.code !== 0) return /admission webhook .*denied/.test(result.stderr) ? 'denied' : 'failed'
  return warningsOf(result).length > 0 ? 'warned' : 'allowed'
}

/** `3`, `0 keeps 3`, then `pinned`, `overridden`, `off` (not managed), the schedule and the image if they apply. */
function described(object: KubectlObject): string {
  const { replicas, label, enabled, state, schedule } = marksOf(object)
  const podSpec = podSpecOf(object) as { containers: { image: string }[] }
  const [container] = podSpec.containers
  return [
    String(replicas),
    label === undefined ? '' : `keeps ${label}`,
    state?.pin ? 'pinned' : '',
    state?.override ? 'overridden' : '',
    enabled === 'true' ? '' : 'off',
    schedule === undefined ? '' : `at ${schedule}`,
    container?.image === 'app' ? '' : String(container?.image),
  ]
    .filter((part) => part !== '')
    .join(' ')
}

function untouched(state: StateName, kind: Kind): string {
  const awake = String(countOf(kind, kind === 'daemonsets' ? 3 : COUNT))
  const [hold = ''] = /^(pinned|overridden)/.exec(state) ?? []
  return [state.endsWith('asleep') ? `0 keeps ${awake}` : awake, hold].filter((part) => part !== '').join(' ')
}

function podSpecOf({ spec }: KubectlObject): unknown {
  if (spec.template) return spec.template.spec
  return (spec as unknown as { jobTemplate: { spec: { template: { spec: object } } } }).jobTemplate.spec
    .template.spec
}

export function typed(kind: Kind, name: string): string {
  return `${typeOf(kind)}/${name}`
}

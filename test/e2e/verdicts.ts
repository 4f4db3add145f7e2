import { expect } from 'chai'
import { KIND_NAME, TYPE_OF, type Kind } from '../../src/domain/workload.ts'
import { inParallel } from '../support/eventually.ts'
import type { Enforced } from '../support/enforced.ts'
import type { KubectlObject, KubectlResult } from '../support/kubectl.ts'
import { manifest } from '../support/manifests.ts'
import { marksOf } from './agreement.ts'

const COUNT = 3
const POLLED = { timeout: 15_000, pause: 150 }

/** The states that a workload can be in when somebody lays hands on it, by the table's columns. */
export const STATES = [
  'unmanaged',
  'awake',
  'asleep',
  'pinned awake',
  'pinned asleep',
  'overridden awake',
  'overridden asleep',
] as const
export type StateName = (typeof STATES)[number]

/** What somebody does to a workload: `name` is also its `app` label. */
export type Act = (on: Enforced, kind: Kind, name: string) => Promise<KubectlResult>

/** One cell of a table: what is done to what, and what is to come of it. */
interface Case {
  readonly does: string
  readonly kind: Kind
  readonly state: StateName
  readonly name: string
  readonly expected: string
}

/**
 * Reads a table: a row for each thing done, a column for each state; a cell is the verdict (`allowed`,
 * `warned`, `denied`) and what the workload is then; alone, it is as it was. `-` is no case.
 */
export function casesOf(table: string, kinds: readonly Kind[]): Case[] {
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
  return rows.flatMap(([does = '', ...cells], row) =>
    kinds.flatMap((kind) =>
      STATES.flatMap((state, column) => {
        const cell = cells[column]
        if (cell === undefined) throw new TypeError(`the row "${does}" has no column "${state}"`)
        if (cell === '-') return []
        const [verdict = '', ...then] = cell.split(' ')
        const after = then.length > 0 ? then.join(' ') : untouched(state, kind)
        const name = `case-${row}-${column}`
        return [{ does, kind, state, name, expected: `${verdict} ${after}` }]
      }),
    ),
  )
}

/** Creates the workloads of all cases and brings each into its state; `prepare` comes before it is held or sleeps. */
export async function bring(
  on: Enforced,
  cases: readonly Case[],
  prefix: string,
  prepare: (kind: Kind, name: string, state: StateName) => Promise<void> = async () => {},
): Promise<void> {
  for (const kind of new Set(cases.map((each) => each.kind))) {
    const objects = cases
      .filter((each) => each.kind === kind)
      .map(({ name }) => manifest(kind, `${prefix}-${name}`, { replicas: COUNT }))
    await on.cluster.create(on.namespace, objects)
  }
  await inParallel(cases, async ({ kind, name, state }) => {
    await on.settled(kind, `${prefix}-${name}`)
    const workload = on.workload(kind, `${prefix}-${name}`)
    if (state !== 'unmanaged') await workload.enable()
    await prepare(kind, `${prefix}-${name}`, state)
    if (state.endsWith('asleep')) await workload.snooze('?wait=60s')
    if (state.startsWith('pinned')) await workload.pin()
    if (state.startsWith('overridden')) await workload.override('5h')
  })
}

/** Does all of it, and compares verdict and final object with the table; a difference shows whole lines. */
export async function judged(
  on: Enforced,
  cases: readonly Case[],
  prefix: string,
  acts: Readonly<Record<string, Act>>,
): Promise<void> {
  const said: string[] = []
  const lines = await inParallel(
    cases,
    async ({ does, kind, state, name, expected }) => {
      const act = acts[does]
      if (!act) throw new TypeError(`nobody knows how to "${does}"`)
      const full = `${prefix}-${name}`
      const result = await act(on, kind, full)
      let found = ''
      const giveUp = performance.now() + POLLED.timeout
      do {
        if (found !== '') await new Promise((resolve) => setTimeout(resolve, POLLED.pause))
        const path = `/apis/apps/v1/namespaces/${on.namespace}/${kind}/${full}`
        const object = (await on.cluster.admin.expect('GET', path)) as unknown as KubectlObject
        found = `${verdictOf(result)} ${described(object)}`
        if (!found.startsWith(expected.split(' ')[0] ?? '')) break
      } while (found !== expected && performance.now() < giveUp)
      const head = `${does}, ${KIND_NAME[kind]} ${state}: `
      if (found !== expected) said.push(`${head}${result.stderr || result.stdout}`)
      return { expected: head + expected, found: head + found }
    },
    4,
  )
  expect(
    lines.map(({ found }) => found),
    said.join('\n'),
  ).to.deep.equal(lines.map(({ expected }) => expected))
}

/** kubectl's own warning about objects that it did not create is not meant. */
export function warningsOf({ stderr }: KubectlResult): string[] {
  return stderr
    .split('\n')
    .filter((line) => line.startsWith('Warning: ') && !line.includes('last-applied-configuration'))
}

function verdictOf(result: KubectlResult): string {
  if (result.code !== 0) return /admission webhook .*denied/.test(result.stderr) ? 'denied' : 'failed'
  return warningsOf(result).length > 0 ? 'warned' : 'allowed'
}

/** `3`, `0 keeps 3`, with `pinned`, `overridden` and `off` (not managed) where they hold, and the image's tag. */
function described(object: KubectlObject): string {
  const { replicas, label, enabled, state, schedule } = marksOf(object)
  const [container] = (object.spec.template.spec as unknown as { containers: { image: string }[] }).containers
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
  const awake = kind === 'daemonsets' ? '3' : String(COUNT)
  const [hold = ''] = /^(pinned|overridden)/.exec(state) ?? []
  if (state === 'unmanaged') return `${awake} off`
  return [state.endsWith('asleep') ? `0 keeps ${awake}` : awake, hold].filter((part) => part !== '').join(' ')
}

export function typed(kind: Kind, name: string): string {
  return `${TYPE_OF[kind]}/${name}`
}

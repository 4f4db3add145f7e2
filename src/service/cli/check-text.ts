import type { Expected, NeededWorkload } from '../../domain/records/forecast.ts'
import type { InvalidSetting } from '../../domain/records/invalid-settings.ts'
import { typeOf } from '../../domain/kinds.ts'
import { counted, iso, printable } from '../../domain/text.ts'
import { nameOf } from '../../domain/workload/workload.ts'
import type { ClusterForecast } from '../wiring/check.ts'

/** More than these are counted alone. */
const ROWS = 10
const NAMESPACES = 20
const FAULTS = 20

/** A forecast for a person: the counts first, then a bounded table by namespace, then the faults. */
export function checkText(found: ClusterForecast): string {
  const blocks = [countLines(found), ...tables(found.workloads), faultLines(found.invalid)]
  const warnings = [
    ...found.needed.map(neededLine),
    ...found.idlePolicies.map(idleLine),
    ...found.unseen.map((why) => `not looked at: ${why}`),
  ]
  blocks.push(titled('Warnings', warnings))
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.map(printable).join('\n')}\n`)
    .join('\n')
}

function countLines({ at, counts }: ClusterForecast): string[] {
  const { workloads, excluded, managed, asleep, snoozes, wakes } = counts
  const rest = workloads - managed - excluded
  return [
    `${counted(workloads, 'workload')}: ${managed} managed, ${rest} not managed, ${excluded} in excluded namespaces`,
    `Of the managed, at ${iso(at)}: ${asleep} asleep, ${managed - asleep} awake`,
    `To get there, ${snoozes} would fall asleep and ${wakes} would wake`,
  ]
}

/** A block of lines for each namespace, the one with the most changes first. */
function tables(workloads: readonly Expected[]): string[][] {
  const spaces = [...Map.groupBy(workloads, ({ namespace }) => namespace)]
    .map(([namespace, rows]) => ({ namespace, rows, changes: rows.filter(changes).length }))
    .sort((a, b) => b.changes - a.changes || (a.namespace < b.namespace ? -1 : 1))
  const blocks = spaces.slice(0, NAMESPACES).map(({ namespace, rows }) => tableOf(namespace, rows))
  const left = spaces.length - NAMESPACES
  if (left > 0) blocks.push([`… and ${counted(left, 'more namespace')} (--output json has all)`])
  return blocks
}

function tableOf(namespace: string, rows: readonly Expected[]): string[] {
  const shown = rows
    .toSorted((a, b) => Number(changes(b)) - Number(changes(a)) || (nameOf(a) < nameOf(b) ? -1 : 1))
    .slice(0, ROWS)
  const cells = shown.map((row) => [
    outcome(row),
    `${typeOf(row.kind)} ${row.name}`,
    sourceOf(row.policy.enabled.source),
  ])
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const lines = cells.map(
    (row, index) =>
      `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}  ${shown[index]?.reason ?? ''}`,
  )
  const left = rows.slice(shown.length).length
  if (left > 0) lines.push(`  … and ${left} more (--output json has all)`)
  return [namespace, ...lines]
}

function outcome({ change, after, managed }: Expected): string {
  if (change === 'snooze') return 'falls asleep'
  if (change === 'wake') return 'wakes'
  return managed ? `stays ${after}` : 'left alone'
}

/** `by namespace shop`: the source of `enabled`. */
function sourceOf(source: string | null): string {
  if (source === null || source === 'default') return 'not enabled'
  return source === 'workload' ? 'by its annotation' : `by ${source.replace('/', ' ')}`
}

function changes({ change }: Expected): boolean {
  return change !== null
}

function faultLines(invalid: readonly InvalidSetting[]): string[] {
  const lines = invalid
    .slice(0, FAULTS)
    .map(({ at, message, workloads }) => `${at}: ${message} (${counted(workloads, 'workload')} concerned)`)
  const left = invalid.length - FAULTS
  if (left > 0) lines.push(`… and ${left} more (--output json has all)`)
  return titled('Invalid settings, which stop what is automatic', lines)
}

function neededLine(workload: NeededWorkload): string {
  return (
    `${nameOf(workload)} answers ${workload.answers}: while it sleeps, the API server may refuse writes, ` +
    'and nothing could be woken. Annotate it with dormouse.dev/enabled: "false"'
  )
}

function idleLine(policy: string): string {
  return (
    `policy ${policy} sets nothing for any workload: none matches it, ` +
    'or everywhere an earlier policy, the Namespace or the workload itself comes first'
  )
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)]
}

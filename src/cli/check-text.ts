import type { Expected, NeededWorkload } from '../domain/records/forecast.ts'
import type { SharedWorkload } from '../domain/records/shared-workloads.ts'
import type { InvalidSetting } from '../domain/records/invalid-settings.ts'
import { amountCells } from '../domain/records/saved.ts'
import type { WeekOf } from '../domain/records/week.ts'
import { resourceOf, typeOf, type Kind } from '../domain/kinds.ts'
import type { Instant } from '../process/clock.ts'
import { wallClock } from '../domain/schedule/zone.ts'
import { textForPeople } from '../domain/workload/author.ts'
import { counted } from '../domain/text.ts'
import { printable } from '../process/printable.ts'
import { nameOf, type WorkloadKey } from '../domain/workload/workload.ts'
import type { ClusterForecast } from '../wiring/check.ts'

/** More than these are counted alone. */
const ROWS = 10
const NAMESPACES = 20
const FAULTS = 20

/**
 * A forecast for a person: the counts first, then a bounded table by namespace, then the faults. `zone`: the reader's;
 * reasons have the times of their workload's zone, and name it.
 */
export function checkText(found: ClusterForecast, zone: string): string {
  const { workloads, invalid } = found
  const blocks = [
    countLines(found, zone),
    ...tables(workloads, found.at, zone),
    weekLines(found, zone),
    faultLines(invalid),
  ]
  const warnings = [
    ...found.needed.map(neededLine),
    ...strandedLines(found.stranded),
    ...sharedLines(found.shared),
    ...found.idlePolicies.map(idleLine),
    ...unwritableLines(found.unwritable),
    ...patchedLines(found.onlyPatched),
    ...trafficLines(found.lackedByTraffic),
    ...found.unseen.map((why) => `not looked at: ${why}`),
  ]
  blocks.push(titled('Warnings', warnings))
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.map(printable).join('\n')}\n`)
    .join('\n')
}

/** `Tue 2026-11-24 21:00 (Europe/Berlin)`. */
function dated(at: Instant, zone: string): string {
  return placed(at, zone, 0)
}

/** `Tue 7:00 (Europe/Berlin)`. */
function placed(at: Instant, zone: string, from: Instant): string {
  return `${wallClock(at, zone, from)} (${zone})`
}

function reasonOf({ reason, policy }: Expected, from: Instant, reader: string): string {
  const zone = policy.timezone.value ?? reader
  const isNamed = reason.includes(`(${zone}`)
  return textForPeople(reason, (at) => (isNamed ? wallClock(at, zone, from) : placed(at, zone, from)))
}

function countLines({ at, counts }: ClusterForecast, zone: string): string[] {
  const { workloads, excluded, managed, asleep, snoozes, wakes } = counts
  const rest = workloads - managed - excluded
  return [
    `${counted(workloads, 'workload')}: ${managed} managed, ${rest} not managed, ${excluded} in excluded namespaces`,
    `Of the managed, at ${dated(at, zone)}: ${asleep} asleep, ${managed - asleep} awake`,
    `To get there, ${snoozes} would fall asleep and ${wakes} would wake`,
  ]
}

/** A block of lines for each namespace, the one with the most changes first. */
function tables(workloads: readonly Expected[], at: Instant, zone: string): string[][] {
  const spaces = [...Map.groupBy(workloads, ({ namespace }) => namespace)]
    .map(([namespace, rows]) => ({ namespace, rows, changes: rows.filter(changes).length }))
    .sort((a, b) => b.changes - a.changes || (a.namespace < b.namespace ? -1 : 1))
  const blocks = spaces.slice(0, NAMESPACES).map(({ namespace, rows }) => tableOf(namespace, rows, at, zone))
  const left = spaces.length - NAMESPACES
  if (left > 0) blocks.push([`… and ${counted(left, 'more namespace')} (--output json has all)`])
  return blocks
}

function tableOf(namespace: string, rows: readonly Expected[], at: Instant, zone: string): string[] {
  const shown = rows
    .toSorted((a, b) => Number(changes(b)) - Number(changes(a)) || (nameOf(a) < nameOf(b) ? -1 : 1))
    .slice(0, ROWS)
  const cells = shown.map((row) => [
    outcome(row),
    `${typeOf(row.kind)} ${row.name}`,
    sourceOf(row.policy.enabled.source),
  ])
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  const reasons = shown.map((row) => reasonOf(row, at, zone))
  const lines = cells.map(
    (row, index) =>
      `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}  ${reasons[index] ?? ''}`,
  )
  const left = rows.slice(shown.length).length
  if (left > 0) lines.push(`  … and ${left} more (--output json has all)`)
  return [namespace, ...lines]
}

/** How long the managed workloads of each namespace sleep in a week, and what that saves; the sum last. */
function weekLines({ at, week: { namespaces, total } }: ClusterForecast, zone: string): string[] {
  if (total.workloads === 0) return []
  const shown = namespaces
    .toSorted((a, b) => b.saved.cpu_core_seconds - a.saved.cpu_core_seconds)
    .slice(0, NAMESPACES)
  const { money } = total.saved
  const rows = [
    ['namespace', 'workloads', 'asleep', 'core-hours', 'GiB-hours', ...(money ? [money.currency] : [])],
    ...shown.map((each) => [each.namespace, ...weekCells(each)]),
    ['total', ...weekCells(total)],
  ]
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
    ),
  )
  const left = namespaces.length - shown.length
  const more = left > 0 ? [`… and ${counted(left, 'more namespace')} (--output json has all)`] : []
  const title = `In the week from ${dated(at, zone)} on, mean hours asleep of 168, and what that saves (requested, not billed)`
  return titled(title, [...lines.map((cells) => cells.join('  ')), ...more])
}

function weekCells({ workloads, hoursAsleep, saved }: WeekOf): string[] {
  return [String(workloads), `${hoursAsleep.toFixed(1)} h`, ...amountCells(saved)]
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

/** A line for each excluded namespace. */
function strandedLines(stranded: readonly WorkloadKey[]): string[] {
  return [...Map.groupBy(stranded, ({ namespace }) => namespace)].map(([namespace, sleepers]) => {
    const shown = sleepers.slice(0, ROWS).map(nameOf).join(', ')
    const more = sleepers.length > ROWS ? ` and ${sleepers.length - ROWS} more (--output json has all)` : ''
    return (
      `namespace ${namespace} is excluded, and nothing will wake what sleeps in it: ${shown}${more}. ` +
      `Before you exclude it: kubectl dormouse disable --all -n ${namespace}; ` +
      'afterwards kubectl scale, to the count of the label dormouse.dev/asleep'
    )
  })
}

/** A line for each policy. */
function sharedLines(shared: readonly SharedWorkload[]): string[] {
  return [...Map.groupBy(shared, ({ policy }) => policy)].map(([policy, taken]) => {
    const shown = taken.slice(0, ROWS).map((each) => `${each.what} (${nameOf(each)})`)
    const more = taken.length > ROWS ? ` and ${taken.length - ROWS} more (--output json has all)` : ''
    return (
      `policy ${policy} takes from everybody, as far as names tell: ${shown.join(', ')}${more}. ` +
      "Leave out their namespaces (excludeNamespaces, or the policy's namespaces.selector), " +
      'or annotate them with dormouse.dev/enabled: "false"'
    )
  })
}

function idleLine(policy: string): string {
  return (
    `policy ${policy} sets nothing for any workload: none matches it, ` +
    'or everywhere an earlier policy, the Namespace or the workload itself comes first'
  )
}

function patchedLines(kinds: readonly Kind[]): string[] {
  if (kinds.length === 0) return []
  return [
    `this account may patch ${named(kinds)}, but not update them: Dormouse would work with it, at a higher cost for the API server`,
  ]
}

function unwritableLines(kinds: readonly Kind[]): string[] {
  if (kinds.length === 0) return []
  return [
    `this account may not patch ${named(kinds)}: Dormouse would neither put them to sleep nor pause them with it. Give it get, list, watch, patch and update`,
  ]
}

function trafficLines(rights: readonly string[]): string[] {
  if (rights.length === 0) return []
  return [`this account may not ${rights.join(', ')}: traffic would wake nothing (waker.enabled)`]
}

function named(kinds: readonly Kind[]): string {
  return kinds.map((kind) => `${resourceOf(kind).resource}.${resourceOf(kind).group}`).join(', ')
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)]
}

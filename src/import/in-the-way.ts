import { nameOf, type ImportedObject } from './plan/imported-object.ts'
import { commandLine } from './plan/shell-words.ts'
import { UsageError } from '../process/errors.ts'
import { ANNOTATION, ASLEEP_LABEL } from '../domain/annotations.ts'
import { firstUnmanaged } from './carrying-out.ts'
import type { Import } from './planned.ts'
import { isMeant, type Running, type Tool } from './tool.ts'
import type { ClusterObjects } from '../client/ports.ts'
import type { Terminal } from '../client/terminal.ts'

/**
 * Whether the policies in force are those that the steps need. Where nobody may know them, dry runs say whether each
 * sleeper is managed.
 * @param place options, such as ` --context dev`, by which a pasted command reaches the same cluster
 * @throws UsageError if not, but for a dry run: nothing may be changed
 */
export async function checkPolicies(
  cluster: ClusterObjects,
  { steps, configuration, force, isKnown }: Import,
  dryRun: boolean,
  { stderr, stopSignal }: Terminal,
  place: string,
): Promise<boolean> {
  if (!configuration || configuration.policies.length === 0) return true
  const { lacking, leftOutFirst } = await import('./plan/in-force.ts')
  for (const { kind, metadata } of dryRun || isKnown ? leftOutFirst(steps, force) : []) {
    const target = ['annotate', kind.toLowerCase(), metadata.name, '-n', metadata.namespace ?? '']
    const leaveOut = `${commandLine('kubectl', ...target, `${ANNOTATION.enabled}=false`)}${place}`
    stderr.write(`before you upgrade, since the policy imported above would put it to sleep: ${leaveOut}\n`)
  }
  const found: ImportedObject[] = []
  if (isKnown) found.push(...lacking(steps, force))
  else {
    stderr.write(
      'note: which policies are in force is not known: the service does not publish them, or you may not read them\n',
    )
    const unmanaged = await firstUnmanaged(cluster, steps, stopSignal)
    if (unmanaged) found.push(unmanaged)
  }
  const [first, ...others] = found
  if (!first) return true
  const those = `${nameOf(first)}${others.length > 0 ? ` and ${others.length} more need it` : ' needs it'}`
  const why = `the policy imported above is not in force yet: put it into config, upgrade, and repeat; ${those}`
  if (!dryRun) throw new UsageError(`nothing was changed: ${why}`)
  stderr.write(`note: ${why}\n`)
  return false
}

/**
 * Two that put to sleep and wake would undo each other, and the other one would write over the counts.
 * @param place as for `checkPolicies`
 */
export function refuseBeside(running: readonly Running[], from: Tool, program: string, place: string): void {
  const beside = running.find((each) => isMeant(each, from) && isStarted(each.object))
  if (!beside) return
  const { kind, metadata } = beside.object
  const { namespace = '', name, labels } = metadata
  const by = (verb: string, ...more: readonly string[]) =>
    `${commandLine('kubectl', verb, kind.toLowerCase(), name, '-n', namespace, ...more)}${place}`
  if (labels?.[ASLEEP_LABEL] !== undefined)
    throw new UsageError(
      `Dormouse has put ${beside.tool} to sleep and would wake it: remove it by ${by('delete')}, then repeat ${program} import`,
    )
  const stop =
    kind === 'CronJob' ? by('patch', '-p', '{"spec":{"suspend":true}}') : by('scale', '--replicas', '0')
  throw new UsageError(`${beside.tool} still runs: stop it by ${stop}, then repeat ${program} import`)
}

/** Whether a tool runs: it has pods, is to have them, or sleeps by Dormouse until its hours. */
function isStarted({ kind, metadata, spec, status }: ImportedObject): boolean {
  const isOff = kind === 'CronJob' ? spec?.suspend === true : spec?.replicas === 0
  const { readyReplicas = 0, active = [] } = status ?? {}
  return metadata.labels?.[ASLEEP_LABEL] !== undefined || !isOff || readyReplicas + active.length > 0
}

import { ANNOTATION } from '../../src/domain/workload/workload.ts'
import type { Seen } from './observed.ts'
import type { Target } from './target.ts'

/** Milliseconds: times are written in whole seconds, and clocks are moved at one after the other. */
const SLACK = 2000

/**
 * Kubernetes starts a Job for a time that a CronJob missed since its latest run: by one that Dormouse resumes, none was
 * missed since it fell asleep. It reads versions from `target.explained` on, and knows nothing of the product's rules.
 */
export function missedRuns(target: Target): string[] {
  if (target.key.kind !== 'cronjobs') return []
  const versions = target.observed.versions(target.key)
  const found: string[] = []
  for (let index = target.explained; index < versions.length; index += 1) {
    const [before, after] = [versions[index - 1], versions[index]]
    if (!before || !after || before.gone || after.gone) continue
    if (before.object.spec.suspend !== true || after.object.spec.suspend === true) continue
    if (!isResumedByUs(after.object) || catchesUp(before.object)) continue
    const asleepSince = suspendedSince(target, index)
    if (latestRun(after.object) < asleepSince - SLACK)
      found.push(`${target.title}: a run that was missed since ${asleepSince} starts by version ${index}`)
  }
  return found
}

function isResumedByUs(object: Seen): boolean {
  return suspendersOf(object).some(({ manager }) => manager === 'dormouse')
}

interface Entry {
  readonly manager?: string
  readonly time?: string
  readonly fieldsV1?: { readonly 'f:spec'?: { readonly 'f:suspend'?: object } }
}

/** The managers of `spec.suspend`, as the API server records them. */
function suspendersOf({ metadata }: Seen): readonly Entry[] {
  const entries = (metadata['managedFields'] ?? []) as readonly Entry[]
  return entries.filter(({ fieldsV1 }) => fieldsV1?.['f:spec']?.['f:suspend'] !== undefined)
}

function catchesUp({ metadata }: Seen): boolean {
  return metadata.annotations?.[ANNOTATION.catchUp] === 'true'
}

function latestRun({ metadata, status }: Seen): number {
  const { lastScheduleTime } = (status ?? {}) as { lastScheduleTime?: string }
  return Date.parse(lastScheduleTime ?? String(metadata['creationTimestamp']))
}

/**
 * When the suspension began that ended with version `index`: as Dormouse says, else by the API server's clock. While a
 * scenario's clock is moved, that may be ahead.
 */
function suspendedSince({ observed, key }: Target, index: number): number {
  const versions = observed.versions(key)
  let first = index - 1
  while (versions[first - 1]?.object.spec.suspend === true && !versions[first - 1]?.gone) first -= 1
  const object = versions[first]?.object
  if (!object) return 0
  const state = JSON.parse(object.metadata.annotations?.[ANNOTATION.state] ?? '{}') as State
  if (state.asleep === true && state.snoozed) return Date.parse(state.snoozed.at)
  const times = suspendersOf(object).map(({ time = '' }) => Date.parse(time))
  return Math.max(Date.parse(String(object.metadata['creationTimestamp'])), ...times)
}

interface State {
  readonly asleep?: boolean
  readonly snoozed?: { readonly at: string }
}
